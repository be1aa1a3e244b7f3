// A prompt and its target text: an example for supervised training.
#pragma once

#include <string>

namespace redqueen {

struct TextPair {
  std::string prompt;
  std::string target;
};

}  // namespace redqueen
