#include "redqueen/synth/admission/calibration.h"

#include <cmath>

namespace redqueen::synth {

std::optional<double> Calibration::pass_rate() const {
  if (instances == 0) return std::nullopt;
  return static_cast<double>(solved) / instances;
}

Json Calibration::to_json() const {
  Json by_level = Json::array();
  for (const auto& [level, count] : levels) {
    by_level.push_back(
        {{"level", level}, {"instances", count.instances}, {"solved", count.solved}});
  }
  return {
      {"instances", instances}, {"solved", solved}, {"cut", cut}, {"levels", std::move(by_level)}};
}

Calibration calibrate(std::span<const CalibrationAnswer> answers, SolvedRule rule) {
  Calibration calibration;
  for (const CalibrationAnswer& answer : answers) {
    const bool solved = rule == SolvedRule::kPassing ? answer.passes : answer.score > 0;
    LevelCount& level = calibration.levels[answer.level];
    ++calibration.instances;
    ++level.instances;
    calibration.solved += solved ? 1 : 0;
    level.solved += solved ? 1 : 0;
    calibration.cut += answer.is_cut ? 1 : 0;
  }
  return calibration;
}

double uncertainty_reward(double pass_rate, const CalibrationSettings& settings) {
  const double distance = (pass_rate - settings.target_rate) / settings.spread;
  return std::exp(-distance * distance / 2);
}

}  // namespace redqueen::synth
