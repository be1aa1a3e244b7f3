#include "redqueen/session/train_run.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "redqueen/embedded/checkpoint.h"
#include "redqueen/recipes/engine_settings.h"
#include "redqueen/recipes/recipes.h"
#include "redqueen/run/changed_config.h"
#include "redqueen/session/distributed/rank_group.h"
#include "redqueen/session/engine_policy.h"
#include "redqueen/session/evaluate.h"
#include "redqueen/session/load_embedded.h"
#include "redqueen/session/load_policy.h"
#include "redqueen/session/loop.h"
#include "redqueen/session/memory_check.h"
#include "redqueen/session/own_settings.h"
#include "redqueen/session/time_plan.h"
#include "redqueen/session/turn_end.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

Expected<const RecipeType*> recipe_of(const TrainSettings& settings, const RecipeType* given) {
  if (given != nullptr) return given;
  return find_recipe(settings.run.recipe);
}

bool evaluates(const TrainSettings& settings) {
  const EvaluationSettings& asked = settings.evaluation;
  return asked.before || asked.after || asked.every > 0;
}

Expected<run::RunDirectory> open_run(const TrainRequest& request) {
  return request.resume ? run::RunDirectory::open(request.run)
                        : run::RunDirectory::create(request.run, request.toml);
}

// Null where this process works alone.
Expected<std::unique_ptr<RankGroup>> start_ranks(const TrainRequest& request) {
  if (request.processes == 1) return std::unique_ptr<RankGroup>();
  return RankGroup::start({.size = request.processes,
                           .toml = request.toml,
                           .timeout = std::chrono::seconds(request.settings.run.peer_timeout),
                           .command = request.rank_command});
}

// Evaluations of a run: before training, every so many steps, and after it.
class Evaluations {
 public:
  Evaluations(const Engine& engine, run::EventStore& store, Policy& policy,
              const TrainSettings& settings, run::Progress& progress)
      : engine_(engine),
        store_(store),
        policy_(policy),
        settings_(settings),
        suites_(evaluation_suites(settings)),
        progress_(progress) {}

  // Evaluates on every suite, records it, and returns the share solved on the first one.
  Expected<double> make(const std::string& label, const std::string& words, std::int64_t step) {
    std::vector<SuiteEvaluation> evaluations;
    for (const std::string& name : suites_) {
      ASSIGN_OR_RETURN(evaluations.emplace_back(), evaluation_of(name, label, step));
    }
    told_ = true;
    first_suite_ = evaluations.front().suite.name;
    progress_.stage(fmt::format("evaluating {}", words));
    ASSIGN_OR_RETURN(const auto results,
                     evaluate_all(policy_, evaluations, evaluation_progress(progress_)));
    for (const EvaluationResult& result : results) {
      note(result, words);
      RETURN_IF_ERROR(store_.append(result.records));
    }
    return share(total_of(results.front().records));
  }

  // The same, and whether the policy is better on the first suite than those of all other steps.
  // The end of a run that was lengthened has the label of the end before, and takes its place in
  // the store: so that one is read first.
  Expected<bool> make_best(const std::string& label, const std::string& words, std::int64_t step) {
    ASSIGN_OR_RETURN(const auto earlier, store_.evaluations());
    ASSIGN_OR_RETURN(const double reached, make(label, words, step));
    return reached > best_share(earlier, step);
  }

 private:
  // Of the trained policies but that after `step`, on the first suite; −1 if there is no other.
  double best_share(const std::vector<run::EvaluationRecord>& records, std::int64_t step) const {
    std::map<std::string, run::EvaluationRecord> totals;  // by policy
    for (const run::EvaluationRecord& record : records) {
      if (record.step == 0 || record.step == step || record.suite != first_suite_) continue;
      run::EvaluationRecord& total = totals[record.policy];
      total.problems += record.problems;
      total.solved += record.solved;
    }
    double best = -1;
    for (const auto& [policy, total] : totals) best = std::max(best, share(total));
    return best;
  }

  static double share(const run::EvaluationRecord& total) {
    if (total.problems == 0) return 0;
    return static_cast<double>(total.solved) / static_cast<double>(total.problems);
  }

