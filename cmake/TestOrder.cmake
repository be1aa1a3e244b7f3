# CTest starts the most expensive tests first, so that no core waits at the end for one long test. It learns what tests cost
# from its own runs, and a fresh build folder, as in continuous integration, has none: so the longest have their cost here,
# in seconds of one core.
foreach(test_and_cost IN ITEMS python_adapters=170 arena=110 configs=100 python_package=60 cli.1=70 cli.2=55 cli.3=60 cli.4=70
        commands=60 sandbox.1=25 sandbox.3=30 synth.2=25 synth.3=25)
  string(REPLACE "=" ";" pair ${test_and_cost})
  list(GET pair 0 test)
  list(GET pair 1 cost)
  if(TEST ${test})
    set_tests_properties(${test} PROPERTIES COST ${cost})
  endif()
endforeach()
