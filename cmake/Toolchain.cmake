# How every target is compiled: language, warnings, compiler cache, linker, sanitizers.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(REDQUEEN_SANITIZE "" CACHE STRING "Sanitizers to build with, as for -fsanitize= (e.g. address,undefined)")
set(REDQUEEN_ENVIRONMENTS "" CACHE STRING
    "Build only these native environments (snake-case file names, ';' between them); empty: all")

# Designated initialisers name what matters; what they leave out has its default.
add_compile_options(-Wall -Wextra -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)  # lets ccache see through precompiled headers
  # GCC 12 raises these two inside Boost and nlohmann headers at -O2 and above; see GCC bug 105329 and kin.
  add_compile_options(-Wno-stringop-overflow -Wno-array-bounds -Wno-restrict)
else()
  add_compile_options(-Xclang -fno-pch-timestamp)
endif()

if(REDQUEEN_SANITIZE)
  add_compile_options(-fsanitize=${REDQUEEN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${REDQUEEN_SANITIZE})
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_NODEPEND=1 CCACHE_INODECACHE=1
      ${CCACHE_PROGRAM})
endif()

find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()