  Expected<SuiteEvaluation> evaluation_of(const std::string& name, const std::string& label,
                                          std::int64_t step) {
    ASSIGN_OR_RETURN(Suite suite, told_ ? engine_.load_suite(name)
                                        : load_suite_with_warning(engine_, name, progress_));
    ASSIGN_OR_RETURN(EvaluationOptions options, evaluation_options(settings_, suite));
    options.label = label;
    options.step = step;
    return SuiteEvaluation{std::move(suite), std::move(options)};
  }

  void note(const EvaluationResult& result, const std::string& words) {
    for (const std::string& warning : result.warnings()) progress_.note("warning: " + warning);
    const run::EvaluationRecord total = total_of(result.records);
    const auto passed = pass_rate(total);
    progress_.note(
        fmt::format("{}: {} of {} held-out problems solved ({:.1f} %), {:.1f} % of the responses "
                    "cut{}{}",
                    words, total.solved, total.problems, 100 * share(total),
                    100.0 * static_cast<double>(total.cut) /
                        static_cast<double>(std::max<std::int64_t>(1, total.problems)),
                    passed ? fmt::format(", pass@{} {:.1f} %", total.samples, 100 * *passed) : "",
                    suites_.size() > 1 ? " of " + total.suite : ""));
  }

  const Engine& engine_;
  run::EventStore& store_;
  Policy& policy_;
  const TrainSettings& settings_;
  const std::vector<std::string> suites_;
  run::Progress& progress_;
  std::string first_suite_;
  bool told_ = false;  // which environments suites lack
};

void warn_of_shared_data_sets(const Engine& engine, const TrainSettings& settings,
                              run::Progress& progress) {
  if (!evaluates(settings)) return;
  const auto shared = shared_data_sets(settings, engine);
  if (shared.empty()) return;
  progress.note(
      fmt::format("warning: the rows of {} are trained on and evaluated, so that what is solved of "
                  "them says nothing of other problems; name another file in evaluation.suite",
                  fmt::join(shared, ", ")));
}

void warn_of_settings(const TrainSettings& settings, const Policy& policy,
                      run::Progress& progress) {
  const ObjectiveOptions& objective = settings.trainer.objective;
  if (objective.kl_coefficient > 0 && objective.kl == KlEstimator::kK1) {
    progress.note(
        "warning: train.kl_estimator is k1, whose expected gradient is zero and not that of the "
        "divergence, so that it holds the policy nowhere and adds noise; k2 and k3 have one");
  }
  const std::string warning = turn_end_warning(policy, settings.sampling.stop);
  if (!warning.empty()) progress.note("warning: " + warning);
}

Status check_overlong(const TrainSettings& settings) {
  if (settings.batch.overlong_cache <= settings.sampling.max_new_tokens) return {};
  return usage_error(
      "batch.overlong_cache = {} is more than a response has tokens, sampling.max_new_tokens = {}; "
      "set it to a part of them",
      settings.batch.overlong_cache, settings.sampling.max_new_tokens);
}

// Whether the settings suit an engine elsewhere, where they name one.
Status check_engine(const TrainSettings& settings, std::size_t learners) {
  const auto& engine = settings.table<EngineSettings>();
  const std::string& path = engine.path;
  if (path.empty() && engine.ahead) {
    return usage_error(
        "sampling.ahead: this process samples and learns with the same weights, memory and "
        "processors, one after the other; name an engine elsewhere in sampling.engine, or leave "
        "sampling.ahead at false");
  }
  if (path.empty()) return {};
  if (!path.starts_with(kEndpointPrefix)) {
    return usage_error(
        "sampling.engine = \"{}\": an engine is named by openai:URL, for example "
        "openai:http://127.0.0.1:9000/v1",
        path);
  }
  if (learners > 1) {
    return usage_error(
        "sampling.engine: an engine has the weights of one policy, but the recipe {} trains {}",
        settings.run.recipe, learners);
  }
  const TrainerOptions& trainer = settings.trainer;
  if (trainer.objective.importance_cap > 0 && trainer.old_log_probs == OldLogProbs::kRecomputed)
    return {};
  return usage_error(
      "sampling.engine: an engine's probabilities are not quite the trainer's, so its tokens must "
      "be weighed by their truncated ratio: set train.importance_cap, 2.0 for example, and "
      "train.old_log_probs=recomputed");
}

