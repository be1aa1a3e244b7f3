# The Python that hosts and validates environments, as text (harness.h).
set(harness ${CMAKE_SOURCE_DIR}/redqueen/synth/harness)
redqueen_embed(redqueen_synth synth::base_source ${CMAKE_SOURCE_DIR}/configs/evoenv/base.py)
redqueen_embed(redqueen_synth synth::inspector_source ${harness}/inspector.py)
redqueen_embed(redqueen_synth synth::harness_source ${harness}/harness.py)
redqueen_embed(redqueen_synth synth::layers_source ${harness}/layers.py)
redqueen_embed(redqueen_synth synth::probes_source ${harness}/probes.py)
redqueen_embed(redqueen_synth synth::inputs_source ${harness}/inputs.py)
redqueen_embed(redqueen_synth synth::statement_source ${harness}/statement.py)

# The test that holds the seeds against their native twins needs those environments, and no other.
foreach(twin sequences/sorting sequences/sliding_window sequences/monotonic_stack sequences/fibonacci
             optimization/knapsack optimization/subset_sum counting/bounded_interval_intersection graphs/bridge
             games/euclid_game strings/recursive_function common/graph/edges common/graph/tree
             common/parameter/random_integer)
  target_sources(synth_test PRIVATE ${CMAKE_SOURCE_DIR}/redqueen/gym/${twin}.cc)
endforeach()
