// Decides the fate of the environment in a generator's response: EvalEnv of EvoEnv's algorithm 1.
//
//   code → layers 1 to 5 → novelty → review → calibration → reward and admission
//
// The texts that a stage needs of the policy are sampled for all candidates at once. The review
// decides about admission alone, never about the reward.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/policy/missing_responses.h"
#include "redqueen/policy/policy.h"
#include "redqueen/sandbox/sandbox.h"
#include "redqueen/synth/admission/generator_reward.h"
#include "redqueen/synth/admission/prompt_template.h"
#include "redqueen/synth/admission/review.h"
#include "redqueen/synth/novelty/novelty.h"
#include "redqueen/synth/novelty/tag_clusters.h"
#include "redqueen/synth/validation/validation.h"
#include "redqueen/text/text_encoder.h"

namespace redqueen::synth {

struct FunnelSettings {
  ValidationOptions validation;
  NoveltySettings novelty;
  GeneratorRewardSettings reward;
  double similarity_gate = kSimilarityGate;
  std::vector<int> levels{0, 1, 2, 3, 4};         // of calibration problems, in turn
  std::optional<PromptTemplate> review_template;  // nothing: no review
  bool skip_review = false;                       // no review for the time being
  ReviewSettings review;
  ReviewLimits review_limits;        // of what a review sees
  SampleParameters solver_sampling;  // of calibration
  PromptFormat solver_format;        // of problems
  PromptFormat text_format;          // of review prompts: no word on marking an answer
};

// One candidate on its way. The caller sets `name` and `response`.
struct EnvironmentCandidate {
  std::string name;      // unique within its run
  std::string response;  // of the generator, its opened fence included

  std::string source;  // empty: the response has no code
  ValidationReport report;
  TagVector tags;              // of its source (find_tags); none without code
  std::optional<Views> views;  // from layer 2 on
  CandidateNovelty novelty;
  std::string nearest;                  // of the archive; empty: it has none
  double nearest_similarity = 0;        // pair_similarity() to it
  std::optional<ReviewOutcome> review;  // of layer 5, if there is a review
  Calibration calibration;
  double reward = 0;
  Admission admission;

  [[nodiscard]] int layer() const { return report.layer; }
  // "L2 timeout", "rejected", "admitted", …: where it fell, for counts. "unjudged" if all of its
  // reviews were lost.
  [[nodiscard]] std::string fate() const;
  // Everything, for stores and cards.
  [[nodiscard]] Json write_json() const;
};

// The services that the funnel calls. All outlive the call.
struct FunnelServices {
  sandbox::Sandbox& sandbox;
  Policy& policy;
  const TextEncoder& encoder;
};

// The cost of a batch.
struct FunnelCost {
  std::int64_t reviews = 0;  // samples
  std::int64_t calibration_tokens = 0;
  double validation_seconds = 0;
  MissingResponses missing;  // of reviews and calibration
};

// Builds a reviewer's case of a candidate from the evidence of validation: the problems of layer 5
// and its probes, or, if it did not come that far, problems of layer 2.
ReviewCase review_case(const std::string& source, const ValidationReport& report);

// Fills in every candidate. A response that failed is left out of its review or calibration; one
// whose prompt was too long counts as empty. `weight` moves by this batch before the rewards are
// given. Randomness is addressed by (base.seed, purpose, base.step, candidate, sample). The archive
// stays as it is: what is admitted is the caller's to add.
Expected<FunnelCost> run_funnel(const FunnelServices& services, const FunnelSettings& settings,
                                const NoveltyArchive& archive, NoveltyWeight& weight,
                                const RandomAddress& base,
                                std::span<EnvironmentCandidate> candidates);

}  // namespace redqueen::synth
