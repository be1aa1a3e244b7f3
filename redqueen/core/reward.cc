#include "redqueen/core/reward.h"

namespace redqueen {

double closeness_reward(const BigInt& answer, const BigInt& reference, double beta) {
  if (answer == reference) return 1.0;
  if (answer <= 0 || reference <= 0) return 0.0;
  return partial_reward(ratio(std::min(answer, reference), std::max(answer, reference)), beta);
}

double share_reward(std::int64_t matches, std::int64_t total, double beta) {
  if (matches >= total) return 1.0;
  return partial_reward(static_cast<double>(matches) / static_cast<double>(total), beta);
}

}  // namespace redqueen