// The engine that samples for a learner; null where this process does.
Expected<std::unique_ptr<EnginePolicy>> make_engine_policy(const TrainRequest& request,
                                                           const LocalLearner& learner,
                                                           const Trainer& trainer) {
  const auto& engine = request.settings.table<EngineSettings>();
  if (engine.path.empty()) return std::unique_ptr<EnginePolicy>();
  EndpointOptions options =
      request.settings.endpoint.options(engine.path.substr(kEndpointPrefix.size()));
  if (options.model.empty()) options.model = learner.policy->name();
  ASSIGN_OR_RETURN(auto endpoint, TokenEndpoint::create(options));
  return std::make_unique<EnginePolicy>(
      *learner.policy, std::move(endpoint),
      HandoverOptions{.reload = engine.reload,
                      .folder = request.run / "engine",
                      .steps = [&trainer] { return trainer.steps(); }});
}

// The learners of a run, of this process or of all ranks together.
class Learners {
 public:
  static Expected<Learners> load(const TrainRequest& request,
                                 std::span<const LearnerSettings> wanted) {
    Learners learners;
    learners.own_settings_ = own_settings_file(request.settings);
    ASSIGN_OR_RETURN(learners.ranks_, start_ranks(request));
    ASSIGN_OR_RETURN(learners.local_, load_learners(request.settings, wanted,
                                                    {.rank = 0, .size = request.processes}));
    if (learners.ranks_) RETURN_IF_ERROR(learners.ranks_->gather(learners.local_));
    ASSIGN_OR_RETURN(learners.engine_,
                     make_engine_policy(request, learners.local_[0], learners.trainer(0)));
    return learners;
  }

  // The policy that samples for learner `index`.
  Policy& policy(std::size_t index) const {
    if (engine_) return *engine_;
    return ranks_ ? ranks_->policy(index) : *local_[index].policy;
  }

  std::map<std::string, Policy*, std::less<>> policies_by_role() const {
    std::map<std::string, Policy*, std::less<>> roles;
    for (std::size_t i = 0; i < local_.size() && local_.size() > 1; ++i)
      roles[local_[i].role] = &policy(i);
    return roles;
  }

  // The learners as the loop uses them.
  std::vector<Learner> all() const {
    std::vector<Learner> list;
    for (std::size_t i = 0; i < local_.size(); ++i) {
      const EmbeddedPolicy& own = *local_[i].policy;
      list.push_back(
          {local_[i].role, trainer(i),
           [&own, own_settings = own_settings_](const fs::path& folder, const fs::path& same) {
             return save_checkpoint(folder, own.transformer(), own.tokenizer(), {&own_settings, 1},
                                    same);
           }});
    }
    return list;
  }

  // The policy of learner `index` in this process, whoever else samples.
  Policy& own_policy(std::size_t index) const { return *local_[index].policy; }

  // Null where this process samples.
  EnginePolicy* engine() const { return engine_.get(); }

 private:
  Trainer& trainer(std::size_t index) const {
    return ranks_ ? ranks_->trainer(index) : *local_[index].trainer;
  }

  CompanionFile own_settings_;
  std::vector<LocalLearner> local_;
  std::unique_ptr<RankGroup> ranks_;
  std::unique_ptr<EnginePolicy> engine_;
};

// Tells how long the run will take from here, if this machine samples for it.
void tell_time_plan(const Engine& engine, const TrainSettings& settings, const Learners& learners,
                    std::span<const LearnerSettings> wanted, const TrainRequest& request,
                    std::int64_t done, run::Progress& progress) {
  if (learners.engine() != nullptr || done >= settings.run.steps) return;
  progress.stage("trying out how fast the policy is");
  std::optional<TimePlan> plan;
  std::optional<Pace> first;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto pace = measure_pace(learners.own_policy(i), settings.batch.rollouts);
    if (!pace) return;
    TrainSettings own = settings;
    own.trainer = wanted[i].trainer;
    const TimePlan one = plan_time(engine, own, *pace, wanted[i].calls, request.processes, done);
    if (!plan) {
      plan = one;
      first = pace;
    } else {
      plan->step += one.step;
    }
  }
  if (plan) progress.note(time_plan_text(*plan, *first, settings, done));
}

}  // namespace

Status check_settings(const Engine& engine, const TrainSettings& settings,
                      const RecipeType* recipe) {
  ASSIGN_OR_RETURN(const RecipeType* type, recipe_of(settings, recipe));
  RETURN_IF_ERROR(type->check(settings, engine));
  RETURN_IF_ERROR(check_overlong(settings));
  return evaluates(settings) ? check_evaluations(settings, engine) : Status();
}

