// From token losses to one loss: how much each token counts. The coefficients are worked out for a
// whole mini-batch before it is cut into micro-batches, so that accumulated gradients are those of
// the uncut mini-batch.
//
// With T response tokens in R non-empty responses, a token of a response of length n has the
// coefficient
//   kTokenMean       1 / T             DAPO: Yu et al., 2025, eq. 12
//   kSequenceMean    1 / (R n)         GRPO: Shao et al., 2024, eq. 3
//   kConstantLength  1 / (R L)         Dr. GRPO: Liu et al., 2025, with L fixed (the longest
//   response allowed)
// times the loss weight of its group. Empty responses count for nothing.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/train/rollout.h"

namespace redqueen {

enum class Aggregation { kTokenMean, kSequenceMean, kConstantLength };

struct AggregationOptions {
  Aggregation rule = Aggregation::kTokenMean;
  double constant_length = 1024;  // L, tokens; positive
  // T and R are counted within each role, and the loss is the sum of the roles' losses (EvoEnv:
  // L_solver + 0.3 L_gen); otherwise they are counted over the whole mini-batch.
  bool per_role = false;
};

// "token_mean", "sequence_mean", "constant_length".
Expected<Aggregation> aggregation(std::string_view name);

// The coefficient of every token of each rollout, in the order group, rollout.
std::vector<double> token_coefficients(std::span<const ScoredGroup> groups,
                                       const AggregationOptions& options);

}  // namespace redqueen
