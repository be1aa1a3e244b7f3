# libFuzzer targets of what the server reads; Clang only (REDQUEEN_FUZZ, as the sandbox's: sandbox/worker/worker.cmake).
# net_connection_fuzz: bytes on a connection. serve_bodies_fuzz: bodies and tokens.

if(REDQUEEN_FUZZ)
  set(net ${CMAKE_SOURCE_DIR}/redqueen/net)
  set(serve ${CMAKE_SOURCE_DIR}/redqueen/serve)
  file(GLOB net_sources CONFIGURE_DEPENDS ${net}/*.cc)
  list(FILTER net_sources EXCLUDE REGEX "_test\\.cc$")
  add_executable(net_connection_fuzz ${net_sources})
  add_executable(serve_bodies_fuzz ${serve}/bodies_fuzz.cc ${serve}/chat_body.cc ${serve}/json_body.cc)
  foreach(target net_connection_fuzz serve_bodies_fuzz)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE redqueen_core OpenSSL::SSL PkgConfig::SIMDJSON)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer,address,undefined)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer,address,undefined)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  endforeach()
endif()
