# Everything that the build takes from outside; docs/dependencies.md says why each was chosen.

find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Boost 1.74 REQUIRED)  # headers only
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

# Charts of the report as PNG.
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)

# The sandbox embeds CPython and filters system calls.
set(Python3_ROOT_DIR /usr)  # the system's Python, whatever shims stand before it in PATH
set(Python3_FIND_STRATEGY LOCATION)
set(Python3_FIND_VIRTUALENV STANDARD)
find_package(Python3 3.11 EXACT COMPONENTS Interpreter Development.Embed REQUIRED)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)
add_library(redqueen_sandbox_deps INTERFACE)
target_link_libraries(redqueen_sandbox_deps INTERFACE Python3::Python PkgConfig::SECCOMP)

# libtorch comes from the torch wheel in .venv. Its libraries are linked directly: TorchConfig.cmake of a CUDA wheel
# searches for a CUDA toolkit, which users of the wheel do not have.
set(REDQUEEN_TORCH_DIR "" CACHE PATH "Folder of the Python package torch (default: the one in .venv)")
if(NOT REDQUEEN_TORCH_DIR)
  file(GLOB candidates ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
  if(NOT candidates)
    message(FATAL_ERROR "No torch wheel in ${CMAKE_SOURCE_DIR}/.venv. Run scripts/bootstrap, "
                        "or pass -DREDQUEEN_TORCH_DIR=<folder of the Python package torch>.")
  endif()
  list(GET candidates 0 REDQUEEN_TORCH_DIR)
endif()
add_library(redqueen_torch INTERFACE)
# After the system's folders: the wheel brings headers of another fmt along.
target_compile_options(redqueen_torch INTERFACE
  "SHELL:-idirafter ${REDQUEEN_TORCH_DIR}/include"
  "SHELL:-idirafter ${REDQUEEN_TORCH_DIR}/include/torch/csrc/api/include")
target_link_directories(redqueen_torch INTERFACE ${REDQUEEN_TORCH_DIR}/lib)
target_link_libraries(redqueen_torch INTERFACE torch torch_cpu c10)
target_link_options(redqueen_torch INTERFACE -Wl,-rpath,${REDQUEEN_TORCH_DIR}/lib -Wl,--allow-shlib-undefined)
if(EXISTS ${REDQUEEN_TORCH_DIR}/lib/libtorch_cuda.so)
  # --no-as-needed: the CUDA back end registers itself when it is loaded; nothing refers to it by name.
  target_link_libraries(redqueen_torch INTERFACE
    "-Wl,--push-state,--no-as-needed" torch_cuda c10_cuda "-Wl,--pop-state")
endif()
message(STATUS "libtorch: ${REDQUEEN_TORCH_DIR}")
