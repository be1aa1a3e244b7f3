#include "redqueen/synth/admission/generator_reward.h"

#include <fmt/format.h>

namespace redqueen::synth {
namespace {

constexpr int kLastLayer = 5;

}  // namespace

double quality_reward(int layer, std::optional<double> pass_rate,
                      const CalibrationSettings& settings) {
  if (layer < 1) return -1;
  if (layer == 1) return -0.5;
  if (layer == 2) return -0.25;
  return layer == kLastLayer && pass_rate ? uncertainty_reward(*pass_rate, settings) : 0;
}

double generator_reward(int layer, std::optional<double> pass_rate, double gamma, double novelty,
                        const GeneratorRewardSettings& settings) {
  double reward = 0;
  if (settings.quality) reward += quality_reward(layer, pass_rate, settings.calibration);
  if (settings.diversity && layer >= 2) reward += gamma * novelty;
  return reward;
}

std::string_view to_string(AdmissionFate fate) {
  switch (fate) {
    case AdmissionFate::kAdmitted:
      return "admitted";
    case AdmissionFate::kCutShort:
      return "cut_short";
    case AdmissionFate::kInvalid:
      return "invalid";
    case AdmissionFate::kDuplicate:
      return "duplicate";
    case AdmissionFate::kCopy:
      return "copy";
    case AdmissionFate::kRejected:
      return "rejected";
    case AdmissionFate::kRefuted:
      return "refuted";
    case AdmissionFate::kUnmeasured:
      return "unmeasured";
    case AdmissionFate::kTooHard:
      return "too_hard";
    case AdmissionFate::kTooEasy:
      return "too_easy";
    case AdmissionFate::kTooSimilar:
      return "too_similar";
  }
  return "unknown";
}

Admission admit(const AdmissionCase& candidate, double similarity_gate) {
  const Calibration& measured = candidate.calibration;
  if (candidate.layer < 1 && candidate.is_cut) {
    return {AdmissionFate::kCutShort,
            "The response ended at its limit before its code was whole (evoenv.generator_tokens)."};
  }
  if (candidate.layer != kLastLayer) {
    return {AdmissionFate::kInvalid, fmt::format("It passed {} of the {} layers of validation.",
                                                 candidate.layer, kLastLayer)};
  }
  if (candidate.is_duplicate) {
    return {AdmissionFate::kDuplicate, "It repeats another candidate of the same batch."};
  }
  if (!candidate.nearest.empty() && candidate.nearest_similarity >= kCopySimilarity) {
    return {AdmissionFate::kCopy, fmt::format("It is a copy of {} (similarity {:.3f}).",
                                              candidate.nearest, candidate.nearest_similarity)};
  }
  if (!(candidate.similarity < similarity_gate)) {
    return {AdmissionFate::kTooSimilar,
            fmt::format("Its similarity to the environments admitted so far is {:.3f}; the limit "
                        "is {:.3f}.",
                        candidate.similarity, similarity_gate)};
  }
  if (candidate.review_rejects) {
    return {AdmissionFate::kRejected, "The review found a likely fault in it."};
  }
  if (!candidate.refutation.empty()) return {AdmissionFate::kRefuted, candidate.refutation};
  if (measured.instances == 0) {
    return {AdmissionFate::kUnmeasured, "The solver was given no problem of it."};
  }
  if (measured.solved == 0 && measured.cut > 0) {
    return {AdmissionFate::kCutShort,
            fmt::format("The solver solved none of its {} problems, and {} of the answers ended at "
                        "their limit (sampling.max_new_tokens): whether it is too hard is not "
                        "known.",
                        measured.instances, measured.cut)};
  }
  if (measured.solved == 0) {
    return {AdmissionFate::kTooHard,
            fmt::format("The solver solved none of its {} problems.", measured.instances)};
  }
  if (measured.solved == measured.instances) {
    return {AdmissionFate::kTooEasy,
            fmt::format("The solver solved all of its {} problems.", measured.instances)};
  }
  return {AdmissionFate::kAdmitted,
          fmt::format("Valid, not rejected, {} of {} problems solved, similarity {:.3f}.",
                      measured.solved, measured.instances, candidate.similarity)};
}

}  // namespace redqueen::synth
