// Measures how hard an environment is for the present policy (EvoEnv section 3.3, equations 1 and
// 2).
#pragma once

#include <optional>
#include <span>

namespace redqueen::synth {

struct CalibrationSettings {
  int instances = 8;         // m: problems of a candidate, one response each
  double target_rate = 0.3;  // a*
  double spread = 0.2;       // σ_a; the paper does not give it
};

struct Calibration {
  int instances = 0;
  int solved = 0;  // responses with a score above 0

  // â; nothing without instances.
  std::optional<double> pass_rate() const;
};

// Equation 1. A score that is not a number counts as not solved.
Calibration calibrate(std::span<const double> scores);

// Q_unc = exp(−(â − a*)² / (2 σ_a²)), equation 2.
double uncertainty_reward(double pass_rate, const CalibrationSettings& settings);

}  // namespace redqueen::synth
