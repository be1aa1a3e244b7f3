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
  int layer = 0;              // ℓ
  bool is_cut = false;        // the response ended at its limit
  bool is_duplicate = false;  // of another candidate of its batch
  std::string nearest;        // of what was admitted before; empty: nothing was
  double nearest_similarity = 0;
  bool review_rejects = false;  // under the rule of aggregation in use
  std::string refutation = "";  // by second authors, in a sentence; empty: there is none
  Calibration calibration;
  double similarity = 0;  // sim
};

enum class AdmissionFate {
  kAdmitted,
  kCutShort,    // by the limit of its length before its code was whole, or its solver was: â = 0
                // and answers were cut
  kInvalid,     // ℓ < 5
  kDuplicate,   // of another candidate of its batch
  kCopy,        // of one that was admitted before: kCopySimilarity or more
  kTooSimilar,  // sim ≥ τ_gate
  kRejected,    // by the review
  kRefuted,     // by second authors
  kUnmeasured,  // no calibration instances
  kTooHard,     // â = 0
  kTooEasy,     // â = 1
};

// "admitted", "invalid", "cut_short", … for tables and stores.
std::string_view to_string(AdmissionFate fate);

struct Admission {
  AdmissionFate fate = AdmissionFate::kAdmitted;
  std::string reason;  // one sentence with the numbers

  bool is_admitted() const { return fate == AdmissionFate::kAdmitted; }
};

constexpr double kSimilarityGate = 0.8;  // τ_gate of the paper
constexpr double kCopySimilarity = 0.98;

// A = 1[ℓ = 5] 1[review] 1[0 < â < 1] 1[sim < τ_gate], equation 7, and no refutation by second
// authors; of several reasons to refuse, the first in the order of AdmissionFate, but that a solver
// that was cut short comes where kTooHard is.
Admission admit(const AdmissionCase& candidate, double similarity_gate = kSimilarityGate);

}  // namespace redqueen::synth
