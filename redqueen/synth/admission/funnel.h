// Decides the fate of the environment in a generator's response: EvalEnv of EvoEnv's algorithm 1.
//
//   code → layers 1 to 5 (→ repair) → novelty → review → calibration → second authors
//     → reward and admission
//
// The texts that a stage needs of the policy are sampled for all candidates at once. Review and
// second authors decide about admission alone, never about the reward.
#pragma once

#include <cstdint>
#include <functional>
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
#include "redqueen/synth/admission/certificate.h"
#include "redqueen/synth/admission/generator_reward.h"
#include "redqueen/synth/admission/prompt_template.h"
#include "redqueen/synth/admission/review.h"
#include "redqueen/synth/admission/second_author.h"
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
  ReviewLimits review_limits;                     // of what a review sees
  SampleParameters solver_sampling;               // of calibration
  PromptFormat solver_format;                     // of problems
  PromptFormat text_format;                       // of review prompts: no word on marking an answer
  std::optional<PromptTemplate> repair_template;  // nothing: no repair
  SampleParameters repair_sampling;               // of repairs
  std::optional<PromptTemplate> second_template;  // nothing: no second author
  SecondAuthorSettings second;
  PromptFormat second_format;  // of its prompts
  // The rewards teach nobody: what can no longer be admitted costs nothing more. Calibration then
  // comes before the review, since it costs less.
  bool admission_only = false;
};

// One candidate on its way. The caller sets `name` and `response`.
struct EnvironmentCandidate {
  std::string name;      // unique within its run
  std::string response;  // of the generator, its opened fence included
  bool is_cut = false;   // the response ended at its limit

  std::string source;  // empty: the response has no code
  ValidationReport report;
  // The try that validation refused before one more turn mended it. The reward is that of this try:
  // the response, which is what is trained, earns nothing by being mended.
  struct FirstTry {
    std::string source;
    ValidationReport report;
  };
  std::optional<FirstTry> first_try;
  TagVector tags;              // of its source (find_tags); none without code
  std::optional<Views> views;  // from layer 2 on
  CandidateNovelty novelty;
  std::string nearest;                     // of the archive; empty: it has none
  double nearest_similarity = 0;           // pair_similarity() to it
  std::optional<ReviewOutcome> review;     // of layer 5, if there is a review
  std::vector<CalibrationAnswer> answers;  // in the order of the problems
  Calibration calibration;                 // of these
  std::optional<SecondOpinion> second;     // of what was admissible otherwise
  std::vector<Shortcut> shortcuts;         // of what was admitted (certificate.h)
  double reward = 0;
  Admission admission;

  [[nodiscard]] int layer() const { return report.layer; }
  // "L2 timeout", "cut_short", "rejected", "admitted", …: where it fell, for counts. "unjudged" if
  // all of its reviews were lost.
  [[nodiscard]] std::string fate() const;
  [[nodiscard]] std::string reason() const;  // of the fate, in a sentence
  // Everything but the answers of calibration, for stores and cards.
  [[nodiscard]] Json write_json() const;
};

// Told of each candidate once, as soon as it cannot be admitted any more or is.
using CandidateListener = std::function<void(const EnvironmentCandidate& candidate)>;

// The services that the funnel calls. All outlive the call.
struct FunnelServices {
  sandbox::Sandbox& sandbox;
  Policy& policy;
  const TextEncoder& encoder;
  Policy* second_author = nullptr;  // null: the policy itself
  CandidateListener listener = {};
};

// The cost of a batch.
struct FunnelCost {
  std::int64_t reviews = 0;  // samples
  std::int64_t calibration_tokens = 0;
  std::int64_t second_programs = 0;  // samples
  double validation_seconds = 0;
  MissingResponses missing;  // of reviews, calibration and second programs
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
