#include "redqueen/train/objective.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace redqueen {
namespace {

constexpr double kMaxLogRatio = 20;

// A term of the loss and its derivative by the token's log-probability.
struct Term {
  double value = 0;
  double slope = 0;
};

double bounded_exp(double x) { return std::exp(std::clamp(x, -kMaxLogRatio, kMaxLogRatio)); }

bool bounded(double x) { return std::abs(x) >= kMaxLogRatio; }

Term clipped_term(double log_ratio, double advantage, const ObjectiveOptions& options,
                  ObjectiveSums& sums) {
  const double ratio = bounded_exp(log_ratio);
  const double clipped_ratio = std::clamp(ratio, 1 - options.clip_low, 1 + options.clip_high);
  const Term clipped{-advantage * clipped_ratio, 0};
  Term term{-advantage * ratio, bounded(log_ratio) ? 0 : -advantage * ratio};
  if (clipped.value > term.value) {
    (advantage < 0 ? sums.clipped_low : sums.clipped_high) += 1;
    term = clipped;
  }
  if (options.dual_clip > 0 && advantage < 0 && term.value > -advantage * options.dual_clip) {
    sums.dual_clipped += 1;
    term = {-advantage * options.dual_clip, 0};
  }
  return term;
}

// d = l − l_ref.
Term kl_term(double d, KlEstimator estimator) {
  switch (estimator) {
    case KlEstimator::kK1:
      return {d, 1};
    case KlEstimator::kK2:
      return {d * d / 2, d};
    case KlEstimator::kK3:
      return {bounded_exp(-d) + d - 1, 1 - (bounded(d) ? 0 : bounded_exp(-d))};
  }
  return {};
}

double importance_weight(double trainer, double sampler, double cap, ObjectiveSums& sums) {
  const double weight = std::min(bounded_exp(trainer - sampler), cap);
  sums.importance_capped += weight >= cap ? 1 : 0;
  return weight;
}

void count_ratio(double log_ratio, ObjectiveSums& sums) {
  const double ratio = bounded_exp(log_ratio);
  sums.ratio += ratio;
  sums.min_ratio = std::min(sums.min_ratio, ratio);
  sums.max_ratio = std::max(sums.max_ratio, ratio);
  sums.old_kl += ratio - 1 - log_ratio;
}

void count_mismatch(double trainer, double sampler, ObjectiveSums& sums) {
  const double m = trainer - sampler;
  sums.compared += 1;
  sums.mismatch += std::abs(m);
  sums.max_mismatch = std::max(sums.max_mismatch, std::abs(m));
  sums.sampler_kl += bounded_exp(m) - 1 - m;
}

// The loss of token t without its coefficient and entropy.
Term token_loss(const ObjectiveInput& input, std::size_t t, const ObjectiveOptions& options,
                ObjectiveSums& sums) {
  const double now = input.log_probs[t];
  const double old = input.old_log_probs.empty() ? now : input.old_log_probs[t];
  const double advantage = input.advantages[t];
  count_ratio(now - old, sums);

  Term term;
  double weight = 1;
  if (!input.sampler_log_probs.empty()) {
    if (input.same_policy || !input.old_is_sampler) {
      count_mismatch(input.old_is_sampler ? now : old, input.sampler_log_probs[t], sums);
    }
    if (options.importance_cap > 0) {
      weight = importance_weight(old, input.sampler_log_probs[t], options.importance_cap, sums);
    }
  }
  sums.importance += weight;
  if (!input.likelihood.empty() && input.likelihood[t] != 0) {
    term = {-advantage * now, -advantage};
  } else {
    term = clipped_term(now - old, advantage, options, sums);
    term = {weight * term.value, weight * term.slope};
  }
  if (!input.reference_log_probs.empty()) {
    const double d = now - input.reference_log_probs[t];
    sums.reference_kl += kl_term(d, KlEstimator::kK3).value;
    const Term kl = kl_term(d, options.kl);
    term.value += options.kl_coefficient * kl.value;
    term.slope += options.kl_coefficient * kl.slope;
  }
  return term;
}

}  // namespace

ObjectiveSums& ObjectiveSums::operator+=(const ObjectiveSums& other) {
  tokens += other.tokens;
  clipped_low += other.clipped_low;
  clipped_high += other.clipped_high;
  dual_clipped += other.dual_clipped;
  old_kl += other.old_kl;
  reference_kl += other.reference_kl;
  entropy += other.entropy;
  ratio += other.ratio;
  min_ratio = std::min(min_ratio, other.min_ratio);
  max_ratio = std::max(max_ratio, other.max_ratio);
  importance += other.importance;
  importance_capped += other.importance_capped;
  compared += other.compared;
  mismatch += other.mismatch;
  max_mismatch = std::max(max_mismatch, other.max_mismatch);
  sampler_kl += other.sampler_kl;
  return *this;
}

ObjectiveResult objective(const ObjectiveInput& input, const ObjectiveOptions& options) {
  ObjectiveResult result;
  const std::size_t tokens = input.log_probs.size();
  result.log_prob_gradient.resize(tokens);
  if (options.entropy_coefficient != 0) result.entropy_gradient.resize(tokens);
  for (std::size_t t = 0; t < tokens; ++t) {
    const double coefficient = input.coefficients[t];
    Term term = token_loss(input, t, options, result.sums);
    const double entropy = input.entropy.empty() ? -input.log_probs[t] : input.entropy[t];
    result.sums.entropy += entropy;
    if (options.entropy_coefficient != 0) {
      term.value -= options.entropy_coefficient * entropy;
      result.entropy_gradient[t] = static_cast<float>(-coefficient * options.entropy_coefficient);
    }
    result.loss += coefficient * term.value;
    result.log_prob_gradient[t] = static_cast<float>(coefficient * term.slope);
    const bool finite = std::isfinite(input.log_probs[t]) && std::isfinite(term.value) &&
                        std::isfinite(result.log_prob_gradient[t]);
    if (!finite && result.first_non_finite < 0) {
      result.first_non_finite = t;
    }
  }
  result.sums.tokens = static_cast<double>(tokens);
  return result;
}

}  // namespace redqueen
