// The loss that training minimises, token by token, and its derivative in closed form, from which
// the network's backward pass starts. With l the log-probability of the token now, and
// that of the policy before the step l_old, of the sampler l_s, of the reference l_ref, advantage A
// and coefficient c (aggregation.h), the loss is
//
//   Σ c · [ w · max(−A r, −A clip(r, 1 − ε_low, 1 + ε_high)) + β · kl − α · H ]
//
//   r = exp(l − l_old)          PPO: Schulman et al., 2017, eq. 7; ε_low ≠ ε_high: Yu et al., DAPO,
//                               2025, eq. 10
//   dual clip                   for A < 0 the clipped term is at most −A c: Ye et al., 2020, eq. 5
//   w = min(exp(l_old − l_s), C)
//                               truncated importance weight between sampler and trainer: Yao et
//                               al., 2025; as in Ionides, 2008; constant under differentiation
//   kl, with d = l − l_ref      k1: d, k2: d² / 2, k3: e^−d + d − 1 (Schulman, "Approximating KL
//                               divergence", 2020). k1's expected gradient is zero: of use as a
//                               measure, hardly as a penalty
//   H                           entropy of the distribution the token was drawn from
//
// Tokens marked `likelihood` have the loss c · [ −A l + β · kl − α · H ] instead: weighted
// likelihood, with A the weight (reward-weighted regression; supervised training with A = 1).
//
// Differences of log-probabilities are held within ±20 before exp, where the derivative becomes 0:
// nothing overflows.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "redqueen/base/enum_names.h"

namespace redqueen {

enum class KlEstimator { kK1, kK2, kK3 };

inline constexpr auto kKlEstimatorNames = enum_names<KlEstimator>(
    {{"k1", KlEstimator::kK1}, {"k2", KlEstimator::kK2}, {"k3", KlEstimator::kK3}});

struct ObjectiveOptions {
  double clip_low = 0.2;    // ε_low
  double clip_high = 0.28;  // ε_high
  double dual_clip = 0;     // c > 1; 0: off
  KlEstimator kl = KlEstimator::kK3;
  double kl_coefficient = 0;       // β
  double entropy_coefficient = 0;  // α
  double importance_cap = 0;       // C; 0: w = 1
};

// T tokens. Spans have T entries, or none where that is allowed.
struct ObjectiveInput {
  std::span<const float> log_probs;
  std::span<const float> entropy;              // none: not known; needed if α ≠ 0
  std::span<const float> old_log_probs;        // none: equal to log_probs
  std::span<const float> sampler_log_probs;    // none: not known; needed if C ≠ 0
  std::span<const float> reference_log_probs;  // none: no reference; needed if β ≠ 0
  std::span<const float> advantages;
  std::span<const double> coefficients;
  std::span<const std::uint8_t> likelihood;  // none: no such tokens
  bool old_is_sampler = false;               // old_log_probs are the sampler's
  // No update was made since the tokens were sampled: sampler and trainer differ by numerics alone.
  // Otherwise they are compared only if old_log_probs are the trainer's own.
  bool same_policy = true;
};

// Sums over tokens, from which the means of a step are made. Unweighted: every token counts once.
struct ObjectiveSums {
  double tokens = 0;
  double clipped_low = 0;   // ratio below 1 − ε_low and A < 0: no gradient
  double clipped_high = 0;  // ratio above 1 + ε_high and A > 0: no gradient
  double dual_clipped = 0;
  double old_kl = 0;        // k3 estimate between the policy before the step and now
  double reference_kl = 0;  // k3 estimate between the reference and now
  double entropy = 0;       // exact where entropies are given, else estimated by −l
  double ratio = 0;
  double min_ratio = std::numeric_limits<double>::infinity();
  double max_ratio = 0;
  double importance = 0;         // w
  double importance_capped = 0;  // tokens with w = C
  // Between sampler and trainer of the same parameters, with m = l_old − l_s, or l − l_s where
  // l_old is the sampler's:
  double compared = 0;  // tokens; 0 if the sampler's log-probabilities are not known
  double mismatch = 0;  // |m|
  double max_mismatch = 0;
  double sampler_kl = 0;  // e^m − 1 − m, the k3 estimate of KL(sampler ‖ trainer)

  ObjectiveSums& operator+=(const ObjectiveSums& other);
};

struct ObjectiveResult {
  double loss = 0;
  std::vector<float> log_prob_gradient;  // ∂ loss / ∂ log_probs, [T]
  std::vector<float> entropy_gradient;   // ∂ loss / ∂ entropy, [T]; empty if α = 0
  std::int64_t first_non_finite =
      -1;  // token whose log-probability, loss or derivative is not finite; −1: none
  ObjectiveSums sums;
};

ObjectiveResult objective(const ObjectiveInput& input, const ObjectiveOptions& options);

}  // namespace redqueen
