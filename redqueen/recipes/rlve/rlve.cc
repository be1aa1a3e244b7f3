#include "redqueen/recipes/rlve/rlve.h"

#include <numeric>

#include "redqueen/core/batch.h"
#include "redqueen/recipes/episodes.h"
#include "redqueen/recipes/step_log.h"
#include "redqueen/train/dynamic_sampling.h"

namespace redqueen::rlve {
namespace {

// A problem on its way to the policy.
struct Task {
  CurriculumDraw from;
  ProblemAddress problem_address;
  ProblemPtr problem;
};

// A step of RLVE. Names follow the paper: i an environment, d a difficulty, h its upper level.
class Rlve final : public Recipe {
 public:
  Rlve(const TrainSettings& settings, const Suite& suite, PromptFormat format, Policy& policy)
      : settings_(settings),
        suite_(suite),
        episodes_{
            .format = std::move(format),
            .sampling = settings.sampling,
            .max_response_bytes = static_cast<std::size_t>(settings.batch.max_response_bytes)},
        policy_(policy),
        salt_(training_salt(settings.run.seed)),
        curriculum_(suite.environments, settings.curriculum, settings.batch.rollouts,
                    suite.weights) {}

  std::string_view name() const override { return "rlve"; }

  Expected<RecipeBatch> step(std::int64_t step) override {
    StepLog log(settings_.run.record_rollouts);
    DynamicSamplingOptions options;
    options.groups = settings_.batch.prompts;
    options.max_rounds = settings_.batch.dynamic_sampling ? settings_.batch.max_rounds : 1;
    const auto round = [&](int round, std::size_t) { return sample_round(step, round, log); };

    RecipeBatch batch;
    if (settings_.batch.dynamic_sampling) {
      ASSIGN_OR_RETURN(auto sampled, sample_dynamically(options, round));
      batch.metrics.push_back(
          {std::string(run::metric::kEffectivePrompts), sampled.effective_prompt_ratio()});
      batch.metrics.push_back({"sampling_rounds", static_cast<double>(sampled.rounds)});
      batch.groups = std::move(sampled.groups);
    } else {
      ASSIGN_OR_RETURN(batch.groups, round(0, options.groups));
      for (const ScoredGroup& group : batch.groups)
        log.mean(std::string(run::metric::kEffectivePrompts), has_variance(group));
    }
    std::move(log).write(batch);
    return batch;
  }

  void after_update() override { curriculum_.end_step(); }
  std::vector<run::CurriculumState> curriculum() const override { return curriculum_.rows(); }
  Json state() const override { return curriculum_.state(); }
  Status restore(const Json& state) override { return curriculum_.restore(state); }

 private:
  // Pick i uniformly, d uniformly from [l_i, h_i], generate; respond; score; count for h_i.
  Expected<std::vector<ScoredGroup>> sample_round(std::int64_t step, int round, StepLog& log) {
    const int count = settings_.batch.dynamic_sampling ? settings_.batch.sampled_prompts
                                                       : settings_.batch.prompts;
    const int first = round * count;
    ASSIGN_OR_RETURN(const auto tasks, draw_tasks(step, first, count, log));
    std::vector<EpisodeRequest> requests;
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      requests.push_back(
          {tasks[k].problem.get(),
           rng_address(step).rollouts("sampling", static_cast<std::size_t>(first) + k,
                                      settings_.batch.rollouts)});
    }
    ASSIGN_OR_RETURN(EpisodeBatch played, rollout_episodes(policy_, requests, episodes_));
    log.count_missing(played.missing);
    if (played.cut > 0) log.count("cut_episodes", static_cast<double>(played.cut));
    std::vector<ScoredGroup> groups;
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      EpisodeGroup& group = played.groups[k];
      groups.push_back(make_group(tasks[k], group, log));
      if (!log.has_place()) continue;
      log.record(record_of(first + static_cast<int>(k), tasks[k], group),
                 groups.back().rollouts.front());
    }
    return groups;
  }

  // The problems of places [first, first + count) in this step. A failed generation is counted and
  // its place draws the next address.
  Expected<std::vector<Task>> draw_tasks(std::int64_t step, int first, int count, StepLog& log) {
    constexpr int kAttempts = 20;
    std::vector<Task> tasks(static_cast<std::size_t>(count));
    std::vector<Rng> rngs;
    for (int k = 0; k < count; ++k) rngs.emplace_back(rng_address(step)("curriculum", first + k));
    std::vector<std::size_t> open(tasks.size());
    std::iota(open.begin(), open.end(), 0);
    for (int attempt = 0; attempt < kAttempts && !open.empty(); ++attempt) {
      std::vector<ProblemRequest> requests;
      for (const std::size_t k : open) {
        tasks[k].from = curriculum_.draw(rngs[k]);
        const auto& [environment, level] = tasks[k].from;
        requests.push_back({curriculum_.environments()[environment], level, rngs[k].bits(), salt_});
      }
      auto problems = generate_all(requests);
      std::vector<std::size_t> failed;
      for (std::size_t j = 0; j < open.size(); ++j) {
        const auto& [environment, level, seed, salt] = requests[j];
        if (problems[j]) {
          tasks[open[j]].problem_address = environment->address(level, seed, salt);
          tasks[open[j]].problem = std::move(*problems[j]);
        } else {
          log.count(fmt::format("failed_generations/{}", environment->name()));
          failed.push_back(open[j]);
        }
      }
      open = std::move(failed);
    }
    if (open.empty()) return tasks;
    return failure(
        "{} problems in a row could not be generated; `redqueen gym check` finds the environment",
        kAttempts);
  }

  ScoredGroup make_group(const Task& task, EpisodeGroup& played, StepLog& log) {
    ScoredGroup group{.role = "solver",
                      .task = task.problem_address.environment,
                      .rule = settings_.advantage,
                      .prompt = std::move(played.prompt_tokens),
                      .rollouts = std::move(played.rollouts)};
    for (const ScoredRollout& rollout : group.rollouts) {
      curriculum_.record(task.from, rollout.solved);
      log.answered(rollout);
      log.mean("solved/" + task.problem_address.environment, rollout.solved);
    }
    return group;
  }

  static run::RolloutRecord record_of(int group, const Task& task, const EpisodeGroup& played) {
    return {.group = group,
            .environment = task.problem_address.environment,
            .level = task.problem_address.level,
            .problem_address = task.problem_address.to_string(),
            .prompt = played.prompt,
            .turns = played.turns.front()};
  }

  StepAddress rng_address(std::int64_t step) const { return {settings_.run.seed, step}; }

  TrainSettings settings_;
  Suite suite_;  // may own what the curriculum points to
  EpisodeSettings episodes_;
  Policy& policy_;
  std::uint64_t salt_;
  Curriculum curriculum_;
};

}  // namespace

std::uint64_t training_salt(std::uint64_t run_seed) {
  return Rng({.seed = run_seed, .purpose = hash_name("training problems")}).bits() | 1;
}

Expected<std::unique_ptr<Recipe>> make_rlve(const TrainSettings& settings, const Suite& suite,
                                            Policy& policy) {
  ASSIGN_OR_RETURN(PromptFormat format, PromptFormat::parse(settings.policy.prompt_format));
  return std::make_unique<Rlve>(settings, suite, std::move(format), policy);
}

}  // namespace redqueen::rlve
