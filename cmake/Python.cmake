# The Python package. Target redqueen_python makes the extension module redqueen._native of the libraries that are there
# already, and build/python/redqueen, which is the package as a user imports it: PYTHONPATH=build/python.

find_package(Python 3.10 COMPONENTS Interpreter Development.Module QUIET)
if(Python_FOUND AND NOT nanobind_ROOT)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                  OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT ERROR_QUIET)
endif()
if(NOT nanobind_ROOT)
  message(STATUS "Python package: left out, for ${Python_EXECUTABLE} has no nanobind (scripts/bootstrap installs it)")
  return()
endif()
find_package(nanobind CONFIG REQUIRED)

set(package ${CMAKE_SOURCE_DIR}/python/redqueen)
set(built_package ${CMAKE_BINARY_DIR}/python/redqueen)
file(GLOB native_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/native/*.cc)
# Split mode: the module leans on the package nanobind-backend, and so one binary serves every Python from 3.10 on.
nanobind_add_module(redqueen_python BACKEND_MODULE nanobind_backend NB_SUPPRESS_WARNINGS NOMINSIZE NOSTRIP ${native_sources})
target_include_directories(redqueen_python PRIVATE ${CMAKE_SOURCE_DIR})
target_sources(redqueen_python PRIVATE $<TARGET_OBJECTS:redqueen_gym>)
target_link_libraries(redqueen_python PRIVATE redqueen_gym redqueen_engine)
# Nothing of ours is seen by other extensions, and nothing of theirs by us.
# What the arena's server needs of OpenSSL is not in the module, and so the library is not asked for.
target_link_options(redqueen_python PRIVATE -Wl,--as-needed -Wl,--gc-sections -Wl,--exclude-libs,ALL)
set_target_properties(redqueen_python PROPERTIES OUTPUT_NAME _native LIBRARY_OUTPUT_DIRECTORY ${built_package})

# The files of the package stay where they are edited; the build adds what is made.
file(MAKE_DIRECTORY ${built_package})
file(GLOB package_files CONFIGURE_DEPENDS ${package}/*)
foreach(file ${package_files} ${CMAKE_SOURCE_DIR}/configs)
  get_filename_component(name ${file} NAME)
  if(NOT name STREQUAL "__pycache__")
    file(CREATE_LINK ${file} ${built_package}/${name} SYMBOLIC)
  endif()
endforeach()
add_dependencies(redqueen_python redqueen-sandbox-worker)
add_custom_command(TARGET redqueen_python POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink
  $<TARGET_FILE:redqueen-sandbox-worker> ${built_package}/redqueen-sandbox-worker)

# The tests, and the snippets of docs/python.md, against the build tree. -B: the sources stay clean.
add_test(NAME python_package WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  COMMAND ${Python_EXECUTABLE} -B -m pytest -q -rs -p no:cacheprovider python/tests)
set_tests_properties(python_package PROPERTIES LABELS python TIMEOUT 900
  ENVIRONMENT "PYTHONPATH=${CMAKE_BINARY_DIR}/python;OMP_NUM_THREADS=1")

# What goes into the wheel besides python/redqueen (python/pyproject.toml): --component python.
install(TARGETS redqueen_python LIBRARY DESTINATION redqueen COMPONENT python EXCLUDE_FROM_ALL)
install(TARGETS redqueen-sandbox-worker RUNTIME DESTINATION redqueen COMPONENT python EXCLUDE_FROM_ALL)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/configs DESTINATION redqueen COMPONENT python EXCLUDE_FROM_ALL)
# The library of the sandbox's interpreter, less what its programs may not use and what wants other libraries. Without
# _hashlib hashlib takes CPython's own code, the same on every machine.
get_filename_component(python_library ${Python3_STDLIB} NAME)
install(DIRECTORY ${Python3_STDLIB}/ DESTINATION redqueen/${python_library} COMPONENT python EXCLUDE_FROM_ALL
  PATTERN __pycache__ EXCLUDE PATTERN test EXCLUDE PATTERN tests EXCLUDE PATTERN idlelib EXCLUDE PATTERN lib2to3 EXCLUDE
  PATTERN tkinter EXCLUDE PATTERN turtledemo EXCLUDE PATTERN ensurepip EXCLUDE PATTERN venv EXCLUDE
  PATTERN pydoc_data EXCLUDE PATTERN dist-packages EXCLUDE PATTERN EXTERNALLY-MANAGED EXCLUDE PATTERN sitecustomize.py EXCLUDE
  PATTERN config-3.* EXCLUDE
  REGEX "/lib-dynload/(_curses|_dbm|_hashlib|_tkinter|_ssl|_sqlite3|_test|_xx|xx|nis|ossaudiodev|readline)[^/]*[.]so$" EXCLUDE)
