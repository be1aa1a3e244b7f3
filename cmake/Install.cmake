# `cmake --install build --prefix DIR` gives a tree that works from any folder:
#
#   bin/redqueen                  the command; beside it the two programs that it starts, and what their sandbox starts
#   share/redqueen/configs        configurations, suites, prompts, seeds
#
# libtorch is not copied: the program finds it where it was when it was linked.
install(TARGETS redqueen redqueen-with-torch redqueen-torch-free redqueen-sandbox-worker RUNTIME DESTINATION bin)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/configs DESTINATION share/redqueen)
# A program that was built and not installed reads the files of the source tree (engine/resources.h).
file(GENERATE OUTPUT $<TARGET_FILE_DIR:redqueen>/redqueen.source CONTENT "${CMAKE_SOURCE_DIR}\n")

add_test(NAME install COMMAND ${CMAKE_SOURCE_DIR}/scripts/check_install ${CMAKE_BINARY_DIR})
set_tests_properties(install PROPERTIES LABELS cli TIMEOUT 600)

# The half of the house that a server or a Python package is made of.
set(torch_free base core run sandbox text checkpoint policy synth data_sets suites code_tasks net arena watch engine serve)
list(TRANSFORM torch_free REPLACE "(.+)" "$<TARGET_FILE:redqueen_\\1>")
list(APPEND torch_free $<TARGET_OBJECTS:redqueen_gym>)
add_test(NAME torch_free COMMAND ${CMAKE_SOURCE_DIR}/scripts/check_torch_free $<TARGET_FILE:engine_test> ${torch_free}
         COMMAND_EXPAND_LISTS)
set_tests_properties(torch_free PROPERTIES LABELS engine)

# Every file of configs/ starts as it says.
add_test(NAME configs COMMAND ${CMAKE_SOURCE_DIR}/scripts/check_configs $<TARGET_FILE:redqueen>)
set_tests_properties(configs PROPERTIES LABELS cli TIMEOUT 1200)

# The quick starts as they stand, at the smallest sizes.
add_test(NAME quickstart COMMAND ${CMAKE_SOURCE_DIR}/scripts/check_quickstart $<TARGET_FILE:redqueen>)
set_tests_properties(quickstart PROPERTIES LABELS cli TIMEOUT 600)

# The machines that published configurations are for have room for them.
add_test(NAME plans COMMAND ${CMAKE_SOURCE_DIR}/scripts/check_plans $<TARGET_FILE:redqueen>)
set_tests_properties(plans PROPERTIES LABELS cli)

# Every command that a page shows works.
add_test(NAME commands COMMAND ${CMAKE_SOURCE_DIR}/scripts/check_commands $<TARGET_FILE:redqueen>)
set_tests_properties(commands PROPERTIES LABELS cli TIMEOUT 1200)

# bench/gpu.sh without a GPU: what it builds of, its program, its report; and bench/peers.py at its smallest shape.
add_executable(gpu_bench ${CMAKE_SOURCE_DIR}/bench/gpu/gpu_bench.cc)
redqueen_common(gpu_bench redqueen_aten_pch)
target_link_libraries(gpu_bench PRIVATE redqueen_train)
add_test(NAME gpu_bench COMMAND ${CMAKE_SOURCE_DIR}/scripts/check_gpu_bench $<TARGET_FILE:gpu_bench>)
set_tests_properties(gpu_bench PROPERTIES LABELS bench TIMEOUT 600 ENVIRONMENT "OMP_NUM_THREADS=1")
if(CMAKE_BINARY_DIR STREQUAL "${CMAKE_SOURCE_DIR}/build")  # where peers.py looks for train_bench
  add_test(NAME peers COMMAND ${CMAKE_SOURCE_DIR}/scripts/check_peers)
  set_tests_properties(peers PROPERTIES LABELS bench TIMEOUT 900)
endif()
