// Draws a token from a distribution: top-k, top-p, min-p, and one uniform number.
#pragma once

#include <span>
#include <vector>

#include "redqueen/policy/policy.h"

namespace redqueen {

// The tokens that may be drawn: those that rank before `last` when ordered by falling probability,
// then by number, and `last` itself.
struct Cut {
  float probability;  // of `last`
  Token last;
  bool allows(float other, Token token) const {
    return other > probability || (other == probability && token <= last);
  }
};

// The cut that top-k, then top-p of what top-k left, then min-p make, each where it is on. At least
// one token remains. `scratch` keeps its memory between calls.
Cut find_cut(std::span<const float> probabilities, const SampleParameters& parameters,
             std::vector<Token>& scratch);

// True if any of top-k, top-p and min-p is on.
bool cuts(const SampleParameters& parameters);

// The first token, in the order of their numbers, at which the cumulative probability of the tokens
// that may be drawn exceeds `uniform` × their sum. probabilities: the whole vocabulary's, not
// negative, one at least positive. uniform ∈ [0, 1).
Token draw_token(std::span<const float> probabilities, const SampleParameters& parameters,
                 double uniform, std::vector<Token>& scratch);

}  // namespace redqueen
