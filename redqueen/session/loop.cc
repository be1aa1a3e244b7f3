#include "redqueen/session/loop.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>

#include "redqueen/core/text_file.h"
#include "redqueen/run/seconds_since.h"
#include "redqueen/session/drawn_batch.h"
#include "redqueen/session/teaching_watch.h"
#include "redqueen/train/batch_file.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// The run as it stands after a step.
struct Reached {
  std::int64_t step = 0;
  Json state = {};                        // of the recipe
  std::vector<std::int64_t> learnt = {};  // steps of each learner
};

Status save_checkpoint(const LoopParts& parts, const Reached& reached, int keep) {
  RETURN_IF_ERROR(
      parts.directory.save_checkpoint(reached.step, keep, [&](const fs::path& folder) -> Status {
        RETURN_IF_ERROR(save_learners(parts.learners, folder));
        std::ofstream file(folder / "recipe.json", std::ios::binary);
        file << dump_json(Json{{"recipe", parts.recipe.name()}, {"state", reached.state}}) << '\n';
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
Error keep_batch(const LoopParts& parts, const DrawnBatch& drawn, Error error) {
  const fs::path file =
      parts.directory.path() / fmt::format("failed-batch-step-{:08}.jsonl", drawn.step);
  const Status written = write_batch(file, drawn.made.groups);
  error.message += written ? fmt::format(" The batch is in {}.", file.string())
                           : fmt::format(" {}", written.error().message);
  return error;
}

// A step failed. What the steps before it reached is saved, without touching older checkpoints:
// those may be what the user wants to go back to. A learner that has made the failed step already
// cannot be saved as of the step before.
Error save_what_was_done(const LoopParts& parts, const Reached& reached, Error error) {
  const auto newest = parts.directory.latest_checkpoint();
  const bool is_saved = newest && newest->step >= reached.step;
  if (reached.step > 0 && !is_saved && steps_of(parts.learners) == reached.learnt) {
    constexpr int kAll = std::numeric_limits<int>::max();
    if (Status saved = save_checkpoint(parts, reached, kAll); !saved)
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

Expected<DrawnBatch> draw(const LoopParts& parts, std::int64_t step) {
  const auto start = std::chrono::steady_clock::now();
  DrawnBatch drawn{.step = step};
  ASSIGN_OR_RETURN(drawn.made, parts.recipe.step(step));
  drawn.sampling_seconds = run::seconds_since(start);
  if (parts.sampling_metrics)
    std::ranges::move(parts.sampling_metrics(), std::back_inserter(drawn.made.metrics));
  drop_missing(drawn.made.groups);
  parts.recipe.end_step();
  drawn.curriculum = parts.recipe.curriculum();
  return drawn;
}

// What is told once a process, or watched from step to step.
struct Told {
  MissingResponses missing;  // of all steps
  std::string remark;        // the recipe's first
  TeachingWatch watch;
};

// Records how many responses were missing in a step, and tells the user the first time. Fails as
// long as not one response ever came: then the settings are at fault.
Status account_for_missing(const DrawnBatch& drawn, run::Progress& progress, Told& told,
                           std::vector<run::MetricValue>& metrics) {
  const MissingResponses& of_step = drawn.made.missing;
  const bool is_told = told.missing.missing() > 0;
  told.missing.add(of_step);
  if (told.missing.none_came()) {
    return told.missing.failed == 0 ? usage_error("step {}: {}", drawn.step, of_step.sentence())
                                    : failure("step {}: {}", drawn.step, of_step.sentence());
  }
  if (!is_told && of_step.missing() > 0) {
    progress.note(fmt::format(
        "step {}: {}; they count as wrong, and nothing is learnt from them; the metrics "
        "missing/prompt_too_long and missing/failed count them from here on",
        drawn.step, of_step.sentence()));
  }
  metrics.push_back({"missing/prompt_too_long", static_cast<double>(of_step.too_long)});
  metrics.push_back({"missing/failed", static_cast<double>(of_step.failed)});
  return {};
}

// What a batch brings into the record of its step.
Expected<run::StepRecord> record_of(const DrawnBatch& drawn, run::Progress& progress, Told& told) {
  run::StepRecord record{.step = drawn.step};
  record.metrics = drawn.made.metrics;
  RETURN_IF_ERROR(account_for_missing(drawn, progress, told, record.metrics));
  if (told.remark.empty() && !drawn.made.remark.empty()) {
    told.remark = drawn.made.remark;
    progress.note(fmt::format("step {}: {}", drawn.step, told.remark));
  }
  record.curriculum = drawn.curriculum;
  record.rollouts = drawn.made.rollouts;
  record.items = drawn.made.items;
  return record;
}

// Returns the tokens that passed through the learners.
Expected<std::int64_t> learn(const LoopParts& parts, const DrawnBatch& drawn,
                             run::StepRecord& record) {
  if (drawn.made.groups.empty()) return 0;
  auto report = step_learners(parts.learners, drawn.made.groups);
  if (!report) return tl::make_unexpected(keep_batch(parts, drawn, report.error()));
  std::ranges::move(report->metrics, std::back_inserter(record.metrics));
  return report->trained_tokens;
}

// One step: sample, move the curriculum, update. What happened, for the store.
Expected<run::StepRecord> make_step(const LoopParts& parts, std::int64_t step, Told& told) {
  const auto start = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(const DrawnBatch drawn, draw(parts, step));
  ASSIGN_OR_RETURN(run::StepRecord record, record_of(drawn, parts.progress, told));
  ASSIGN_OR_RETURN(const std::int64_t trained_tokens, learn(parts, drawn, record));
  record.time = unix_time();
  record.seconds = run::seconds_since(start);
  const auto tokens = static_cast<double>(drawn.made.sampled_tokens + trained_tokens);
  record.metrics.push_back({"sampling_seconds", drawn.sampling_seconds});
  record.metrics.push_back({std::string(run::metric::kTokensPerSecond), tokens / record.seconds});
  return record;
}

void tell(const LoopParts& parts, const run::StepRecord& record, int total_steps, Told& told) {
  parts.progress.step(
      {.step = record.step,
       .total_steps = total_steps,
       .step_seconds = record.seconds,
       .reward = run::value_of(record.metrics, run::metric::kReward),
       .solved = run::value_of(record.metrics, run::metric::kSolved),
       .effective_prompt_ratio = run::value_of(record.metrics, run::metric::kEffectivePrompts),
       .tokens_per_second = run::value_of(record.metrics, run::metric::kTokensPerSecond),
       .detail = levels_text(record.curriculum)});
  if (const auto warning = told.watch.take(record.metrics))
    parts.progress.note(fmt::format("warning: {}", *warning));
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
  if (done == 0) RETURN_IF_ERROR(parts.recipe.prepare(parts.store, parts.progress, parts.stop));
  parts.progress.stage(std::string(parts.recipe.name()));
  Told told;
  Reached reached{done, parts.recipe.state(), steps_of(parts.learners)};
  bool ends = reached.step >= settings.steps || parts.stop;
  while (!ends) {
    auto record = make_step(parts, reached.step + 1, told);
    if (!record) {
      return tl::make_unexpected(save_what_was_done(parts, reached, std::move(record.error())));
    }
    if (const Status kept = parts.store.append(*record); !kept) {
      return tl::make_unexpected(
          save_what_was_done(parts, reached, {kept.error().kind, kept.error().message + "."}));
    }
    reached = {record->step, parts.recipe.state(), steps_of(parts.learners)};
    tell(parts, *record, settings.steps, told);
    const bool is_last = reached.step == settings.steps;
    if (!is_last && !parts.stop && parts.after_step)
      RETURN_IF_ERROR(parts.after_step(reached.step));
    ends = is_last || parts.stop;
    if (ends || reached.step % settings.checkpoint_every == 0)
      RETURN_IF_ERROR(save_checkpoint(parts, reached, settings.keep_checkpoints));
  }
  return LoopOutcome{reached.step, reached.step < settings.steps};
}

}  // namespace redqueen
