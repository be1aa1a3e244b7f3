#include "redqueen/synth/admission/calibration.h"

#include <cmath>

namespace redqueen::synth {

std::optional<double> Calibration::pass_rate() const {
  if (instances == 0) return std::nullopt;
  return static_cast<double>(solved) / instances;
}

Calibration calibrate(std::span<const double> scores) {
  Calibration calibration;
  for (const double score : scores) {
    ++calibration.instances;
    calibration.solved += score > 0 ? 1 : 0;
  }
  return calibration;
}

double uncertainty_reward(double pass_rate, const CalibrationSettings& settings) {
  const double distance = (pass_rate - settings.target_rate) / settings.spread;
  return std::exp(-distance * distance / 2);
}

}  // namespace redqueen::synth
