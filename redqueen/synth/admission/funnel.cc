#include "redqueen/synth/admission/funnel.h"

#include <chrono>
#include <map>
#include <memory>

#include "redqueen/base/clock.h"
#include "redqueen/core/batch.h"
#include "redqueen/synth/python_environment.h"
#include "redqueen/synth/validation/extraction.h"

namespace redqueen::synth {
namespace {

using Clock = std::chrono::steady_clock;

RandomAddress address(const RandomAddress& base, std::string_view purpose, std::size_t candidate,
                      std::size_t sample) {
  return {.seed = base.seed,
          .purpose = hash_name(purpose),
          .step = base.step,
          .index = candidate,
          .salt = sample};
}

// Places of the candidates that passed at least `layer`.
std::vector<std::size_t> reached(std::span<const EnvironmentCandidate> candidates, int layer) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].report.layer >= layer) places.push_back(i);
  }
  return places;
}

// Code, then layers 1 to 5. Without code a candidate stays at layer 0.
void validate_all(sandbox::Sandbox& sandbox, const ValidationOptions& options,
                  std::span<EnvironmentCandidate> candidates) {
  std::vector<std::string> sources;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    auto source = longest_python_block(candidates[i].response);
    if (!source) {
      candidates[i].report.fault = ValidationFault::kNoCode;
      candidates[i].report.sentence = "the response has no fenced block of Python";
      continue;
    }
    candidates[i].source = *source;
    sources.push_back(std::move(*source));
    places.push_back(i);
  }
  auto reports = validate(sandbox, sources, options);
  for (std::size_t k = 0; k < places.size(); ++k)
    candidates[places[k]].report = std::move(reports[k]);
}

void find_nearest(const NoveltyArchive& archive, double prompt_share,
                  EnvironmentCandidate& candidate) {
  for (std::size_t i = 0; i < archive.size(); ++i) {
    const double similarity = pair_similarity(*candidate.views, archive.views()[i], prompt_share);
    if (!candidate.nearest.empty() && similarity <= candidate.nearest_similarity) continue;
    candidate.nearest = archive.names()[i];
    candidate.nearest_similarity = similarity;
  }
}

void assess_all(const TextEncoder& encoder, const NoveltySettings& settings,
                const NoveltyArchive& archive, NoveltyWeight& weight,
                std::span<EnvironmentCandidate> candidates) {
  const auto places = reached(candidates, 2);
  std::vector<NoveltyText> texts;
  for (EnvironmentCandidate& candidate : candidates) {
    NoveltyText text = novelty_text(candidate.source);
    candidate.tags = find_tags(candidate.source, text.prompt);
    if (candidate.report.layer >= 2) texts.push_back(std::move(text));
  }
  auto views = embed_views(encoder, texts);
  const auto novelties = assess_novelty(archive, views, settings);
  weight.observe(novelties);
  for (std::size_t k = 0; k < places.size(); ++k) {
    EnvironmentCandidate& candidate = candidates[places[k]];
    candidate.views = std::move(views[k]);
    candidate.novelty = novelties[k];
    find_nearest(archive, settings.prompt_share, candidate);
    if (auto& first = candidate.novelty.duplicate_of) first = places[*first];  // among all
  }
}

// The problems of one candidate, in turn over the levels.
std::vector<ProblemRequest> calibration_requests(const PythonEnvironment& environment,
                                                 const FunnelSettings& settings,
                                                 const RandomAddress& base, std::size_t candidate) {
  std::vector<ProblemRequest> requests;
  const auto instances = static_cast<std::size_t>(settings.reward.calibration.instances);
  for (std::size_t k = 0; k < instances; ++k) {
    Rng rng(address(base, "calibration problems", candidate, k));
    requests.push_back(
        {&environment, settings.levels[k % settings.levels.size()], rng.bits(), base.seed | 1});
  }
  return requests;
}

// One response to each of m problems of every candidate of layer 5.
Status calibrate_all(const FunnelServices& services, const FunnelSettings& settings,
                     const RandomAddress& base, std::span<EnvironmentCandidate> candidates,
                     FunnelCost& cost) {
  std::vector<std::unique_ptr<PythonEnvironment>> environments;
  std::vector<ProblemRequest> requests;
  std::vector<std::size_t> owners;
  for (const std::size_t i : reached(candidates, 5)) {
    environments.push_back(
        std::make_unique<PythonEnvironment>(candidates[i].source, services.sandbox));
    for (const ProblemRequest& request :
         calibration_requests(*environments.back(), settings, base, i)) {
      requests.push_back(request);
      owners.push_back(i);
    }
  }
  auto problems = generate_all(requests);
  std::vector<SampleRequest> prompts;
  std::vector<std::size_t> asked;
  for (std::size_t k = 0; k < problems.size(); ++k) {
    if (!problems[k]) continue;
    prompts.push_back({settings.solver_format.render((*problems[k])->prompt()),
                       {address(base, "calibration", owners[k], k)}});
    asked.push_back(k);
  }
  if (prompts.empty()) return {};
  ASSIGN_OR_RETURN(const auto responses, services.policy.sample(prompts, settings.solver_sampling));
  cost.missing.count(responses);
  std::vector<CompletionRequest> texts;
  std::vector<std::size_t> answered;
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const Completion& completion = responses[k].completions.front();
    if (completion.finish == FinishReason::kFailed) continue;  // the others calibrate
    cost.calibration_tokens += static_cast<std::int64_t>(completion.tokens.size());
    texts.push_back({problems[asked[k]]->get(), completion.text});
    answered.push_back(owners[asked[k]]);
  }
  const auto verdicts = score_completions(texts, settings.solver_format);
  std::map<std::size_t, std::vector<double>> scores;
  for (std::size_t k = 0; k < answered.size(); ++k)
    scores[answered[k]].push_back(verdicts[k].reward);
  for (const auto& [candidate, values] : scores)
    candidates[candidate].calibration = calibrate(values);
  return {};
}

