#include "redqueen/session/throughput.h"

#include <chrono>

#include "redqueen/embedded/embedded_policy.h"
#include "redqueen/model/transformer.h"
#include "redqueen/policy/missing_responses.h"
#include "redqueen/run/seconds_since.h"
#include "redqueen/session/init_policy.h"
#include "redqueen/suites/reference_corpus.h"
#include "redqueen/train/embedded_trainer.h"

namespace redqueen {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<SampleRequest> make_requests(const TrainSettings& settings, const Suite& suite,
                                         const PromptFormat& format) {
  std::vector<SampleRequest> requests;
  for (int i = 0; i < settings.batch.prompts; ++i) {
    const std::uint64_t seed = i;
    const Environment& environment =
        *suite.environments[static_cast<std::size_t>(i) % suite.environments.size()];
    const auto problem = environment.generate(0, seed);
    if (!problem) continue;
    SampleRequest request{format.render((*problem)->prompt()), {}};
    for (int j = 0; j < settings.batch.rollouts; ++j) {
      request.addresses.push_back(
          {.seed = 1, .index = seed, .salt = static_cast<std::uint64_t>(j)});
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
  ASSIGN_OR_RETURN(auto trainer, EmbeddedTrainer::create(model.clone(), options));
  Clock::time_point start;
  for (int step = 0; step <= steps; ++step) {
    if (step == 1) start = Clock::now();
    RETURN_IF_ERROR(trainer->step(groups));
  }
  return run::seconds_since(start) / steps;
}

}  // namespace

Expected<Throughput> measure_throughput(const Engine& engine, const TrainSettings& settings,
                                        int steps) {
  ASSIGN_OR_RETURN(const auto suite, engine.load_suite(settings.suite));
  ASSIGN_OR_RETURN(const auto format, PromptFormat::parse(settings.policy.prompt_format));
  std::vector<std::string> texts;
  for (const TextPair& pair :
       reference_corpus(suite, {.levels = settings.warm_start.levels, .problems = 100}, format)) {
    texts.push_back(pair.prompt + pair.target);
  }
  ASSIGN_OR_RETURN(auto policy, make_policy(settings, texts));
  const Transformer& model = policy->transformer();
  const auto requests = make_requests(settings, suite, format);

  Throughput result{.parameters = model.config().parameter_count()};
  std::vector<CompletionGroup> responses;
  Clock::time_point start;
  for (int step = 0; step <= steps; ++step) {
    if (step == 1) start = Clock::now();
    ASSIGN_OR_RETURN(auto sampled, policy->sample(requests, settings.sampling));
    responses = std::move(sampled);
  }
  MissingResponses missing;
  missing.count(responses);
  if (missing.missing() > 0) return failure("throughput: {}", missing.sentence());
  const double sampling_seconds = run::seconds_since(start) / steps;
  for (const CompletionGroup& response : responses) {
    result.prompt_tokens += response.prompt_tokens.size();
    for (const Completion& completion : response.completions) {
      result.response_tokens += completion.tokens.size();
    }
  }
  const auto groups = make_groups(std::move(responses));
  ASSIGN_OR_RETURN(const auto shared, training_seconds(settings, model, groups, true, steps));
  ASSIGN_OR_RETURN(const auto unshared, training_seconds(settings, model, groups, false, steps));
  const auto tokens = static_cast<double>(result.response_tokens);
  result.sampling = tokens / sampling_seconds;
  result.training_shared = tokens / shared;
  result.training_unshared = tokens / unshared;
  result.end_to_end = tokens / (sampling_seconds + shared);
  return result;
}

}  // namespace redqueen
