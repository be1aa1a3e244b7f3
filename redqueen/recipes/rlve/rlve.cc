#include "redqueen/recipes/rlve/rlve.h"

#include <algorithm>
#include <numeric>

#include "redqueen/core/batch.h"
#include "redqueen/recipes/episodes.h"
#include "redqueen/recipes/rlve/partial_rollouts.h"
#include "redqueen/recipes/rlve/rlve_settings.h"
#include "redqueen/recipes/step_log.h"
#include "redqueen/suites/split.h"
#include "redqueen/train/dynamic_sampling.h"

namespace redqueen::rlve {
namespace {

// Problems that were answered, and their episodes.
struct Answered {
  std::vector<Task> tasks;
  std::vector<EpisodeGroup> groups;  // by task
};

constexpr const char* kUnfinished = "/unfinished";  // in the state; no environment has such a name

// A step of RLVE. Names follow the paper: i an environment, d a difficulty, h its upper level.
class Rlve final : public Recipe {
 public:
  Rlve(const TrainSettings& settings, const Suite& suite, PromptFormat format, Policy& policy)
      : settings_(settings),
        suite_(suite),
        episodes_{.format = std::move(format),
                  .sampling = settings.sampling,
                  .max_response_bytes = static_cast<std::size_t>(settings.batch.max_response_bytes),
                  .rewritten_history = settings.policy.rewritten_history,
                  .threads = settings.run.threads},
        policy_(policy),
        salt_(training_salt(settings.run.seed)),
        curriculum_(suite.environments, settings.curriculum, settings.batch.rollouts,
                    suite.weights),
        in_parts_(settings.table<RlveSettings>().tokens_per_round > 0),
        partial_(settings.sampling, settings.table<RlveSettings>().tokens_per_round) {}

  std::string_view name() const override { return "rlve"; }

  Expected<RecipeBatch> step(std::int64_t step) override {
    StepLog log(settings_.run.record_rollouts);
    DynamicSamplingOptions options;
    options.groups = settings_.batch.prompts;
    options.max_rounds = settings_.batch.dynamic_sampling ? settings_.batch.max_rounds : 1;
    options.rounds_may_be_empty = in_parts_;
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
    if (in_parts_) log.count("unfinished_groups", static_cast<double>(partial_.waiting()));
    std::move(log).write(batch);
    return batch;
  }

  void end_step() override { curriculum_.end_step(); }
  std::vector<run::CurriculumState> curriculum() const override { return curriculum_.rows(); }
  Json state() const override {
    Json state = curriculum_.state();
    if (in_parts_) state[kUnfinished] = partial_.state();
    return state;
  }
  Status restore(const Json& state) override {
    if (in_parts_ && state.contains(kUnfinished))
      RETURN_IF_ERROR(partial_.restore(state[kUnfinished], curriculum_.environments()));
    return curriculum_.restore(state);
  }

 private:
  // Pick i uniformly, d uniformly from [l_i, h_i], generate; respond; score; count for h_i.
  Expected<std::vector<ScoredGroup>> sample_round(std::int64_t step, int round, StepLog& log) {
    const int count = settings_.batch.dynamic_sampling ? settings_.batch.sampled_prompts
                                                       : settings_.batch.prompts;
    const int first = round * count;
    ASSIGN_OR_RETURN(auto tasks, draw_tasks(step, first, count, log));
    ASSIGN_OR_RETURN(Answered answered, in_parts_
                                            ? answer_in_parts(step, first, std::move(tasks), log)
                                            : answer(step, first, std::move(tasks), log));
    std::vector<ScoredGroup> groups;
    for (std::size_t k = 0; k < answered.tasks.size(); ++k) {
      EpisodeGroup& group = answered.groups[k];
      groups.push_back(make_group(answered.tasks[k], group, log));
      if (!log.has_place()) continue;
      log.record(record_of(first + static_cast<int>(k), answered.tasks[k], group),
                 groups.back().rollouts.front());
    }
    return groups;
  }