Status review_all(const FunnelServices& services, const FunnelSettings& settings,
                  const RandomAddress& base, std::span<EnvironmentCandidate> candidates,
                  FunnelCost& cost) {
  if (!settings.review_template || settings.skip_review) return {};
  const auto places = reached(candidates, 5);
  std::vector<std::string> prompts;
  for (const std::size_t i : places) {
    ASSIGN_OR_RETURN(auto text,
                     review_prompt(*settings.review_template,
                                   review_case(candidates[i].source, candidates[i].report),
                                   settings.review_limits));
    prompts.push_back(settings.text_format.render(text));
  }
  if (prompts.empty()) return {};
  ASSIGN_OR_RETURN(auto outcomes, review(services.policy, prompts, settings.review,
                                         address(base, "review", 0, 0), &cost.missing));
  for (std::size_t k = 0; k < places.size(); ++k) {
    EnvironmentCandidate& candidate = candidates[places[k]];
    candidate.review = std::move(outcomes[k]);
    cost.reviews += settings.review.samples;
  }
  return {};
}

void reward_all(const FunnelSettings& settings, double gamma,
                std::span<EnvironmentCandidate> candidates) {
  for (EnvironmentCandidate& candidate : candidates) {
    const int layer = candidate.report.layer;
    candidate.reward = generator_reward(layer, candidate.calibration.pass_rate(), gamma,
                                        candidate.novelty.novelty, settings.reward);
    candidate.admission = admit({.layer = layer,
                                 .is_duplicate = candidate.novelty.duplicate_of.has_value(),
                                 .review_rejects = candidate.review && candidate.review->rejected,
                                 .calibration = candidate.calibration,
                                 .similarity = candidate.novelty.similarity},
                                settings.similarity_gate);
  }
}

}  // namespace

std::string EnvironmentCandidate::fate() const {
  const bool unread = review && review->lost > 0 && review->verdicts.empty();
  if (unread && admission.fate == AdmissionFate::kRejected) return "unjudged";
  return report.sound() ? std::string(to_string(admission.fate)) : report.code();
}

Json EnvironmentCandidate::write_json() const {
  Json json{{"response", response},
            {"source", source},
            {"layer", report.layer},
            {"validation", to_json(report)},
            {"reward", reward},
            {"fate", fate()},
            {"reason", report.sound() ? admission.reason : report.sentence}};
  if (views) {
    json["similarity"] = novelty.similarity;
    json["novelty"] = novelty.novelty;
    if (novelty.duplicate_of) json["duplicate_of"] = *novelty.duplicate_of;
    if (!nearest.empty()) json["nearest"] = {{"name", nearest}, {"similarity", nearest_similarity}};
  }
  if (review) {
    json["review"] = review->to_json();
    json["review"]["responses"] = review->responses;
    json["review"]["lost"] = review->lost;
  }
  if (report.sound()) {
    json["calibration"] = {{"instances", calibration.instances}, {"solved", calibration.solved}};
  }
  return json;
}

ReviewCase review_case(const std::string& source, const ValidationReport& report) {
  ReviewCase material{.source = source, .problems = {}, .probes = {}, .remarks = report.remarks};
  for (const SampleProblem& problem : report.probed.empty() ? report.samples : report.probed) {
    material.problems.push_back(
        {problem.level, problem.prompt, problem.reference, dump_json(problem.state)});
  }
  for (const ProbeResult& probe : report.probes)
    material.probes.push_back({probe.text, probe.parsed, probe.score});
  return material;
}

Expected<FunnelCost> run_funnel(const FunnelServices& services, const FunnelSettings& settings,
                                const NoveltyArchive& archive, NoveltyWeight& weight,
                                const RandomAddress& base,
                                std::span<EnvironmentCandidate> candidates) {
  FunnelCost cost;
  const auto start = Clock::now();
  validate_all(services.sandbox, settings.validation, candidates);
  cost.validation_seconds = seconds_since(start);
  assess_all(services.encoder, settings.novelty, archive, weight, candidates);
  RETURN_IF_ERROR(review_all(services, settings, base, candidates, cost));
  RETURN_IF_ERROR(calibrate_all(services, settings, base, candidates, cost));
  reward_all(settings, weight.gamma(), candidates);
  return cost;
}

}  // namespace redqueen::synth
