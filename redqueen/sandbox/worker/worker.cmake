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
