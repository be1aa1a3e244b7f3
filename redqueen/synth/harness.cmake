# The Python that hosts and validates environments becomes part of the library, so that a binary needs no files beside
# it: redqueen/synth/harness/*.py and configs/evoenv/base.py as string constants (harness.h).
set(harness_out ${CMAKE_BINARY_DIR}/redqueen_harness.cc)
set(harness_text "#include \"redqueen/synth/harness.h\"\n\nnamespace redqueen {\n")
foreach(part base:${CMAKE_SOURCE_DIR}/configs/evoenv/base.py
             inspector:${CMAKE_SOURCE_DIR}/redqueen/synth/harness/inspector.py
             harness:${CMAKE_SOURCE_DIR}/redqueen/synth/harness/harness.py
             layers:${CMAKE_SOURCE_DIR}/redqueen/synth/harness/layers.py
             probes:${CMAKE_SOURCE_DIR}/redqueen/synth/harness/probes.py)
  string(REGEX MATCH "^[a-z]+" name ${part})
  string(REGEX REPLACE "^[a-z]+:" "" path ${part})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} content HEX)
  # Bytes, not a raw string: no limit on length, no delimiter to collide with.
  string(REGEX REPLACE "(..)" "0x\\1," content "${content}")
  string(APPEND harness_text "static constexpr unsigned char k_${name}[] = {${content}0};\n"
    "std::string_view ${name}_source() {\n"
    "  return {reinterpret_cast<const char*>(k_${name}), sizeof(k_${name}) - 1};\n}\n")
endforeach()
file(CONFIGURE OUTPUT ${harness_out} CONTENT "${harness_text}}  // namespace redqueen\n" @ONLY)
target_sources(redqueen_synth PRIVATE ${harness_out})

if(TARGET synth_test)
# The test that holds the seeds against their native twins needs those environments, and no other.
foreach(twin sequences/sorting sequences/sliding_window sequences/monotonic_stack sequences/fibonacci
             optimization/knapsack optimization/subset_sum counting/bounded_interval_intersection graphs/bridge
             games/euclid_game strings/recursive_function common/edges common/random_integer)
  target_sources(synth_test PRIVATE ${CMAKE_SOURCE_DIR}/redqueen/gym/${twin}.cc)
endforeach()
endif()
