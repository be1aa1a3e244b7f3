#include "redqueen/recipes/rlve.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "redqueen/recipes/scoring.h"
#include "redqueen/train/dynamic_sampling.h"

namespace redqueen {
namespace {

// A problem on its way to the policy.
struct Task {
  CurriculumDraw from;
  ProblemAddress address;
  ProblemPtr problem;
};

// Counts of one step.
struct Tally {
  std::int64_t rollouts = 0;
  std::int64_t solved = 0;
  std::int64_t well_formed = 0;
  std::int64_t tokens = 0;
  std::int64_t cut = 0;  // responses that reached their limit
  double reward = 0.0;
  std::map<std::string, std::int64_t> failures;  // generation, by environment
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> by_environment;  // solved, rollouts

  void add(const Task& task, const ScoredRollout& rollout) {
    ++rollouts;
    solved += rollout.solved;
    well_formed += rollout.well_formed;
    tokens += static_cast<std::int64_t>(rollout.completion.tokens.size());
    cut += rollout.completion.finish == FinishReason::kLength;
    reward += rollout.reward;
    auto& [right, all] = by_environment[task.address.environment];
    right += rollout.solved;
    ++all;
  }
};

// A step of RLVE. Names follow the paper: i an environment, d a difficulty, h its upper level.
class Rlve {
 public:
  Rlve(const TrainSettings& settings, const Suite& suite, PromptFormat format, Policy& policy)
      : settings_(settings),
        suite_(suite),
        format_(std::move(format)),
        policy_(policy),
        salt_(training_salt(settings.run.seed)),
        curriculum_(suite.environments, settings.curriculum, settings.batch.rollouts) {}

  Expected<RecipeBatch> step(std::int64_t step) {
    Tally tally;
    std::vector<RolloutRecord> records;
    DynamicSamplingOptions options;
    options.groups = static_cast<std::size_t>(settings_.batch.prompts);
    options.max_rounds = settings_.batch.drop_equal_rewards ? settings_.batch.max_rounds : 1;
    const auto round = [&](int round, std::size_t) {
      return sample_round(step, round, tally, records);
    };

    RecipeBatch batch;
    if (settings_.batch.drop_equal_rewards) {
      auto sampled = sample_dynamically(options, round);
      if (!sampled) return tl::make_unexpected(sampled.error());
      batch.metrics.push_back(
          {std::string(metric::kEffectivePrompts), sampled->effective_prompt_ratio()});
      batch.metrics.push_back({"sampling_rounds", static_cast<double>(sampled->rounds)});
      batch.groups = std::move(sampled->groups);
    } else {
      auto sampled = round(0, options.groups);
      if (!sampled) return tl::make_unexpected(sampled.error());
      const auto kept = static_cast<double>(std::ranges::count_if(*sampled, has_variance));
      batch.metrics.push_back(
          {std::string(metric::kEffectivePrompts), kept / static_cast<double>(sampled->size())});
      batch.groups = std::move(*sampled);
    }
    add_metrics(tally, batch.metrics);
    batch.rollouts = std::move(records);
    batch.sampled_tokens = tally.tokens;
    return batch;
  }

  Curriculum& curriculum() { return curriculum_; }

 private:
  // Pick i uniformly, d uniformly from [l_i, h_i], generate; respond; score; count for h_i.
  Expected<std::vector<ScoredGroup>> sample_round(std::int64_t step, int round, Tally& tally,
                                                  std::vector<RolloutRecord>& records) {
    const int count = settings_.batch.drop_equal_rewards ? settings_.batch.sampled_prompts
                                                         : settings_.batch.prompts;
    const int first = round * count;
    std::vector<Task> tasks;
    std::vector<SampleRequest> requests;
    for (int k = 0; k < count; ++k) {
      auto task = draw_task(step, first + k, tally);
      if (!task) return tl::make_unexpected(task.error());
      requests.push_back(
          {format_.render(task->problem->prompt()), rollout_addresses(step, first + k)});
      tasks.push_back(std::move(*task));
    }
    auto responses = policy_.sample(requests, settings_.sampling);
    if (!responses) return tl::make_unexpected(responses.error());
    std::vector<ScoredGroup> groups;
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      groups.push_back(score(tasks[k], std::move((*responses)[k]), tally));
      record(first + static_cast<int>(k), tasks[k], requests[k].prompt, groups.back(), records);
    }
    return groups;
  }

