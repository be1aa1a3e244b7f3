#include "redqueen/synth/admission/funnel.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "redqueen/base/clock.h"
#include "redqueen/core/batch.h"
#include "redqueen/synth/admission/generator_prompt.h"
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

// Decides with what is known so far. A candidate that is not calibrated yet may be unmeasured.
void decide(const FunnelSettings& settings, EnvironmentCandidate& candidate) {
  const bool refuted = candidate.second && candidate.second->verdict == SecondVerdict::kRefuted;
  candidate.admission = admit({.layer = candidate.report.layer,
                               .is_cut = candidate.is_cut,
                               .is_duplicate = candidate.novelty.duplicate_of.has_value(),
                               .nearest = candidate.nearest,
                               .nearest_similarity = candidate.nearest_similarity,
                               .review_rejects = candidate.review && candidate.review->rejected,
                               .refutation = refuted ? candidate.second->sentence() : "",
                               .calibration = candidate.calibration,
                               .similarity = candidate.novelty.similarity},
                              settings.similarity_gate);
}

// Places of the candidates that may still be admitted.
std::vector<std::size_t> admissible(const FunnelSettings& settings,
                                    std::span<EnvironmentCandidate> candidates,
                                    bool are_calibrated) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    decide(settings, candidates[i]);
    const AdmissionFate fate = candidates[i].admission.fate;
    if (fate == (are_calibrated ? AdmissionFate::kAdmitted : AdmissionFate::kUnmeasured))
      places.push_back(i);
  }
  return places;
}

// Tells a listener of every candidate once.
class Announcer {
 public:
  Announcer(const CandidateListener& listener, std::span<const EnvironmentCandidate> candidates)
      : listener_(listener), candidates_(candidates), told_(candidates.size()) {}

  // All but those of `open`, in the order of the batch.
  void all_but(std::span<const std::size_t> open) {
    if (!listener_) return;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (told_[i] || std::ranges::find(open, i) != open.end()) continue;
      told_[i] = true;
      listener_(candidates_[i]);
    }
  }

 private:
  const CandidateListener& listener_;
  std::span<const EnvironmentCandidate> candidates_;
  std::vector<bool> told_;
};

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

// Shows the policy why a candidate was refused, once, and takes what it mended if that passes more
// layers. A response without code, or that was cut, has nothing to mend.
Status repair_all(const FunnelServices& services, const FunnelSettings& settings,
                  const RandomAddress& base, std::span<EnvironmentCandidate> candidates,
                  FunnelCost& cost) {
  if (!settings.repair_template) return {};
  std::vector<SampleRequest> requests;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const EnvironmentCandidate& candidate = candidates[i];
    if (candidate.source.empty() || candidate.report.sound() || candidate.is_cut) continue;
    ASSIGN_OR_RETURN(
        const std::string text,
        repair_prompt(*settings.repair_template, candidate.source,
                      fmt::format("{}: {}", candidate.report.code(), candidate.report.sentence)));
    requests.push_back({settings.text_format.render(text), {address(base, "repair", i, 0)}});
    places.push_back(i);
  }
  if (requests.empty()) return {};
  ASSIGN_OR_RETURN(const auto groups, services.policy.sample(requests, settings.repair_sampling));
  cost.missing.count(groups);
  std::vector<std::string> sources;
  std::vector<std::size_t> mended;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    auto source = longest_python_block(groups[k].completions.front().text);
    if (!source || *source == candidates[places[k]].source) continue;
    sources.push_back(std::move(*source));
    mended.push_back(places[k]);
  }
  auto reports = validate(services.sandbox, sources, settings.validation);
  for (std::size_t k = 0; k < mended.size(); ++k) {
    EnvironmentCandidate& candidate = candidates[mended[k]];
    if (reports[k].layer <= candidate.report.layer) continue;
    candidate.first_try = {std::exchange(candidate.source, std::move(sources[k])),
                           std::exchange(candidate.report, std::move(reports[k]))};
  }
  return {};
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
  std::vector<int> layers;
  for (const std::size_t i : places) layers.push_back(candidates[i].report.layer);
  const auto novelties = assess_novelty(archive, views, settings, layers);
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

// One response to each of m problems of every candidate of `places`.
Status calibrate_all(const FunnelServices& services, const FunnelSettings& settings,
                     const RandomAddress& base, std::span<const std::size_t> places,
                     std::span<EnvironmentCandidate> candidates, FunnelCost& cost) {
  std::vector<std::unique_ptr<PythonEnvironment>> environments;
  std::vector<ProblemRequest> requests;
  std::vector<std::size_t> owners;
  for (const std::size_t i : places) {
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
  std::vector<std::size_t> answered;  // of `asked`
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const Completion& completion = responses[k].completions.front();
    if (completion.finish == FinishReason::kFailed) continue;  // the others calibrate
    cost.calibration_tokens += static_cast<std::int64_t>(completion.tokens.size());
    texts.push_back({problems[asked[k]]->get(), completion.text});
    answered.push_back(k);
  }
  const auto verdicts = score_completions(texts, settings.solver_format);
  for (std::size_t v = 0; v < answered.size(); ++v) {
    const std::size_t k = answered[v];
    const Completion& completion = responses[k].completions.front();
    const ProblemRequest& from = requests[asked[k]];
    candidates[owners[asked[k]]].answers.push_back(
        {.level = from.level,
         .score = verdicts[v].reward,
         .passes = verdicts[v].solved,
         .is_cut = completion.finish == FinishReason::kLength,
         .prompt = prompts[k].prompt,
         .response = completion.text,
         .tokens = static_cast<std::int64_t>(completion.tokens.size()),
         .address = from.environment->address(from.level, from.seed, from.salt).to_string()});
  }
  for (const std::size_t i : places) {
    candidates[i].calibration =
        calibrate(candidates[i].answers, settings.reward.calibration.counts);
  }
  return {};
}

