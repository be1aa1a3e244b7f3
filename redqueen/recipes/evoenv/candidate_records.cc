#include "redqueen/recipes/evoenv/candidate_records.h"

#include "redqueen/recipes/evoenv/evoenv_files.h"
#include "redqueen/recipes/evoenv/evoenv_settings.h"
#include "redqueen/synth/novelty/tag_clusters.h"

namespace redqueen::evoenv {
Expected<synth::FunnelSettings> funnel_settings(const TrainSettings& settings, PromptFormat format,
                                                PromptFormat text_format,
                                                const Resources& resources) {
  const EvoEnvSettings& evoenv = settings.table<EvoEnvSettings>();
  synth::FunnelSettings funnel{.validation = evoenv.validation,
                               .novelty = evoenv.novelty,
                               .reward = evoenv.reward,
                               .similarity_gate = evoenv.similarity_gate,
                               .levels = evoenv.levels,
                               .review_template = std::nullopt,
                               .review = evoenv.reviewing,
                               .review_limits = evoenv.review_limits,
                               .solver_sampling = settings.sampling,
                               .solver_format = std::move(format),
                               .text_format = std::move(text_format)};
  if (evoenv.review) {
    ASSIGN_OR_RETURN(
        funnel.review_template,
        synth::PromptTemplate::load(resources.given_or_found(evoenv.prompts) / "review.txt"));
  }
  if (evoenv.repair) {
    ASSIGN_OR_RETURN(
        funnel.repair_template,
        synth::PromptTemplate::load(resources.given_or_found(evoenv.prompts) / "repair.txt"));
    funnel.repair_sampling = settings.sampling;
    funnel.repair_sampling.max_new_tokens = evoenv.generator_tokens;
  }
  if (evoenv.second_author != kNoSecondAuthor) {
    ASSIGN_OR_RETURN(funnel.second_template,
                     synth::PromptTemplate::load(resources.given_or_found(evoenv.prompts) /
                                                 "second_author.txt"));
    funnel.second = evoenv.second;
    funnel.second_format = funnel.text_format;
  }
  return funnel;
}

void add_candidate(const synth::EnvironmentCandidate& candidate, StepLog& log) {
  log.mean("generator/reward", candidate.reward);
  for (int layer = 1; layer <= 5; ++layer)
    log.mean(fmt::format("funnel/layer_{}", layer), candidate.layer() >= layer);
  log.mean("funnel/admitted", candidate.admission.is_admitted());
  if (candidate.layer() >= 2) log.mean("novelty", candidate.novelty.novelty);
  log.count("funnel/cut_short", candidate.admission.fate == synth::AdmissionFate::kCutShort);
  if (candidate.second) {
    log.mean("second_author/refuted", candidate.second->verdict == synth::SecondVerdict::kRefuted);
    log.mean("second_author/confirmed",
             candidate.second->verdict == synth::SecondVerdict::kConfirmed);
    log.mean("second_author/ambiguous",
             candidate.second->verdict == synth::SecondVerdict::kAmbiguous);
  }
  if (candidate.layer() < 5) return;
  if (candidate.review) log.mean("funnel/review_passed", !candidate.review->rejected);
  if (const auto rate = candidate.calibration.pass_rate()) log.mean("calibrated_rate", *rate);
}

run::ItemRecord candidate_item(const synth::EnvironmentCandidate& candidate,
                               const std::optional<std::string>& environment,
                               std::string_view policy) {
  run::ItemRecord item{.kind = std::string(kCandidateItem),
                       .name = candidate.name,
                       .fate = candidate.fate(),
                       .data = candidate.write_json()};
  item.data["tags"] = synth::names_of_tags(candidate.tags);
  if (environment) {
    item.data["environment"] = *environment;
    item.data["certificate"] = certificate_of(candidate, policy);
  }
  return item;
}

synth::EnvironmentRecord candidate_record(const synth::EnvironmentCandidate& candidate,
                                          std::string_view recipe, std::string_view policy,
                                          std::int64_t step) {
  synth::EnvironmentRecord record = make_record(candidate.source, candidate.report);
  record.tags = synth::names_of_tags(candidate.tags);
  const Json json = candidate.write_json();
  if (candidate.review) record.reviews = json["review"];
  record.calibration = json["calibration"];
  record.certificate = certificate_of(candidate, policy);
  record.provenance = {{"recipe", std::string(recipe)},
                       {"step", step},
                       {"candidate", candidate.name},
                       {"policy", std::string(policy)},
                       {"similarity", candidate.novelty.similarity}};
  return record;
}

}  // namespace redqueen::evoenv
