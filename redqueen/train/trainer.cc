#include "redqueen/train/trainer.h"

#include <algorithm>

namespace redqueen {

std::vector<std::pair<std::string_view, double>> metrics(const StepReport& report) {
  const ObjectiveSums& sums = report.sums;
  const auto mean = [&](double sum) { return sums.tokens > 0 ? sum / sums.tokens : 0; };
  std::vector<std::pair<std::string_view, double>> list = {
      {"loss", report.loss},
      {"learning_rate", report.learning_rate},
      {"gradient_norm", report.gradient_norm},
      {"groups", static_cast<double>(report.groups)},
      {"rollouts", static_cast<double>(report.rollouts)},
      {"batch_response_tokens", static_cast<double>(report.response_tokens)},
      {"trained_tokens", static_cast<double>(report.trained_tokens)},
      {"mean_abs_advantage", report.mean_abs_advantage},
      {"clip_fraction", mean(sums.clipped_low + sums.clipped_high)},
      {"clip_fraction_low", mean(sums.clipped_low)},
      {"clip_fraction_high", mean(sums.clipped_high)},
      {"dual_clip_fraction", mean(sums.dual_clipped)},
      {"approximate_kl", mean(sums.old_kl)},
      {"reference_kl", mean(sums.reference_kl)},
      {"entropy", mean(sums.entropy)},
      {"ratio_mean", mean(sums.ratio)},
      {"ratio_min", sums.tokens > 0 ? sums.min_ratio : 0},
      {"ratio_max", sums.max_ratio},
      {"importance_mean", mean(sums.importance)},
      {"importance_capped_fraction", mean(sums.importance_capped)},
      {"stopped_early", report.stopped_early ? 1.0 : 0.0},
  };
  if (sums.compared > 0) {
    list.emplace_back("sampler_mismatch_mean", sums.mismatch / sums.compared);
    list.emplace_back("sampler_mismatch_max", sums.max_mismatch);
    list.emplace_back("sampler_kl", sums.sampler_kl / sums.compared);
  }
  return list;
}

}  // namespace redqueen
