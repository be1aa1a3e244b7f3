# Everything that the build takes from outside; docs/dependencies.md says why each was chosen.

find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Boost 1.74 REQUIRED CONFIG)  # headers only
find_package(tl-expected REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_package(PkgConfig REQUIRED)

add_library(redqueen_toml INTERFACE)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus)
target_link_libraries(redqueen_toml INTERFACE PkgConfig::TOMLPLUSPLUS)

pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
add_library(PCRE2::8bit ALIAS PkgConfig::PCRE2)

find_package(ICU REQUIRED COMPONENTS uc)  # Unicode normalisation of tokenizers

find_package(CURL REQUIRED)  # remote policies
find_package(ZLIB REQUIRED)  # packed tests of data sets, packed bodies of requests

# Values of answers in mathematics: residues and intervals. Debian 12 has Arb beside FLINT, later ones in it.
find_library(FLINT_LIBRARY flint REQUIRED)
find_library(ARB_LIBRARY flint-arb)
find_library(GMP_LIBRARY gmp REQUIRED)  # functions in FLINT's headers call it
add_library(redqueen_flint INTERFACE)
target_link_libraries(redqueen_flint INTERFACE $<$<BOOL:${ARB_LIBRARY}>:${ARB_LIBRARY}> ${FLINT_LIBRARY} ${GMP_LIBRARY})

find_package(OpenSSL REQUIRED)  # TLS of the server
pkg_check_modules(SIMDJSON REQUIRED IMPORTED_TARGET simdjson)  # what it is asked

# Small allocations make up a good part of generating a problem. Sanitizers bring an allocator of their own.
if(NOT REDQUEEN_SANITIZE)
  find_library(REDQUEEN_MIMALLOC mimalloc)
endif()

# Charts of the report as PNG.
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)

# The sandbox embeds CPython and filters system calls.
set(Python3_ROOT_DIR /usr)  # the system's Python, whatever shims stand before it in PATH
set(Python3_FIND_STRATEGY LOCATION)
set(Python3_FIND_VIRTUALENV STANDARD)
find_package(Python3 3.11 COMPONENTS Interpreter Development.Embed REQUIRED)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)
add_library(redqueen_sandbox_deps INTERFACE)
target_link_libraries(redqueen_sandbox_deps INTERFACE Python3::Python PkgConfig::SECCOMP)

# The extension module of the Python package is compiled for the Python of .venv, or for one that is named.
if(REDQUEEN_SANITIZE)
  set(python_by_default OFF)  # an extension with sanitizers wants a Python with sanitizers
else()
  set(python_by_default ON)
endif()
option(REDQUEEN_PYTHON "Build the Python package, where nanobind is installed" ${python_by_default})
if(NOT Python_EXECUTABLE AND EXISTS ${CMAKE_SOURCE_DIR}/.venv/bin/python)
  set(Python_EXECUTABLE ${CMAKE_SOURCE_DIR}/.venv/bin/python)
endif()

option(REDQUEEN_TORCH "Build the half that needs libtorch: models, training, the command line" ON)
if(REDQUEEN_TORCH)
  include(${CMAKE_CURRENT_LIST_DIR}/Torch.cmake)
endif()
