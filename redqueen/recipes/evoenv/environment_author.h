// A policy as an author of environments: it writes candidates from examples, the funnel judges
// them, and what is admitted joins the folder, the novelty archive and the clusters. EvoEnv
// trains on it; `redqueen synth grow` only collects.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/rng.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/embedding/minilm.h"
#include "redqueen/engine/resources.h"
#include "redqueen/policy/missing_responses.h"
#include "redqueen/policy/policy.h"
#include "redqueen/recipes/evoenv/evoenv_settings.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/recipes/step_log.h"
#include "redqueen/sandbox/sandbox.h"
#include "redqueen/synth/admission/funnel.h"
#include "redqueen/synth/admission/generator_prompt.h"
#include "redqueen/synth/novelty/novelty.h"
#include "redqueen/synth/novelty/tag_clusters.h"

namespace redqueen::evoenv {

// Checks what an author reads: seeds, prompts, encoder and levels.
Status check_author(const TrainSettings& settings, const Resources& resources);

// The candidates that an author wrote in one step, and the prompts for them.
struct AuthoredStep {
  struct Prompt {
    std::string text;
    CompletionGroup responses;  // without those that failed
  };
  std::vector<Prompt> prompts;
  std::vector<synth::EnvironmentCandidate> candidates;  // one a response, in their order
  MissingResponses missing;
};

class EnvironmentAuthor {
 public:
  // `recipe` is for provenances. Admitted environments are written below `folder`. `second_author`
  // is asked instead of the policy if settings name another one; it outlives the author.
  static Expected<EnvironmentAuthor> make(const TrainSettings& settings, std::string_view recipe,
                                          const Resources& resources, sandbox::Sandbox& sandbox,
                                          Policy& policy, std::filesystem::path folder,
                                          Policy* second_author = nullptr);

  // Has candidates judged for admission alone (FunnelSettings::admission_only), and `listener` told
  // of each as it falls or is admitted.
  void collect(synth::CandidateListener listener) {
    parts_.funnel.admission_only = true;
    listener_ = std::move(listener);
  }

  // Draws the names of up to `count` members to show in a prompt.
  using DrawExamples = std::function<std::vector<std::string>(int count, Rng& rng)>;

  // Asks for candidates, settings.candidates to each of settings.generator_prompts prompts.
  Expected<AuthoredStep> write(std::int64_t step, const DrawExamples& draw);

  // Runs the funnel over the candidates. `authored.missing` then counts reviews and calibration,
  // too.
  Status judge(std::int64_t step, AuthoredStep& authored, StepLog& log);

  // Measures the reviews on `environments` of known truth (review_audit.h).
  Expected<synth::ReviewAudit> audit_review(std::int64_t step, int environments,
                                            MissingResponses& missing);

  // Whether candidates are reviewed. Settings without a review have none, whatever is asked for.
  bool reviews() const { return parts_.funnel.review_template && !parts_.funnel.skip_review; }
  void set_reviews(bool on) { parts_.funnel.skip_review = !on; }

  // Records a judged candidate. If it is admitted, writes its folder and makes it a member; one
  // that the members have word for word becomes a duplicate.
  struct Settled {
    run::ItemRecord item;
    std::optional<std::string> member;  // its name, if it was admitted
  };
  Expected<Settled> settle(std::int64_t step, synth::EnvironmentCandidate& candidate, StepLog& log);

  // Remembers a refusal for the prompts to come; the latest few are told.
  void remember_refusal(std::string_view class_name, std::string_view fate,
                        std::string_view reason);

  // Makes an environment a member that is there already: an original, or one of an earlier process.
  void add_member(const std::string& name, const std::string& source);

  bool contains(const std::string& name) const { return sources_.contains(name); }
  const std::string& source(const std::string& name) const { return sources_.at(name); }
  const std::vector<std::string>& names() const { return order_; }  // in the order of joining
  std::size_t clusters() const { return clusters_.all().size(); }
  const std::filesystem::path& folder() const { return folder_; }

  // Size and similarity of the members.
  void add_metrics(std::vector<run::MetricValue>& metrics) const;

  // {"order", "sources", "weight", "reviews", "refusals"}: embeddings do not depend on what is
  // embedded beside them, so members restored are members added.
  Json state() const;
  Status restore(const Json& state);
  Status restore_weight(const Json& state) { return weight_.restore(state); }

 private:
  struct Parts {
    synth::PromptTemplate prompt;
    PromptFormat text_format;  // of generator and reviewer
    std::unique_ptr<const TextEncoder> encoder;
    synth::FunnelSettings funnel;
  };
  EnvironmentAuthor(const TrainSettings& settings, std::string_view recipe,
                    sandbox::Sandbox& sandbox, Policy& policy, std::filesystem::path folder,
                    Parts parts);

  Expected<std::string> write_prompt(std::int64_t step, std::size_t index,
                                     const DrawExamples& draw) const;
  Expected<std::optional<std::string>> admit(std::int64_t step,
                                             synth::EnvironmentCandidate& candidate);
  void add_member(const std::string& name, const std::string& source, synth::Views views,
                  const synth::NoveltyText& text);
  // The pool, the latest refusals and a rare kind, for a prompt.
  void add_hints(Rng& rng, synth::GeneratorMaterial& material) const;
  StepAddress rng_address(std::int64_t step) const { return {seed_, step}; }

  EvoEnvSettings settings_;
  SampleParameters sampling_;  // of the generator
  std::uint64_t seed_;
  std::string recipe_;
  sandbox::Sandbox* sandbox_;
  Policy* policy_;
  Policy* second_author_ = nullptr;  // null: the policy
  synth::CandidateListener listener_;
  std::filesystem::path folder_;
  Parts parts_;
  synth::NoveltyArchive archive_;
  synth::NoveltyWeight weight_;
  synth::TagClusters clusters_;
  std::map<std::string, std::string> sources_;  // of the members, by name
  std::vector<std::string> order_;
  std::vector<std::string> pool_lines_;   // of the members, in their order
  std::vector<std::int64_t> tag_counts_;  // of the members; tag_names()
  std::vector<std::string> refusals_;     // the latest, a line each
};

}  // namespace redqueen::evoenv
