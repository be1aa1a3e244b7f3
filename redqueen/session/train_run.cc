#include "redqueen/session/train_run.h"

#include <chrono>

#include "redqueen/embedded/checkpoint.h"
#include "redqueen/session/distributed/rank_group.h"
#include "redqueen/session/evaluate.h"
#include "redqueen/session/load_policy.h"
#include "redqueen/session/loop.h"
#include "redqueen/session/memory_check.h"
#include "redqueen/session/own_settings.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

Expected<const RecipeEntry*> recipe_of(const TrainRequest& request) {
  if (request.recipe != nullptr) return request.recipe;
  return find_recipe(request.settings.run.recipe);
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

Status evaluate_into(const Engine& engine, run::EventStore& store, Policy& policy,
                     const TrainSettings& settings, const std::string& label, std::int64_t step,
                     run::Progress& progress) {
  const EvaluationSettings& asked = settings.evaluation;
  ASSIGN_OR_RETURN(const Suite suite,
                   load_suite_with_warning(
                       engine, asked.suite.empty() ? settings.suite : asked.suite, progress));
  ASSIGN_OR_RETURN(EvaluationOptions options, evaluation_options(settings, suite));
  options.label = label;
  options.step = step;
  progress.stage(fmt::format("evaluating {} training", label));
  ASSIGN_OR_RETURN(const auto result, evaluate(policy, suite, options));
  for (const std::string& warning : result.warnings()) progress.note("warning: " + warning);
  const run::EvaluationRecord total = total_of(result.records);
  progress.note(fmt::format("{} training: {} of {} held-out problems solved ({:.1f} %)", label,
                            total.solved, total.problems,
                            total.problems == 0 ? 0.0
                                                : 100.0 * static_cast<double>(total.solved) /
                                                      static_cast<double>(total.problems)));
  return store.append(result.records);
}

// The learners of a run, of this process or of all ranks together.
class Learners {
 public:
  static Expected<Learners> load(const TrainRequest& request,
                                 std::span<const LearnerSettings> wanted) {
    Learners learners;
    learners.own_settings_ = own_settings_file(request.settings);
    ASSIGN_OR_RETURN(learners.ranks_, start_ranks(request));
    ASSIGN_OR_RETURN(learners.local_, load_learners(request.settings.run, wanted,
                                                    {.rank = 0, .size = request.processes}));
    if (learners.ranks_) RETURN_IF_ERROR(learners.ranks_->gather(learners.local_));
    return learners;
  }

  // The policy that samples for learner `index`.
  Policy& policy(std::size_t index) const {
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
      Trainer& trainer = ranks_ ? ranks_->trainer(i) : *local_[i].trainer;
      list.push_back(
          {local_[i].role, trainer, [&own, own_settings = own_settings_](const fs::path& folder) {
             return save_checkpoint(folder, own.transformer(), own.tokenizer(), {&own_settings, 1});
           }});
    }
    return list;
  }

 private:
  CompanionFile own_settings_;
  std::vector<LocalLearner> local_;
  std::unique_ptr<RankGroup> ranks_;
};

}  // namespace

Status train(const Engine& engine, const TrainRequest& request, run::Progress& progress,
             const std::atomic<bool>& stop) {
  TrainSettings settings = request.settings;
  ASSIGN_OR_RETURN(const RecipeEntry* entry, recipe_of(request));
  RETURN_IF_ERROR(entry->check(settings, engine));
  ASSIGN_OR_RETURN(const std::vector<LearnerSettings> wanted, learners_of(*entry, settings));
  RETURN_IF_ERROR(check_train_memory(settings, wanted, request.processes));
  ASSIGN_OR_RETURN(const Learners learners, Learners::load(request, wanted));
  Policy& first = learners.policy(0);
  progress.note(
      fmt::format("{} in {}: {}", entry->name, request.run.string(), how_asked(settings)));
  RETURN_IF_ERROR(resolve_prompt_format(first, settings));
  ASSIGN_OR_RETURN(const auto recipe, entry->make({settings, first, engine, request.run, progress,
                                                   learners.policies_by_role()}));
  ASSIGN_OR_RETURN(run::RunDirectory directory, open_run(request));
  ASSIGN_OR_RETURN(run::EventStore store, run::EventStore::open(directory.database_path()));
  RETURN_IF_ERROR(store.describe(
      run::charts_of_run(entry->charts ? entry->charts() : std::vector<run::ChartRecord>())));

  const LoopParts parts{directory, store, learners.all(), *recipe, progress, stop};
  ASSIGN_OR_RETURN(const std::int64_t done, resume(parts));
  if (done == 0 && settings.evaluation.before)
    RETURN_IF_ERROR(evaluate_into(engine, store, first, settings, "before", 0, progress));
  ASSIGN_OR_RETURN(const LoopOutcome outcome, run_loop(parts, settings.run, done));
  RETURN_IF_ERROR(save_policies(parts.learners, request.run));
  if (outcome.stopped) {
    progress.note(
        fmt::format("stopped after step {} of {}, saved; go on with: redqueen train --resume {}",
                    outcome.step, settings.run.steps, request.run.string()));
    return {};
  }
  if (!settings.evaluation.after) return {};
  return evaluate_into(engine, store, first, settings, "after", outcome.step, progress);
}

}  // namespace redqueen
