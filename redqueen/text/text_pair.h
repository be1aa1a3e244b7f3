// A prompt and what to say to it: what supervised training learns from.
#pragma once

#include <string>

namespace redqueen {

struct TextPair {
  std::string prompt;
  std::string target;
};

}  // namespace redqueen