  // The problem of place `index` in this step. A failed generation is counted and the next address tried.
  Expected<Task> draw_task(std::int64_t step, int index, Tally& tally) {
    constexpr int kAttempts = 20;
    Rng rng(address("curriculum", step, index, 0));
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const CurriculumDraw from = curriculum_.draw(rng);
      const Environment& environment = *curriculum_.environments()[from.environment];
      const std::uint64_t seed = rng.bits();
      if (auto problem = environment.generate(from.level, seed, salt_)) {
        return Task{from, environment.address(from.level, seed, salt_), std::move(*problem)};
      }
      ++tally.failures[std::string(environment.name())];
    }
    return failure(
        "{} problems in a row could not be generated; `redqueen gym check` finds the environment",
        kAttempts);
  }

  ScoredGroup score(const Task& task, CompletionGroup responses, Tally& tally) {
    ScoredGroup group{
        .role = "solver", .task = task.address.environment, .rule = settings_.advantage};
    group.prompt = std::move(responses.prompt_tokens);
    for (Completion& completion : responses.completions) {
      const Verdict verdict =
          score_completion(*task.problem, completion.text, format_,
                           static_cast<std::size_t>(settings_.batch.max_response_bytes));
      group.rollouts.push_back(
          {std::move(completion), verdict.reward, verdict.solved, verdict.well_formed});
      curriculum_.record(task.from, verdict.solved);
      tally.add(task, group.rollouts.back());
    }
    return group;
  }

  void record(int group, const Task& task, const std::string& prompt, const ScoredGroup& scored,
              std::vector<RolloutRecord>& records) const {
    if (records.size() >= static_cast<std::size_t>(settings_.run.record_rollouts)) return;
    const ScoredRollout& rollout = scored.rollouts.front();
    records.push_back({.group = group,
                       .environment = task.address.environment,
                       .level = task.address.level,
                       .address = task.address.to_string(),
                       .prompt = prompt,
                       .response = rollout.completion.text,
                       .reward = rollout.reward,
                       .solved = rollout.solved,
                       .well_formed = rollout.well_formed,
                       .tokens = static_cast<std::int64_t>(rollout.completion.tokens.size())});
  }

  static void add_metrics(const Tally& tally, std::vector<MetricValue>& metrics) {
    const auto share = [&](double sum) {
      return sum / static_cast<double>(std::max<std::int64_t>(tally.rollouts, 1));
    };
    metrics.push_back({std::string(metric::kReward), share(tally.reward)});
    metrics.push_back({std::string(metric::kSolved), share(static_cast<double>(tally.solved))});
    metrics.push_back(
        {std::string(metric::kWellFormed), share(static_cast<double>(tally.well_formed))});
    metrics.push_back(
        {std::string(metric::kResponseTokens), share(static_cast<double>(tally.tokens))});
    metrics.push_back({"cut_responses", share(static_cast<double>(tally.cut))});
    for (const auto& [environment, counts] : tally.by_environment) {
      metrics.push_back({"solved/" + environment,
                         static_cast<double>(counts.first) / static_cast<double>(counts.second)});
    }
    for (const auto& [environment, count] : tally.failures) {
      metrics.push_back({"failed_generations/" + environment, static_cast<double>(count)});
    }
  }

  RandomAddress address(std::string_view purpose, std::int64_t step, int index,
                        std::uint64_t salt) const {
    return {.seed = settings_.run.seed,
            .purpose = hash_name(purpose),
            .step = static_cast<std::uint64_t>(step),
            .index = static_cast<std::uint64_t>(index),
            .salt = salt};
  }

  std::vector<RandomAddress> rollout_addresses(std::int64_t step, int index) const {
    std::vector<RandomAddress> addresses;
    addresses.reserve(static_cast<std::size_t>(settings_.batch.rollouts));
    for (int j = 0; j < settings_.batch.rollouts; ++j) {
      addresses.push_back(address("sampling", step, index, static_cast<std::uint64_t>(j)));
    }
    return addresses;
  }

  TrainSettings settings_;
  Suite suite_;  // may own what the curriculum points to
  PromptFormat format_;
  Policy& policy_;
  std::uint64_t salt_;
  Curriculum curriculum_;
};

}  // namespace

std::uint64_t training_salt(std::uint64_t run_seed) {
  return Rng({.seed = run_seed, .purpose = hash_name("training problems")}).bits() | 1;
}

Expected<Recipe> make_rlve(const TrainSettings& settings, const Suite& suite, Policy& policy) {
  auto format = PromptFormat::parse(settings.policy.prompt_format);
  if (!format) return tl::make_unexpected(format.error());
  const auto rlve = std::make_shared<Rlve>(settings, suite, std::move(*format), policy);
  return Recipe{.name = "rlve",
                .step = [rlve](std::int64_t step) { return rlve->step(step); },
                .after_update = [rlve] { rlve->curriculum().end_step(); },
                .curriculum = [rlve] { return rlve->curriculum().rows(); },
                .state = [rlve] { return rlve->curriculum().state(); },
                .restore = [rlve](const Json& state) { return rlve->curriculum().restore(state); }};
}

}  // namespace redqueen
