# redqueen-sandbox-worker: a program of its own, so that what forks thousands of times a second stays small (no libtorch)
# and the engine itself never starts Python. Sanitizers reserve terabytes of address space, which the memory limit of a
# child forbids; so it is always built without.
include(CheckCXXSourceCompiles)
file(GLOB worker_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/redqueen/sandbox/worker/*.cc)
add_executable(redqueen-sandbox-worker ${worker_sources}
  ${CMAKE_SOURCE_DIR}/redqueen/sandbox/config.cc ${CMAKE_SOURCE_DIR}/redqueen/sandbox/job.cc
  ${CMAKE_SOURCE_DIR}/redqueen/sandbox/wire.cc)
target_include_directories(redqueen-sandbox-worker PRIVATE ${CMAKE_SOURCE_DIR})
redqueen_embed(redqueen-sandbox-worker sandbox::runtime_source ${CMAKE_SOURCE_DIR}/redqueen/sandbox/worker/runtime.py)
find_library(archive_seccomp libseccomp.a)
if(NOT archive_seccomp)
  set(archive_seccomp PkgConfig::SECCOMP)
endif()
target_link_libraries(redqueen-sandbox-worker PRIVATE ${archive_seccomp} fmt::fmt-header-only tl::expected)
target_include_directories(redqueen-sandbox-worker PRIVATE ${Python3_INCLUDE_DIRS})
# The version of Python that programs run in, for those who ask (sandbox/python_version.h).
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/embedded/python_version.txt CONTENT "${Python3_VERSION}")
redqueen_embed(redqueen_sandbox sandbox::python_version ${CMAKE_BINARY_DIR}/embedded/python_version.txt)
# Every mapping of a library is copied by every fork, and every page of its code is a fault in every child: one program
# at a fixed address, whose code huge_text.cc can move, halves the cost of a job. Where the distribution has no static
# libpython, or one that does not link (Debian 13's lacks the code of SHA-2), the shared one does.
target_link_options(redqueen-sandbox-worker PRIVATE -static-libstdc++ -static-libgcc)
set(python_version ${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR})
set(python_archive ${Python3_STDLIB}/config-${python_version}-${CMAKE_LIBRARY_ARCHITECTURE}/libpython${python_version}.a)
if(EXISTS ${python_archive})
  execute_process(COMMAND ${Python3_EXECUTABLE} -c
    "import sysconfig; print(*[sysconfig.get_config_var(v) or '' for v in ('MODLIBS', 'LIBS', 'SYSLIBS')])"
    OUTPUT_VARIABLE python_libraries OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(python_libraries)
  list(REMOVE_DUPLICATES python_libraries)
  list(FILTER python_libraries INCLUDE REGEX "^(-|/)")  # no files of the folder in which Python was built
  foreach(name z expat)
    find_library(archive_${name} lib${name}.a)
    if(archive_${name})
      list(TRANSFORM python_libraries REPLACE "^-l${name}$" "${archive_${name}}")
    endif()
  endforeach()
  set(python_libraries -Wl,--whole-archive ${python_archive} -Wl,--no-whole-archive ${python_libraries})
  set(CMAKE_REQUIRED_LIBRARIES ${python_libraries})
  set(CMAKE_REQUIRED_LINK_OPTIONS -no-pie -rdynamic)
  check_cxx_source_compiles("int main() {}" REDQUEEN_STATIC_PYTHON)
  unset(CMAKE_REQUIRED_LIBRARIES)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
endif()
if(REDQUEEN_STATIC_PYTHON)
  # Extension modules look for Python's functions in the program.
  target_link_libraries(redqueen-sandbox-worker PRIVATE ${python_libraries})
  set_target_properties(redqueen-sandbox-worker PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(redqueen-sandbox-worker PRIVATE -fno-pie)
  target_link_options(redqueen-sandbox-worker PRIVATE
    -no-pie -rdynamic -Wl,-z,separate-code -Wl,-z,now -Wl,-z,max-page-size=2097152)
else()
  target_link_libraries(redqueen-sandbox-worker PRIVATE Python3::Python)
endif()
target_compile_definitions(redqueen-sandbox-worker PRIVATE REDQUEEN_PYTHON_STDLIB="${Python3_STDLIB}")
if(REDQUEEN_SANITIZE)
  target_compile_options(redqueen-sandbox-worker PRIVATE -fno-sanitize=all)
  target_link_options(redqueen-sandbox-worker PRIVATE -fno-sanitize=all)
endif()
set_target_properties(redqueen-sandbox-worker PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
add_dependencies(redqueen_sandbox redqueen-sandbox-worker)

# What a sanitizer can see is the host's side; a minute of it, for every run of continuous integration. Left out: tests that
# fork the host (the thread sanitizer cannot follow), the soak, and most attacks.
if(REDQUEEN_SANITIZE)
  set(attacks crash_null equality_always file_passwd inspect_modules kernel_ptrace loop_pure memory_string network_tcp
    output_forged_frame output_half_frame output_print_flood process_exec)
  list(TRANSFORM attacks PREPEND "Corpus/*/")
  list(JOIN attacks ":" attacks)
  add_test(NAME sandbox-quick WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} COMMAND sandbox_test
    "--gtest_filter=Wire.*:SandboxRequest.*:ValidUtf8.*:SoundJson.*:MakeOutcome.*:SandboxRun.*:SandboxCalls.*:SandboxBatch.*:\
SandboxPreludes.*:SandboxSession.*:SandboxWorkers.*:SandboxLeaks.NothingIsLeftBehind:SandboxLeaks.ForgottenHashSeedsGiveTheirWorkersBack:\
SandboxDeaths.CallsThatNeverStartedRunOnAnotherWorker:SandboxDeaths.ASessionDiesWithItsWorker:\
SandboxDeaths.ClosingAnswersWhatIsStillOpen:SandboxLayers.SayWhenThereIsNoWorker:${attacks}")
  set_tests_properties(sandbox-quick PROPERTIES LABELS sandbox TIMEOUT 900)
  foreach(shard RANGE 1 ${sandbox_shards})
    set_property(TEST sandbox.${shard} APPEND PROPERTY ENVIRONMENT TSAN_OPTIONS=die_after_fork=0)
  endforeach()
