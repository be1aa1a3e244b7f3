// Measures how hard an environment is for the present policy (EvoEnv section 3.3, equations 1 and
// 2).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "redqueen/base/json.h"

namespace redqueen::synth {

// The answers that count as solved.
enum class SolvedRule {
  kPassing,   // score ≥ passing: what the environment itself calls right
  kPositive,  // score > 0, equation 1 as printed: partial credit counts, too
};

struct CalibrationSettings {
  int instances = 8;  // m: problems of a candidate, one response each
  SolvedRule counts = SolvedRule::kPassing;
  double target_rate = 0.3;  // a*
  double spread = 0.2;       // σ_a; the paper does not give it
};

// A response to one problem of a candidate.
struct CalibrationAnswer {
  int level = 0;
  double score = 0;
  bool passes = false;      // score ≥ passing
  bool is_cut = false;      // at the limit of a response's length
  std::string prompt = "";  // as the solver read it
  std::string response = "";
  std::int64_t tokens = 0;  // of the response; 0: not known
  std::string address = "";
};

struct LevelCount {
  int instances = 0;
  int solved = 0;
  bool operator==(const LevelCount&) const = default;
};

struct Calibration {
  int instances = 0;
  int solved = 0;
  int cut = 0;  // responses that ended at their limit
  std::map<int, LevelCount> levels = {};

  // â; nothing without instances.
  std::optional<double> pass_rate() const;
  // {"instances", "solved", "cut", "levels": [{"level", "instances", "solved"}]}
  Json to_json() const;
};

// Equation 1 under a rule. A score that is not a number counts as not solved.
Calibration calibrate(std::span<const CalibrationAnswer> answers,
                      SolvedRule rule = SolvedRule::kPassing);

// Q_unc = exp(−(â − a*)² / (2 σ_a²)), equation 2.
double uncertainty_reward(double pass_rate, const CalibrationSettings& settings);

}  // namespace redqueen::synth
