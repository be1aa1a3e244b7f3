#include "redqueen/session/loop.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>

#include "redqueen/core/text_file.h"
#include "redqueen/run/seconds_since.h"
#include "redqueen/session/teaching_watch.h"
#include "redqueen/train/batch_file.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// `state` is the recipe's after `step`.
Status save_checkpoint(const LoopParts& parts, std::int64_t step, const Json& state, int keep) {
  RETURN_IF_ERROR(
      parts.directory.save_checkpoint(step, keep, [&](const fs::path& folder) -> Status {
        RETURN_IF_ERROR(save_learners(parts.learners, folder));
        std::ofstream file(folder / "recipe.json", std::ios::binary);
        file << dump_json(Json{{"recipe", parts.recipe.name()}, {"state", state}}) << '\n';
        file.close();
        if (!file) return failure("{}: cannot be written", (folder / "recipe.json").string());
        return {};
      }));
  return {};
}

Status load_recipe_state(Recipe& recipe, const fs::path& path) {
  ASSIGN_OR_RETURN(const std::string text, read_text_file(path));
  const auto json = parse_json(text);
  if (!json) return failure("{}: {}", path.string(), json.error().message);
  if (!json->is_object() || json->value("recipe", "") != recipe.name() ||
      !json->contains("state")) {
    return failure("{}: this is no checkpoint of the recipe {}", path.string(), recipe.name());
  }
  return recipe.restore((*json)["state"]);
}

// A damaged checkpoint does not end the run where there is one before it.
Error name_way_on(const run::RunDirectory& directory, const run::Checkpoint& newest, Error error) {
  const auto all = run::checkpoints_of(directory.path());
  if (all.size() > 1) {
    error.message += fmt::format(" If the checkpoint is damaged, remove {} to go on from step {}.",
                                 newest.folder.string(), all[all.size() - 2].step);
  }
  return error;
}

// "levels 0–3": the widest range over environments.
std::string levels_text(const std::vector<run::CurriculumState>& rows) {
  if (rows.empty()) return {};
  int low = rows.front().lower_level;
  int high = rows.front().upper_level;
  for (const run::CurriculumState& row : rows) {
    low = std::min(low, row.lower_level);
    high = std::max(high, row.upper_level);
  }
  return fmt::format("levels {}–{}", low, high);
}

// Why a step failed, with the batch left for looking into.
Error keep_batch(const LoopParts& parts, std::int64_t step, const std::vector<ScoredGroup>& groups,
                 Error error) {
  const fs::path file = parts.directory.path() / fmt::format("failed-batch-step-{:08}.jsonl", step);
  const Status written = write_batch(file, groups);
  error.message += written ? fmt::format(" The batch is in {}.", file.string())
                           : fmt::format(" {}", written.error().message);
  return error;
}

// The run as it stands after a step.
struct Reached {
  std::int64_t step = 0;
  Json state;                             // of the recipe
  std::vector<std::int64_t> learnt = {};  // steps of each learner
};

// A step failed. What the steps before it reached is saved, without touching older checkpoints:
// those may be what the user wants to go back to. A learner that has made the failed step already
// cannot be saved as of the step before.
Error save_what_was_done(const LoopParts& parts, const Reached& reached, Error error) {
  const auto& [step, state, learnt] = reached;
  const auto newest = parts.directory.latest_checkpoint();
  if (step > 0 && (!newest || newest->step < step) && steps_of(parts.learners) == learnt) {
    constexpr int kAll = std::numeric_limits<int>::max();
    if (Status saved = save_checkpoint(parts, step, state, kAll); !saved)
      error.message += fmt::format(" {}", saved.error().message);
  }
  const auto last = parts.directory.latest_checkpoint();
  error.message += fmt::format(" Saved is step {}; go on with: redqueen train --resume {}",
                               last ? last->step : 0, parts.directory.path().string());
  return error;
}

// A response that is missing counted as wrong where it was scored; without tokens there is nothing
// to train on.
void drop_missing(std::vector<ScoredGroup>& groups) {
  for (ScoredGroup& group : groups) {
    std::erase_if(group.rollouts,
                  [](const ScoredRollout& rollout) { return rollout.completion.tokens.empty(); });
  }
  std::erase_if(groups, [](const ScoredGroup& group) { return group.rollouts.empty(); });
}

// Records how many responses were missing in a step, and tells the user the first time. Fails as
// long as not one response ever came: then the settings are at fault. `so_far` is of all steps.
Status account_for_missing(const MissingResponses& of_step, std::int64_t step,
                           run::Progress& progress, MissingResponses& so_far,
                           std::vector<run::MetricValue>& metrics) {
  const bool told = so_far.missing() > 0;
  so_far.add(of_step);
  if (so_far.none_came()) {
    return so_far.failed == 0 ? usage_error("step {}: {}", step, of_step.sentence())
                              : failure("step {}: {}", step, of_step.sentence());
  }
  if (!told && of_step.missing() > 0) {
    progress.note(fmt::format(
        "step {}: {}; they count as wrong, and nothing is learnt from them; the metrics "
        "missing/prompt_too_long and missing/failed count them from here on",
        step, of_step.sentence()));
  }
  metrics.push_back({"missing/prompt_too_long", static_cast<double>(of_step.too_long)});
  metrics.push_back({"missing/failed", static_cast<double>(of_step.failed)});
  return {};
}

