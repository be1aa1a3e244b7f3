#include "redqueen/recipes/throughput.h"

#include <chrono>

#include "redqueen/policy/embedded_policy.h"
#include "redqueen/policy/transformer.h"
#include "redqueen/recipes/session.h"
#include "redqueen/recipes/warm_start.h"
#include "redqueen/train/embedded_trainer.h"

namespace redqueen {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<SampleRequest> make_requests(const TrainSettings& settings, const Suite& suite,
                                         const PromptFormat& format) {
  std::vector<SampleRequest> requests;
  for (int i = 0; i < settings.batch.prompts; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const Environment& environment =
        *suite.environments[static_cast<std::size_t>(i) % suite.environments.size()];
    const auto problem = environment.generate(0, seed);
    if (!problem) continue;
    SampleRequest request{format.render((*problem)->prompt()), {}};
    for (int j = 0; j < settings.batch.rollouts; ++j) {
      request.rollouts.push_back({.seed = 1, .index = seed, .salt = static_cast<std::uint64_t>(j)});
    }
    requests.push_back(std::move(request));
  }
  return requests;
}

// Rewards that differ within every group, so that every token has a gradient.
std::vector<ScoredGroup> make_groups(std::vector<CompletionGroup> responses) {
  std::vector<ScoredGroup> groups;
  for (CompletionGroup& response : responses) {
    ScoredGroup group{.role = "solver", .task = "throughput"};
    group.prompt = std::move(response.prompt_tokens);
    for (Completion& completion : response.completions) {
      group.rollouts.push_back(
          {std::move(completion), static_cast<double>(group.rollouts.size() % 2), false, true});
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

// Seconds a step; the first, which warms caches, does not count.
Expected<double> training_seconds(const TrainSettings& settings, const Transformer& model,
                                  const std::vector<ScoredGroup>& groups, bool share_prefix,
                                  int steps) {
  TrainerOptions options = settings.trainer;
  options.share_prefix = share_prefix;
  auto trainer = EmbeddedTrainer::create(model.clone(), options);
  if (!trainer) return tl::make_unexpected(trainer.error());
  Clock::time_point start;
  for (int step = 0; step <= steps; ++step) {
    if (step == 1) start = Clock::now();
    if (const auto report = (*trainer)->step(groups); !report)
      return tl::make_unexpected(report.error());
  }
  return seconds_since(start) / steps;
}

}  // namespace

Expected<Throughput> measure_throughput(const TrainSettings& settings, int steps) {
  const auto suite = load_suite(settings.suite);
  if (!suite) return tl::make_unexpected(suite.error());
  const auto format = PromptFormat::parse(settings.policy.prompt_format);
  if (!format) return tl::make_unexpected(format.error());
  std::vector<std::string> texts;
  for (const TextPair& pair :
       reference_corpus(*suite, {.levels = settings.warm_start.levels, .problems = 100}, *format)) {
    texts.push_back(pair.prompt + pair.target);
  }
  auto policy = make_policy(settings, texts);
  if (!policy) return tl::make_unexpected(policy.error());
  const Transformer& model = (*policy)->transformer();
  const auto requests = make_requests(settings, *suite, *format);

  Throughput result{.parameters = model.config().parameter_count()};
  std::vector<CompletionGroup> responses;
  Clock::time_point start;
  for (int step = 0; step <= steps; ++step) {
    if (step == 1) start = Clock::now();
    auto sampled = (*policy)->sample(requests, settings.sampling);
    if (!sampled) return tl::make_unexpected(sampled.error());
    responses = std::move(*sampled);
  }
  const double sampling_seconds = seconds_since(start) / steps;
  for (const CompletionGroup& response : responses) {
    result.prompt_tokens += static_cast<std::int64_t>(response.prompt_tokens.size());
    for (const Completion& completion : response.completions) {
      result.response_tokens += static_cast<std::int64_t>(completion.tokens.size());
    }
  }
  const auto groups = make_groups(std::move(responses));
  const auto shared = training_seconds(settings, model, groups, true, steps);
  if (!shared) return tl::make_unexpected(shared.error());
  const auto unshared = training_seconds(settings, model, groups, false, steps);
  if (!unshared) return tl::make_unexpected(unshared.error());
  const auto tokens = static_cast<double>(result.response_tokens);
  result.sampling = tokens / sampling_seconds;
  result.training_shared = tokens / *shared;
  result.training_unshared = tokens / *unshared;
  result.end_to_end = tokens / (sampling_seconds + *shared);
  return result;
}

}  // namespace redqueen
