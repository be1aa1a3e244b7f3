#include "redqueen/recipes/azr/rewards.h"

#include <functional>
#include <numeric>

#include "redqueen/core/verdict.h"

namespace redqueen::azr {

double learnability(double success_rate) {
  return success_rate <= 0.0 || success_rate >= 1.0 ? 0.0 : 1.0 - success_rate;
}

double aggregate(RewardAggregation rule, double r, std::span<const double> intrinsic) {
  if (intrinsic.empty()) return r;
  const double sum = std::accumulate(intrinsic.begin(), intrinsic.end(), 0.0);
  const double product =
      std::accumulate(intrinsic.begin(), intrinsic.end(), 1.0, std::multiplies<>());
  switch (rule) {
    case RewardAggregation::kSum:
      return r + sum;
    case RewardAggregation::kProduct:
      return r * product;
    case RewardAggregation::kSumAndProduct:
      return r + product;
    case RewardAggregation::kProductOfSums:
      return r * sum;
  }
  return r;
}

double wrap_by_form(double reward, bool well_formed) {
  if (!well_formed) return kMalformedReward;
  return reward > 0.0 ? reward : kInvalidReward;
}

double saturating(double value, double scale) {
  return value <= 0.0 ? 0.0 : value / (value + scale);
}

}  // namespace redqueen::azr
