# redqueen-torch-free: the one binary without libtorch, for the Python package and for images that only serve. It is linked
# of the same object files, less the commands that need libtorch; redqueen/cli/without_torch says what stands in their
# place. No archive that names libtorch is on its command line, so whatever begins to need one fails here, at the link. Nor is
# cairo, which would bring the libraries of X: it is loaded by whoever draws.
# base and core come first: what several archives hold, templates that it compiles for all, is taken from them.
set(free_of_torch base core run sandbox text checkpoint policy synth data_sets suites code_tasks net arena watch engine serve train
    recipes session)
file(GLOB without_torch CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/redqueen/cli/without_torch/*.cc)
add_executable(redqueen-torch-free ${without_torch}
  $<TARGET_OBJECTS:redqueen_cli> $<TARGET_OBJECTS:redqueen_gym>)
target_include_directories(redqueen-torch-free PRIVATE ${CMAKE_SOURCE_DIR}
  $<TARGET_PROPERTY:redqueen_session,INTERFACE_INCLUDE_DIRECTORIES> ${CAIRO_INCLUDE_DIRS})
target_compile_options(redqueen-torch-free PRIVATE $<TARGET_PROPERTY:redqueen_torch,INTERFACE_COMPILE_OPTIONS>)
target_link_options(redqueen-torch-free PRIVATE -Wl,--as-needed -Wl,--gc-sections)
list(TRANSFORM free_of_torch REPLACE "(.+)" "$<TARGET_FILE:redqueen_\\1>" OUTPUT_VARIABLE archives)
target_link_libraries(redqueen-torch-free PRIVATE -Wl,--start-group ${archives} -Wl,--end-group
  nlohmann_json::nlohmann_json fmt::fmt tl::expected Threads::Threads
  SQLite::SQLite3 redqueen_toml PCRE2::8bit ICU::uc CURL::libcurl ZLIB::ZLIB redqueen_flint OpenSSL::SSL
  PkgConfig::SIMDJSON ${CMAKE_DL_LIBS})
if(REDQUEEN_MIMALLOC)
  target_link_libraries(redqueen-torch-free PRIVATE ${REDQUEEN_MIMALLOC})
endif()
list(TRANSFORM free_of_torch REPLACE "(.+)" "redqueen_\\1" OUTPUT_VARIABLE libraries)
add_dependencies(redqueen-torch-free ${libraries})
# A wheel's build stops at their archives: model, decode and embedding need not be compiled before.
set_target_properties(redqueen_cli redqueen_session redqueen_recipes redqueen_train PROPERTIES OPTIMIZE_DEPENDENCIES ON)
set_target_properties(redqueen-torch-free PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
add_dependencies(cli_test redqueen-torch-free)

# The command `redqueen` of the Python package (python/redqueen/_command.py).
if(TARGET redqueen_python)
  add_custom_command(TARGET redqueen-torch-free POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink
    $<TARGET_FILE:redqueen-torch-free> ${built_package}/redqueen-torch-free)
  install(TARGETS redqueen-torch-free RUNTIME DESTINATION redqueen COMPONENT python EXCLUDE_FROM_ALL)
  if(SKBUILD_SCRIPTS_DIR)
    install(PROGRAMS ${CMAKE_SOURCE_DIR}/python/scripts/redqueen DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python EXCLUDE_FROM_ALL)
  endif()
endif()
