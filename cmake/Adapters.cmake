# The client and the adapters in Python (python/redqueen/connect.py, adapters/), against the program and against those
# trainers that .venv has. scripts/check_trainers has the others.
if(NOT TARGET redqueen OR NOT TARGET redqueen_python)  # a wheel's build has the one, a build without nanobind the other
  return()
endif()
set(adapters_python ${CMAKE_SOURCE_DIR}/.venv/bin/python)
execute_process(COMMAND ${adapters_python} -c "import pytest" RESULT_VARIABLE without_pytest OUTPUT_QUIET ERROR_QUIET)
if(without_pytest)
  message(STATUS "Python adapters: not tested, for .venv has no pytest (scripts/bootstrap installs it)")
  return()
endif()
# What scripts/requirements.txt puts into .venv: where one of these is missing, its tests fail and are not skipped.
set(adapters_trainers trl,transformers,torch,datasets,gymnasium,yaml,pyarrow)
add_test(NAME python_adapters WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  COMMAND ${adapters_python} -B -m pytest -q -rs -p no:cacheprovider python/adapter_tests)
set_tests_properties(python_adapters PROPERTIES LABELS python TIMEOUT 1800
  ENVIRONMENT "PYTHONPATH=${CMAKE_BINARY_DIR}/python:${CMAKE_SOURCE_DIR}/python;REDQUEEN_BINARY=$<TARGET_FILE:redqueen>;OMP_NUM_THREADS=1;REDQUEEN_TRAINERS=${adapters_trainers}")
