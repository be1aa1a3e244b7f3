# Sets `sources` to what gpu_bench is linked of; `cmake -P sources.cmake` prints it, a path a line, for gpu_pack.sh.
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(folders core text checkpoint policy model decode embedded train)
list(TRANSFORM folders PREPEND ${root}/redqueen/)
list(TRANSFORM folders APPEND /*.cc OUTPUT_VARIABLE patterns)
file(GLOB_RECURSE sources ${patterns})
list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$|/example_[a-z_]+\\.cc$|/(precompiled|source_dir)\\.cc$")
# Policies behind endpoints need libcurl, and the benchmark has none.
list(FILTER sources EXCLUDE REGEX "/(chat_endpoint|endpoint_calls|remote_policy|token_endpoint)\\.cc$")
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  list(JOIN sources "\n" text)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${text}")
endif()
