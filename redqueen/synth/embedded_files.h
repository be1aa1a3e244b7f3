// The Python that the sandbox loads before a policy's code, and a list of words, as text; the build
// embeds them (harness/harness.cmake, validation/words.cmake).
#pragma once

#include <string_view>

namespace redqueen::synth {

std::string_view base_source();       // configs/evoenv/base.py: what environments derive from
std::string_view inspector_source();  // harness/inspector.py: reads source without running it
std::string_view harness_source();    // harness/harness.py: hosts one environment
std::string_view layers_source();     // harness/layers.py: layers 2 to 4 of validation
std::string_view probes_source();     // harness/probes.py: layer 5
std::string_view inputs_source();     // harness/inputs.py: layer 5, what answers depend on
std::string_view statement_source();  // harness/statement.py: layer 5, words against code, unrun

// The lower-case words of English that spelling.h knows, one a line, in the order of their bytes.
std::string_view english_words();

}  // namespace redqueen::synth