Status train(const Engine& engine, const TrainRequest& request, run::Progress& progress,
             const std::atomic<bool>& stop) {
  TrainSettings settings = request.settings;
  ASSIGN_OR_RETURN(const RecipeType* type, recipe_of(settings, request.recipe));
  RETURN_IF_ERROR(check_settings(engine, settings, type));
  ASSIGN_OR_RETURN(const std::vector<LearnerSettings> wanted, learners_of(*type, settings));
  RETURN_IF_ERROR(check_engine(settings, wanted.size()));
  progress.stage("loading the policy");
  RETURN_IF_ERROR(check_train_memory(engine, settings, wanted, request.processes));
  ASSIGN_OR_RETURN(const Learners learners, Learners::load(request, wanted));
  Policy& first = learners.policy(0);
  progress.note(
      fmt::format("{} in {}: {}", type->name(), request.run.string(), how_asked(settings)));
  warn_of_settings(settings, learners.own_policy(0), progress);
  RETURN_IF_ERROR(resolve_prompt_format(first, settings));
  warn_of_shared_data_sets(engine, settings, progress);
  ASSIGN_OR_RETURN(const auto recipe, type->make({settings, first, engine, request.run, progress,
                                                  learners.policies_by_role()}));
  ASSIGN_OR_RETURN(run::RunDirectory directory, open_run(request));
  ASSIGN_OR_RETURN(run::EventStore store, run::EventStore::open(directory.database_path()));
  std::vector<std::string> roles;  // of several policies
  for (std::size_t i = 0; i < wanted.size() && wanted.size() > 1; ++i)
    roles.push_back(wanted[i].role);
  RETURN_IF_ERROR(store.describe(run::charts_of_run(type->charts(), roles)));

  Evaluations evaluations(engine, store, first, settings, progress);
  LoopParts parts{directory, store, learners.all(), *recipe, progress, stop};
  parts.overlong = {.mask_cut = settings.batch.mask_cut,
                    .cache = settings.batch.overlong_cache,
                    .longest = settings.sampling.max_new_tokens};
  if (EnginePolicy* engine = learners.engine()) {
    parts.sampling_metrics = [engine] { return engine->take_metrics(); };
    if (settings.table<EngineSettings>().ahead) {
      parts.ahead = SamplingAhead{.hold_weights = [engine] { return engine->hold_weights(); },
                                  .release_weights = [engine] { engine->release_weights(); }};
    }
  }
  // Evaluates, and keeps the policy as RUN/best/policy if it is the best so far.
  const auto evaluate_during = [&](std::int64_t step, const std::string& label,
                                   const std::string& words) -> Status {
    ASSIGN_OR_RETURN(const bool is_best, evaluations.make_best(label, words, step));
    if (settings.evaluation.every == 0 || !is_best) return {};
    const fs::path folder = request.run / "best";
    progress.note(fmt::format("the best policy so far is kept in {}", folder.string()));
    return save_policies(parts.learners, folder);
  };
  if (settings.evaluation.every > 0) {
    parts.after_step = [&](std::int64_t step) -> Status {
      if (step % settings.evaluation.every != 0) return {};
      const std::string label = fmt::format("step {}", step);
      RETURN_IF_ERROR(evaluate_during(step, label, "after " + label));
      progress.stage(std::string(recipe->name()));
      return {};
    };
  }
  ASSIGN_OR_RETURN(LoopStart start, resume(parts));
  const std::int64_t done = start.done;
  if (request.resume) {
    ASSIGN_OR_RETURN(const fs::path before, run::change_config(request.run, request.toml, done));
    if (!before.empty())
      progress.note(fmt::format("the settings have changed; {} holds those up to step {}",
                                before.string(), done));
  }
  tell_time_plan(engine, settings, learners, wanted, request, done, progress);
  if (done == 0 && settings.evaluation.before)
    RETURN_IF_ERROR(evaluations.make("before", "before training", 0));
  ASSIGN_OR_RETURN(const LoopOutcome outcome, run_loop(parts, settings.run, std::move(start)));
  RETURN_IF_ERROR(save_policies(parts.learners, request.run));
  if (outcome.stopped) {
    progress.note(
        fmt::format("stopped after step {} of {}, saved; go on with: redqueen train --resume {}",
                    outcome.step, settings.run.steps, request.run.string()));
    return {};
  }
  if (!settings.evaluation.after) return {};
  return evaluate_during(outcome.step, "after", "after training");
}

}  // namespace redqueen