  // The addresses of the responses to place `place` of this step.
  std::vector<RandomAddress> addresses_of(std::int64_t step, std::size_t place) const {
    return rng_address(step).rollouts("sampling", place, settings_.batch.rollouts);
  }

  Expected<Answered> answer(std::int64_t step, int first, std::vector<Task> tasks, StepLog& log) {
    std::vector<EpisodeRequest> requests;
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      requests.push_back({tasks[k].problem.get(),
                          addresses_of(step, static_cast<std::size_t>(first) + k),
                          kind_of(tasks[k].problem_address)});
    }
    ASSIGN_OR_RETURN(EpisodeBatch played, rollout_episodes(policy_, requests, episodes_));
    log.count_missing(played.missing);
    if (played.cut > 0) log.count("cut_episodes", static_cast<double>(played.cut));
    log.count_rewritten(played.rewritten);
    return Answered{std::move(tasks), std::move(played.groups)};
  }

  // Returns the groups that are complete by now, of this round or of earlier ones.
  Expected<Answered> answer_in_parts(std::int64_t step, int first, std::vector<Task> tasks,
                                     StepLog& log) {
    std::vector<PartialGroup> fresh;
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      if (tasks[k].problem->max_turns() != 1) {
        return usage_error(
            "{} answers back, so its episodes cannot be drawn in parts; set rlve.tokens_per_round "
            "to 0",
            tasks[k].problem_address.environment);
      }
      std::string prompt = episodes_.format.render(tasks[k].problem->prompt());
      fresh.push_back({.task = std::move(tasks[k]),
                       .prompt = std::move(prompt),
                       .addresses = addresses_of(step, static_cast<std::size_t>(first) + k)});
    }
    MissingResponses missing;
    ASSIGN_OR_RETURN(auto done, partial_.draw(policy_, std::move(fresh), missing));
    log.count_missing(missing);
    std::vector<AnsweredProblem> problems;
    problems.reserve(done.size());
    for (const PartialGroup& group : done)
      problems.push_back({group.task.problem.get(), group.responses});
    const auto verdicts = score_answers(problems, episodes_);
    Answered answered;
    for (std::size_t k = 0; k < done.size(); ++k) {
      PartialGroup& group = done[k];
      EpisodeGroup played{.prompt = std::move(group.prompt),
                          .prompt_tokens = std::move(group.prompt_tokens)};
      add_answers(played, std::move(group.responses), verdicts[k]);
      answered.tasks.push_back(std::move(group.task));
      answered.groups.push_back(std::move(played));
    }
    return answered;
  }

  // The problems of places [first, first + count) in this step. A failed generation is counted and
  // its place draws the next address.
  Expected<std::vector<Task>> draw_tasks(std::int64_t step, int first, int count, StepLog& log) {
    constexpr int kAttempts = 20;
    std::vector<Task> tasks(static_cast<std::size_t>(count));
    std::vector<Rng> rngs;
    rngs.reserve(tasks.size());
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
    const auto solved = std::ranges::count(group.rollouts, true, &ScoredRollout::solved);
    const std::string ratio(run::metric::kEffectivePrompts);
    log.mean(ratio + "/shaped", has_variance(group));
    log.mean(ratio + "/solved", solved > 0 && solved < std::ssize(group.rollouts));
    for (ScoredRollout& rollout : group.rollouts) {
      if (settings_.reward == RewardKind::kSolved) rollout.reward = rollout.solved ? 1.0 : 0.0;
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
  bool in_parts_;
  PartialRollouts partial_;
};

}  // namespace

Expected<std::unique_ptr<Recipe>> make_rlve(const TrainSettings& settings, const Suite& suite,
                                            Policy& policy) {
  ASSIGN_OR_RETURN(PromptFormat format, settings.problem_format());
  return std::make_unique<Rlve>(settings, suite, std::move(format), policy);
}

}  // namespace redqueen::rlve
