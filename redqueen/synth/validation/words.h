// The word list of spelling.h, embedded when the engine is built (words.cmake).
#pragma once

#include <string_view>

namespace redqueen::synth {

// A word a line, in lower case, in the order of their bytes.
std::string_view english_words();

}  // namespace redqueen::synth
