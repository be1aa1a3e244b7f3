# redqueen-sandbox-worker: a program of its own, so that what forks thousands of times a second stays small (no libtorch)
# and the engine itself never starts Python. Sanitizers reserve terabytes of address space, which the memory limit of a
# child forbids; so it is always built without.
file(GLOB worker_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/redqueen/sandbox/worker/*.cc)
add_executable(redqueen-sandbox-worker ${worker_sources}
  ${CMAKE_SOURCE_DIR}/redqueen/sandbox/config.cc ${CMAKE_SOURCE_DIR}/redqueen/sandbox/job.cc
  ${CMAKE_SOURCE_DIR}/redqueen/sandbox/wire.cc)
target_include_directories(redqueen-sandbox-worker PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(redqueen-sandbox-worker PRIVATE redqueen_sandbox_deps fmt::fmt-header-only tl::expected)
# Every mapping of a library is copied by every fork.
target_link_options(redqueen-sandbox-worker PRIVATE -static-libstdc++ -static-libgcc)
target_compile_definitions(redqueen-sandbox-worker PRIVATE REDQUEEN_PYTHON_STDLIB="${Python3_STDLIB}")
if(REDQUEEN_SANITIZE)
  target_compile_options(redqueen-sandbox-worker PRIVATE -fno-sanitize=all)
  target_link_options(redqueen-sandbox-worker PRIVATE -fno-sanitize=all)
endif()
set_target_properties(redqueen-sandbox-worker PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
add_dependencies(redqueen_sandbox redqueen-sandbox-worker)

# The fuzz target of the wire format; Clang only.
option(REDQUEEN_FUZZ "Build the libFuzzer targets (*_fuzz.cc)" OFF)
if(REDQUEEN_FUZZ)
  set(sandbox_folder ${CMAKE_SOURCE_DIR}/redqueen/sandbox)
  add_executable(sandbox_wire_fuzz ${sandbox_folder}/wire_fuzz.cc ${sandbox_folder}/wire.cc
    ${sandbox_folder}/outcome_text.cc ${sandbox_folder}/job.cc ${sandbox_folder}/config.cc)
  target_include_directories(sandbox_wire_fuzz PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(sandbox_wire_fuzz PRIVATE fmt::fmt-header-only tl::expected nlohmann_json::nlohmann_json)
  target_compile_options(sandbox_wire_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_options(sandbox_wire_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
  set_target_properties(sandbox_wire_fuzz PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endif()
