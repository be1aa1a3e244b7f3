# redqueen_box2d(target folder user…)
#
# Compiles Box2D 2.3 into `target`, for the sources of `folder`, and defines REDQUEEN_BOX2D for the sources `user`. It comes from the
# source distribution of box2d-py, which scripts/bootstrap puts into .venv/src; Debian's libbox2d is 2.4, which moves otherwise.
# Where it is not there, the sources of `folder` are left out, and what they hold runs in Python.
file(STRINGS ${CMAKE_SOURCE_DIR}/scripts/sources.txt box2d_pin REGEX "^box2d-py==")
string(REGEX MATCH "==([0-9.]+) --hash=sha256:([0-9a-f]+)" box2d_pin "${box2d_pin}")
set(box2d_name box2d-py-${CMAKE_MATCH_1})
set(box2d_hash ${CMAKE_MATCH_2})
set(REDQUEEN_BOX2D ${CMAKE_SOURCE_DIR}/.venv/src/${box2d_name}.tar.gz CACHE FILEPATH "Source distribution of box2d-py")

# Unpacks it into `folder`, and again when it has changed. Two things are not as PyPI has them: what breaks a promise of the
# library ends the program, as assertions do, where Python would raise an exception; and its counters of calls, which all worlds
# share, become those of a thread.
function(redqueen_unpack_box2d folder)
  set(stamp ${folder}/unpacked)
  file(SHA256 ${CMAKE_CURRENT_FUNCTION_LIST_FILE} recipe)
  if(EXISTS ${stamp})
    file(READ ${stamp} unpacked)
    if(unpacked STREQUAL "${box2d_hash} ${recipe}")
      return()
    endif()
  endif()
  file(REMOVE_RECURSE ${folder})
  file(ARCHIVE_EXTRACT INPUT ${REDQUEEN_BOX2D} DESTINATION ${folder} PATTERNS */Box2D/*.cpp */Box2D/*.h)
  file(RENAME ${folder}/${box2d_name}/Box2D ${folder}/Box2D)
  foreach(change
      "Common/b2Settings.h|#define USE_EXCEPTIONS|#include <cfloat>"
      "Collision/b2Distance.cpp|int32 b2_gjkCalls|thread_local int32 b2_gjkCalls"
      "Collision/b2TimeOfImpact.cpp|float32 b2_toiTime|thread_local float32 b2_toiTime"
      "Collision/b2TimeOfImpact.cpp|int32 b2_toiCalls|thread_local int32 b2_toiCalls"
      "Collision/b2TimeOfImpact.cpp|int32 b2_toiRootIters|thread_local int32 b2_toiRootIters")
    string(REPLACE "|" ";" change "${change}")
    list(GET change 0 file)
    list(GET change 1 old)
    list(GET change 2 new)
    file(READ ${folder}/Box2D/${file} text)
    string(REPLACE "${old}" "${new}" text "${text}")
    file(WRITE ${folder}/Box2D/${file} "${text}")
  endforeach()
  file(GLOB_RECURSE parts RELATIVE ${folder} ${folder}/Box2D/*.cpp)
  list(TRANSFORM parts REPLACE "(.+)" "#include \"\\1\"\n")
  list(JOIN parts "" text)
  file(WRITE ${folder}/box2d.cc "${text}")  # one file, because each would read the same headers
  file(WRITE ${stamp} "${box2d_hash} ${recipe}")
endfunction()

function(redqueen_box2d target folder)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
  file(GLOB archive CONFIGURE_DEPENDS ${REDQUEEN_BOX2D})
  if(NOT archive)
    message(STATUS "Box2D: no ${REDQUEEN_BOX2D} (scripts/bootstrap fetches it): LunarLander and BipedalWalker run in Python")
    set_source_files_properties(${sources} PROPERTIES HEADER_FILE_ONLY ON)
    return()
  endif()
  file(SHA256 ${archive} hash)
  if(NOT hash STREQUAL box2d_hash)
    message(FATAL_ERROR "${archive} is not the file of scripts/sources.txt: remove it and run scripts/bootstrap.")
  endif()
  set(unpacked ${CMAKE_BINARY_DIR}/box2d)
  redqueen_unpack_box2d(${unpacked})
  target_sources(${target} PRIVATE ${unpacked}/box2d.cc)
  # Rounded as in the wheel, which was compiled for processors that do not fuse products and sums; warnings are not ours.
  set_source_files_properties(${unpacked}/box2d.cc PROPERTIES SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS "-I${unpacked};-ffp-contract=off;-w")
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -isystem ${unpacked})
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_DEFINITIONS REDQUEEN_BOX2D)
endfunction()
