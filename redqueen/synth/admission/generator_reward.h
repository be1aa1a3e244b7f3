// Computes the generator's reward for a candidate and decides whether the candidate may train the
// solver (EvoEnv sections 3.3 and 3.4, equations 5 to 7).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "redqueen/synth/admission/calibration.h"

namespace redqueen::synth {

// The two halves of equation 5, for the ablation of the paper's Table 2.
struct GeneratorRewardSettings {
  CalibrationSettings calibration;
  bool quality = true;    // Q_val
  bool diversity = true;  // 1[ℓ ≥ 2] γ N
};

// Q_val = −1[ℓ < 1] − ½ 1[ℓ = 1] − ¼ 1[ℓ = 2] + 1[ℓ = 5] Q_unc(â), equation 6. `layer` is ℓ, the
// highest layer passed, 0 to 5. Without a pass rate the last term is 0.
double quality_reward(int layer, std::optional<double> pass_rate,
                      const CalibrationSettings& settings);

// R = Q_val + 1[ℓ ≥ 2] γ N, equation 5. The verdict of the review has no part in it.
double generator_reward(int layer, std::optional<double> pass_rate, double gamma, double novelty,
                        const GeneratorRewardSettings& settings);

// The evidence on which admission decides.
struct AdmissionCase {
  int layer = 0;                // ℓ
  bool is_duplicate = false;    // of an earlier candidate of its batch
  bool review_rejects = false;  // under the rule of aggregation in use
  Calibration calibration;
  double similarity = 0;  // sim
};

enum class AdmissionFate {
  kAdmitted,
  kInvalid,     // ℓ < 5
  kDuplicate,   // of an earlier candidate of its batch
  kRejected,    // by the review
  kUnmeasured,  // no calibration instances
  kTooHard,     // â = 0
  kTooEasy,     // â = 1
  kTooSimilar,  // sim ≥ τ_gate
};

// "admitted", "invalid", … for tables and stores.
std::string_view to_string(AdmissionFate fate);

struct Admission {
  AdmissionFate fate = AdmissionFate::kAdmitted;
  std::string reason;  // one sentence with the numbers

  bool is_admitted() const { return fate == AdmissionFate::kAdmitted; }
};

constexpr double kSimilarityGate = 0.8;  // τ_gate of the paper

// A = 1[ℓ = 5] 1[review] 1[0 < â < 1] 1[sim < τ_gate], equation 7; of several reasons to refuse,
// the first in the order of AdmissionFate.
Admission admit(const AdmissionCase& candidate, double similarity_gate = kSimilarityGate);

}  // namespace redqueen::synth
