#include "redqueen/recipes/evoenv/candidate_records.h"

#include "redqueen/recipes/evoenv/evoenv_files.h"
#include "redqueen/synth/novelty_text.h"
#include "redqueen/synth/prototypes.h"

namespace redqueen {
namespace {

std::vector<std::string> tags_of(const EnvironmentCandidate& candidate) {
  return names_of_tags(find_tags(candidate.source, novelty_text(candidate.source).prompt));
}

}  // namespace

Expected<FunnelSettings> funnel_settings(const TrainSettings& settings, PromptFormat format,
                                         PromptFormat text_format) {
  const EvoEnvSettings& evoenv = settings.evoenv;
  FunnelSettings funnel{.validation = evoenv.validation,
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
    auto review = PromptTemplate::load(find_evoenv_folder(evoenv.prompts) / "review.txt");
    if (!review) return tl::make_unexpected(review.error());
    funnel.review_template = std::move(*review);
  }
  return funnel;
}

void add_candidate(const EnvironmentCandidate& candidate, MetricMeans& means) {
  means.add("generator/reward", candidate.reward);
  for (int layer = 1; layer <= 5; ++layer)
    means.add(fmt::format("funnel/layer_{}", layer), candidate.layer() >= layer);
  means.add("funnel/admitted", candidate.admission.is_admitted());
  if (candidate.layer() >= 2) means.add("novelty", candidate.novelty.novelty);
  if (candidate.layer() < 5) return;
  if (candidate.review) means.add("funnel/review_passed", !candidate.review->rejected);
  if (const auto rate = candidate.calibration.pass_rate()) means.add("calibrated_rate", *rate);
}

ItemRecord candidate_item(const EnvironmentCandidate& candidate,
                          const std::optional<std::string>& environment) {
  ItemRecord item{.kind = "candidate",
                  .name = candidate.name,
                  .fate = candidate.fate(),
                  .data = candidate.write_json()};
  item.data["tags"] = tags_of(candidate);
  if (environment) item.data["environment"] = *environment;
  return item;
}

EnvironmentRecord candidate_record(const EnvironmentCandidate& candidate, std::string_view recipe,
                                   std::string_view policy, std::int64_t step) {
  EnvironmentRecord record = make_record(candidate.source, candidate.report);
  record.tags = tags_of(candidate);
  const Json json = candidate.write_json();
  if (candidate.review) record.reviews = json["review"];
  record.calibration = json["calibration"];
  record.provenance = {{"recipe", std::string(recipe)},
                       {"step", step},
                       {"candidate", candidate.name},
                       {"policy", std::string(policy)},
                       {"similarity", candidate.novelty.similarity}};
  return record;
}

}  // namespace redqueen
