# The toolchain file of the Clang presets: the Clang that scripts/packages.txt names for this system, whose packages bear its version
# in their names, or `clang++` on a system that is not listed.
execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/../scripts/packages checks OUTPUT_VARIABLE clang_packages ERROR_QUIET)
string(REGEX MATCH "clang(-[0-9]+)" clang_package "${clang_packages}")
set(clang_program clang++${CMAKE_MATCH_1})
find_program(CMAKE_CXX_COMPILER ${clang_program})
if(NOT CMAKE_CXX_COMPILER)
  message(FATAL_ERROR "There is no ${clang_program}: run `scripts/bootstrap checks`.")
endif()