// One step: sample, update, move the curriculum. What happened, for the store.
Expected<run::StepRecord> make_step(const LoopParts& parts, std::int64_t step,
                                    MissingResponses& missing, std::string& remark) {
  const auto start = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(auto batch, parts.recipe.step(step));
  const double sampling_seconds = run::seconds_since(start);

  run::StepRecord record{.step = step};
  record.metrics = std::move(batch.metrics);
  if (parts.sampling_metrics)
    std::ranges::move(parts.sampling_metrics(), std::back_inserter(record.metrics));
  RETURN_IF_ERROR(
      account_for_missing(batch.missing, step, parts.progress, missing, record.metrics));
  if (remark.empty() && !batch.remark.empty()) {
    remark = std::move(batch.remark);
    parts.progress.note(fmt::format("step {}: {}", step, remark));
  }
  auto tokens = static_cast<double>(batch.sampled_tokens);
  drop_missing(batch.groups);
  if (!batch.groups.empty()) {
    auto report = step_learners(parts.learners, batch.groups);
    if (!report) {
      return tl::make_unexpected(keep_batch(parts, step, batch.groups, report.error()));
    }
    std::ranges::move(report->metrics, std::back_inserter(record.metrics));
    tokens += static_cast<double>(report->trained_tokens);
  }
  parts.recipe.after_update();

  record.time = unix_time();
  record.seconds = run::seconds_since(start);
  record.metrics.push_back({"sampling_seconds", sampling_seconds});
  record.metrics.push_back({std::string(run::metric::kTokensPerSecond), tokens / record.seconds});
  record.curriculum = parts.recipe.curriculum();
  record.rollouts = std::move(batch.rollouts);
  record.items = std::move(batch.items);
  return record;
}

}  // namespace

Expected<std::int64_t> resume(const LoopParts& parts) {
  const auto checkpoint = parts.directory.latest_checkpoint();
  const std::int64_t step = checkpoint ? checkpoint->step : 0;
  if (checkpoint) {
    const Status restored = restore_learners(parts.learners, checkpoint->folder).and_then([&] {
      return load_recipe_state(parts.recipe, checkpoint->folder / "recipe.json");
    });
    if (!restored) {
      return tl::make_unexpected(name_way_on(parts.directory, *checkpoint, restored.error()));
    }
  }
  RETURN_IF_ERROR(parts.store.trim_after(step));
  return step;
}

Expected<LoopOutcome> run_loop(const LoopParts& parts, const RunSettings& settings,
                               std::int64_t done) {
  LoopOutcome outcome{.step = done};
  if (done == 0) RETURN_IF_ERROR(parts.recipe.prepare(parts.store, parts.progress, parts.stop));
  parts.progress.stage(std::string(parts.recipe.name()));
  MissingResponses missing;
  std::string remark;  // the recipe's first
  TeachingWatch watch;
  while (outcome.step < settings.steps && !parts.stop) {
    const Reached before{outcome.step, parts.recipe.state(), steps_of(parts.learners)};
    auto record = make_step(parts, outcome.step + 1, missing, remark);
    if (!record) {
      return tl::make_unexpected(save_what_was_done(parts, before, std::move(record.error())));
    }
    if (const Status kept = parts.store.append(*record); !kept) {
      return tl::make_unexpected(
          save_what_was_done(parts, before, {kept.error().kind, kept.error().message + "."}));
    }
    ++outcome.step;
    parts.progress.step(
        {.step = outcome.step,
         .total_steps = settings.steps,
         .step_seconds = record->seconds,
         .reward = run::value_of(record->metrics, run::metric::kReward),
         .solved = run::value_of(record->metrics, run::metric::kSolved),
         .effective_prompt_ratio = run::value_of(record->metrics, run::metric::kEffectivePrompts),
         .tokens_per_second = run::value_of(record->metrics, run::metric::kTokensPerSecond),
         .detail = levels_text(record->curriculum)});
    if (const auto warning = watch.take(record->metrics))
      parts.progress.note(fmt::format("warning: {}", *warning));
    const bool last = outcome.step == settings.steps || parts.stop;
    if (!last && parts.after_step) RETURN_IF_ERROR(parts.after_step(outcome.step));
    if (last || outcome.step % settings.checkpoint_every == 0) {
      RETURN_IF_ERROR(
          save_checkpoint(parts, outcome.step, parts.recipe.state(), settings.keep_checkpoints));
    }
  }
  outcome.stopped = outcome.step < settings.steps;
  return outcome;
}

}  // namespace redqueen