endif()

# The fuzz targets; Clang only. sandbox_wire_fuzz: frames in both directions. sandbox_arguments_fuzz: the readers of plain
# arguments and of canonical texts, held against Python (which itself is not instrumented).
option(REDQUEEN_FUZZ "Build the libFuzzer targets (*_fuzz.cc)" OFF)
if(REDQUEEN_FUZZ)
  set(sandbox_folder ${CMAKE_SOURCE_DIR}/redqueen/sandbox)
  add_executable(sandbox_wire_fuzz ${sandbox_folder}/wire_fuzz.cc ${sandbox_folder}/wire.cc
    ${sandbox_folder}/outcome_text.cc ${sandbox_folder}/job.cc ${sandbox_folder}/config.cc)
  add_executable(sandbox_arguments_fuzz ${sandbox_folder}/arguments_fuzz.cc ${sandbox_folder}/worker/plain_arguments.cc
    ${sandbox_folder}/worker/value_text.cc)
  target_include_directories(sandbox_arguments_fuzz PRIVATE ${Python3_INCLUDE_DIRS})
  target_link_libraries(sandbox_arguments_fuzz PRIVATE Python3::Python)
  target_link_libraries(sandbox_wire_fuzz PRIVATE redqueen_core)
  foreach(target sandbox_wire_fuzz sandbox_arguments_fuzz)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE fmt::fmt-header-only tl::expected nlohmann_json::nlohmann_json)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer,address,undefined)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer,address,undefined)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  endforeach()
endif()
