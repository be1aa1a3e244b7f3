// Weighs the losses of tokens into one loss. The coefficients are worked out for a whole mini-batch
// before it is cut into micro-batches, so that accumulated gradients are those of the uncut
// mini-batch.
//
// Given tokens (rollout.h) do not count: with T drawn tokens in R responses that have any, a token
// of a response with n of them has the coefficient
//   kTokenMean       1 / T             DAPO: Yu et al., 2025, eq. 12
//   kSequenceMean    1 / (R n)         GRPO: Shao et al., 2024, eq. 3
//   kConstantLength  1 / (R L)         Dr. GRPO: Liu et al., 2025, with L fixed (the longest
//   response allowed)
// whatever its group's loss_weight is (advantage.h). Responses without one count for nothing.
#pragma once

#include <span>
#include <vector>

#include "redqueen/base/enum_names.h"
#include "redqueen/train/rollout.h"

namespace redqueen {

enum class Aggregation { kTokenMean, kSequenceMean, kConstantLength };

struct AggregationOptions {
  Aggregation rule = Aggregation::kTokenMean;
  double constant_length = 1024;  // L, tokens; positive
  // T and R are counted within each role, and the loss is the sum of the roles' losses (EvoEnv,
  // equation 8); otherwise they are counted over the whole mini-batch.
  bool per_role = false;
};

inline constexpr auto kAggregationNames =
    enum_names<Aggregation>({{"token_mean", Aggregation::kTokenMean},
                             {"sequence_mean", Aggregation::kSequenceMean},
                             {"constant_length", Aggregation::kConstantLength}});

// The coefficient of every drawn token of each rollout, in the order group, rollout.
std::vector<double> token_coefficients(std::span<const ScoredGroup> groups,
                                       const AggregationOptions& options);

}  // namespace redqueen
