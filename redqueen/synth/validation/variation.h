// Layer 4: finds out whether problems vary over seeds and levels, from prompts and references
// alone.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "redqueen/synth/validation/validation.h"

namespace redqueen::synth {

// A problem as layer 4 sees it.
struct ProblemSample {
  int level = 0;
  int seed_index = 0;  // the same seed at every level has the same index
  std::string prompt;
  std::string reference;  // any text that is equal exactly for equal references
};

struct ValidationFinding {
  ValidationFault fault = ValidationFault::kNone;
  std::string sentence;
};

// kPromptsConstant: at some level above the lowest all prompts are the same, or overall fewer than
// a quarter differ. kAnswersConstant: whoever knows the level and gives its most frequent answer is
// right in more than `largest_majority` of all problems, or of those of the highest level.
// kDifficultyIgnored: equal seeds give equal prompts at the lowest and the highest level; or no
// feature of the prompts (length, count of numbers, each number by its place or by the letters in
// front of it, length and size of the reference)
// tells the two levels apart: for none is the chance that a problem of the highest level exceeds
// one of the lowest (ties half) further than 0.27 from one half.
ValidationFinding check_variation(std::span<const ProblemSample> samples, double largest_majority);

// Computes that chance for two samples; 0.5 if either is empty.
double chance_to_exceed(std::span<const double> low, std::span<const double> high);

}  // namespace redqueen::synth