Status review_all(const FunnelServices& services, const FunnelSettings& settings,
                  const RandomAddress& base, std::span<const std::size_t> places,
                  std::span<EnvironmentCandidate> candidates, FunnelCost& cost) {
  if (!settings.review_template || settings.skip_review) return {};
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

// Second authors are asked about what is admissible otherwise: they cost most.
Status ask_second(const FunnelServices& services, const FunnelSettings& settings,
                  const RandomAddress& base, std::span<const std::size_t> places,
                  std::span<EnvironmentCandidate> candidates, FunnelCost& cost) {
  if (!settings.second_template || places.empty()) return {};
  std::vector<std::string> sources;
  for (const std::size_t i : places) sources.push_back(candidates[i].source);
  Policy& author = services.second_author != nullptr ? *services.second_author : services.policy;
  ASSIGN_OR_RETURN(auto opinions,
                   ask_second_author(services.sandbox, author,
                                     {.sources = sources,
                                      .places = places,
                                      .prompt = *settings.second_template,
                                      .format = settings.second_format,
                                      .settings = settings.second,
                                      .address = address(base, "second author", 0, 0)},
                                     &cost.missing));
  for (std::size_t k = 0; k < places.size(); ++k)
    candidates[places[k]].second = std::move(opinions[k]);
  cost.second_programs += std::ssize(places) * settings.second.programs;
  return {};
}

void reward_all(const FunnelSettings& settings, double gamma,
                std::span<EnvironmentCandidate> candidates) {
  for (EnvironmentCandidate& candidate : candidates) {
    const bool is_mended = candidate.first_try.has_value();
    candidate.reward =
        generator_reward(is_mended ? candidate.first_try->report.layer : candidate.report.layer,
                         is_mended ? std::nullopt : candidate.calibration.pass_rate(), gamma,
                         candidate.novelty.novelty, settings.reward);
    decide(settings, candidate);
  }
}

// Shortcuts against what is admitted, for its certificate.
void shortcut_all(const FunnelServices& services, const FunnelSettings& settings,
                  const RandomAddress& base, std::span<EnvironmentCandidate> candidates) {
  constexpr std::size_t kProblems = 24;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i].admission.is_admitted()) continue;
    const PythonEnvironment environment(candidates[i].source, services.sandbox);
    std::vector<ProblemRequest> requests;
    for (std::size_t k = 0; k < kProblems; ++k) {
      Rng rng(address(base, "problems of shortcuts", i, k));
      requests.push_back(
          {&environment, settings.levels[k % settings.levels.size()], rng.bits(), base.seed | 1});
    }
    std::vector<ProblemPtr> problems;
    for (auto& problem : generate_all(requests)) {
      if (problem) problems.push_back(std::move(*problem));
    }
    candidates[i].shortcuts = try_shortcuts(problems);
  }
}

}  // namespace

std::string EnvironmentCandidate::fate() const {
  const bool unread = review && review->lost > 0 && review->verdicts.empty();
  if (unread && admission.fate == AdmissionFate::kRejected) return "unjudged";
  const bool said = report.sound() || admission.fate == AdmissionFate::kCutShort;
  return said ? std::string(to_string(admission.fate)) : report.code();
}

std::string EnvironmentCandidate::reason() const {
  if (report.sound()) return admission.reason;
  if (admission.fate == AdmissionFate::kCutShort)
    return fmt::format("{} What came of it: {}", admission.reason, report.sentence);
  return report.sentence;
}

Json EnvironmentCandidate::write_json() const {
  Json json{{"response", response},  {"source", source},
            {"layer", report.layer}, {"validation", to_json(report)},
            {"reward", reward},      {"fate", fate()},
            {"reason", reason()}};
  if (is_cut) json["cut"] = true;
  if (first_try) {
    json["first_try"] = {{"source", first_try->source},
                         {"layer", first_try->report.layer},
                         {"fault", first_try->report.code()},
                         {"sentence", first_try->report.sentence}};
  }
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
  if (report.sound()) json["calibration"] = calibration.to_json();
  if (second) json["second_authors"] = second->to_json();
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
  Announcer announce(services.listener, candidates);
  const auto start = Clock::now();
  validate_all(services.sandbox, settings.validation, candidates);
  cost.validation_seconds = seconds_since(start);
  RETURN_IF_ERROR(repair_all(services, settings, base, candidates, cost));
  for (EnvironmentCandidate& candidate : candidates) decide(settings, candidate);
  announce.all_but(reached(candidates, 5));
  assess_all(services.encoder, settings.novelty, archive, weight, candidates);
  if (settings.admission_only) {
    auto open = admissible(settings, candidates, false);
    announce.all_but(open);
    RETURN_IF_ERROR(calibrate_all(services, settings, base, open, candidates, cost));
    open = admissible(settings, candidates, true);
    announce.all_but(open);
    RETURN_IF_ERROR(review_all(services, settings, base, open, candidates, cost));
  } else {
    const auto sound = reached(candidates, 5);
    RETURN_IF_ERROR(review_all(services, settings, base, sound, candidates, cost));
    RETURN_IF_ERROR(calibrate_all(services, settings, base, sound, candidates, cost));
  }
  const auto open = admissible(settings, candidates, true);
  announce.all_but(open);
  RETURN_IF_ERROR(ask_second(services, settings, base, open, candidates, cost));
  reward_all(settings, weight.gamma(), candidates);
  shortcut_all(services, settings, base, candidates);
  announce.all_but({});
  return cost;
}

}  // namespace redqueen::synth
