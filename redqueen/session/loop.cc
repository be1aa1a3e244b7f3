#include "redqueen/session/loop.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <limits>
#include <optional>

#include "redqueen/base/clock.h"
#include "redqueen/base/text_file.h"
#include "redqueen/core/answer_limits.h"
#include "redqueen/data_sets/verifier.h"
#include "redqueen/session/drawn_batch.h"
#include "redqueen/session/teaching_watch.h"
#include "redqueen/train/batch_file.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBatchFile = "batch.cbor";

// The run as it stands after a step.
struct Reached {
  std::int64_t step = 0;
  std::optional<DrawnBatch> next = {};    // of the next step, if it is drawn already
  Json state = {};                        // of the recipe, `next` included
  std::vector<std::int64_t> learnt = {};  // steps of each learner
};

Status save_checkpoint(const LoopParts& parts, const Reached& reached, int keep) {
  RETURN_IF_ERROR(
      parts.directory.save_checkpoint(reached.step, keep, [&](const fs::path& folder) -> Status {
        RETURN_IF_ERROR(save_learners(parts.learners, folder));
        Json json{{"recipe", parts.recipe.name()}, {"state", reached.state}};
        if (reached.next) {
          json["drawn"] = reached.next->step;
          RETURN_IF_ERROR(save_drawn_batch(folder / kBatchFile, *reached.next));
        }
        std::ofstream file(folder / "recipe.json", std::ios::binary);
        file << dump_json(json) << '\n';
        file.close();
        if (!file) return failure("{}: cannot be written", (folder / "recipe.json").string());
        return {};
      }));
  return {};
}

// Puts the recipe back. Returns the batch that it had drawn beyond the checkpoint's step, if any.
Expected<std::optional<DrawnBatch>> load_recipe(Recipe& recipe, const fs::path& folder) {
  const fs::path path = folder / "recipe.json";
  ASSIGN_OR_RETURN(const std::string text, read_text_file(path));
  const auto json = parse_json(text);
  if (!json) return failure("{}: {}", path.string(), json.error().message);
  if (!json->is_object() || json->value("recipe", "") != recipe.name() ||
      !json->contains("state")) {
    return failure("{}: this is no checkpoint of the recipe {}", path.string(), recipe.name());
  }
  RETURN_IF_ERROR(recipe.restore((*json)["state"]));
  if (!json->contains("drawn")) return std::nullopt;
  return load_drawn_batch(folder / kBatchFile);
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

// A step failed. What the steps before it reached is saved, with a batch that was drawn ahead, and
// without touching older checkpoints: those may be what the user wants to go back to. A learner
// that has made the failed step already cannot be saved as of the step before.
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

// Adds what decided the step's verdicts of mathematics; nothing where it had none.
void add_grounds(const data_sets::VerdictCounts& before, std::vector<run::MetricValue>& metrics) {
  const data_sets::VerdictCounts after = data_sets::verdict_counts();
  if (after.by_ground == before.by_ground) return;
  for (std::size_t i = 0; i < after.by_ground.size(); ++i) {
    const auto name = data_sets::kGroundNames.name(static_cast<data_sets::Ground>(i));
    metrics.push_back({fmt::format("verdicts/{}", name),
                       static_cast<double>(after.by_ground[i] - before.by_ground[i])});
  }
  metrics.push_back(
      {"verdicts/undecided", static_cast<double>(after.undecided - before.undecided)});
  metrics.push_back(
      {"verdicts/exhausted", static_cast<double>(after.exhausted - before.exhausted)});
}

// Adds what became of responses that are too long, where that is shaped.
void add_overlong(const OverlongCounts& counts, const OverlongOptions& options,
                  std::vector<run::MetricValue>& metrics) {
  if (options.mask_cut) metrics.push_back({"overlong/masked", static_cast<double>(counts.masked)});
  if (options.cache == 0) return;
  metrics.push_back({"overlong/punished", static_cast<double>(counts.punished)});
  metrics.push_back({"overlong/punishment", counts.punishment});
}

Expected<DrawnBatch> draw(const LoopParts& parts, std::int64_t step) {
  const auto start = std::chrono::steady_clock::now();
  const data_sets::VerdictCounts before = data_sets::verdict_counts();
  const std::uint64_t cut_before = cut_verdicts();
  DrawnBatch drawn{.step = step};
  ASSIGN_OR_RETURN(drawn.made, parts.recipe.step(step));
  drawn.sampling_seconds = seconds_since(start);
  // A step that is drawn ahead may share the process's counts with an evaluation.
  if (!parts.ahead) {
    add_grounds(before, drawn.made.metrics);
    if (const std::uint64_t cut = cut_verdicts() - cut_before; cut > 0)
      drawn.made.metrics.push_back({"verdicts/cut_short", static_cast<double>(cut)});
  }
  if (parts.sampling_metrics)
    std::ranges::move(parts.sampling_metrics(), std::back_inserter(drawn.made.metrics));
  drop_missing(drawn.made.groups);
  add_overlong(apply_overlong(drawn.made.groups, parts.overlong), parts.overlong,
               drawn.made.metrics);
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

// A step that was made, and what is known of the next one.
struct MadeStep {
  run::StepRecord record;
  Json state;  // of the recipe, before it was asked for the next batch
  std::optional<Expected<DrawnBatch>> next = {};
};

// The batch of the next step, on its way in a thread of its own, which uses the recipe alone, and
// what the recipe uses: the sampler among it, whose weights are held. The learners' weights,
// Progress and the store are this thread's. Destruction waits for the batch.
class DrawAhead {
 public:
  static Expected<DrawAhead> start(const LoopParts& parts, std::int64_t step) {
    RETURN_IF_ERROR(parts.ahead->hold_weights());
    return DrawAhead(parts, step);
  }

  Expected<DrawnBatch> wait() {
    const auto start = std::chrono::steady_clock::now();
    Expected<DrawnBatch> drawn = drawn_.get();
    if (drawn) drawn->waiting_seconds = seconds_since(start);
    release_();
    return drawn;
  }

 private:
  DrawAhead(const LoopParts& parts, std::int64_t step)
      : drawn_(std::async(std::launch::async, [&parts, step] { return draw(parts, step); })),
        release_(parts.ahead->release_weights) {}

  std::future<Expected<DrawnBatch>> drawn_;
  std::function<void()> release_;
};

// One step: sample, unless the batch is there already; update, while the next batch is drawn if
// `draws_next`. What happened, for the store.
Expected<MadeStep> make_step(const LoopParts& parts, const Reached& before, bool draws_next,
                             Told& told) {
  const auto start = std::chrono::steady_clock::now();
  std::optional<DrawnBatch> drawn_now;
  if (!before.next) {
    ASSIGN_OR_RETURN(drawn_now, draw(parts, before.step + 1));
    drawn_now->waiting_seconds = drawn_now->sampling_seconds;
  }
  const DrawnBatch& drawn = before.next ? *before.next : *drawn_now;
  ASSIGN_OR_RETURN(run::StepRecord record, record_of(drawn, parts.progress, told));
  MadeStep made{.record = std::move(record),
                .state = before.next ? before.state : parts.recipe.state()};
  std::optional<DrawAhead> ahead;
  if (draws_next) {
    ASSIGN_OR_RETURN(ahead, DrawAhead::start(parts, drawn.step + 1));
  }
  const auto trained_tokens = learn(parts, drawn, made.record);
  if (ahead) made.next = ahead->wait();
  if (!trained_tokens) return tl::make_unexpected(trained_tokens.error());

  made.record.time = unix_time();
  made.record.seconds = seconds_since(start);
  const auto tokens = static_cast<double>(drawn.made.sampled_tokens + *trained_tokens);
  made.record.metrics.push_back({"sampling_seconds", drawn.sampling_seconds});
  if (parts.ahead) made.record.metrics.push_back({"sampling_wait_seconds", drawn.waiting_seconds});
  made.record.metrics.push_back(
      {std::string(run::metric::kTokensPerSecond), tokens / made.record.seconds});
  return made;
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

Expected<LoopStart> resume(const LoopParts& parts) {
  LoopStart start;
  const auto checkpoint = parts.directory.latest_checkpoint();
  if (checkpoint) {
    start.done = checkpoint->step;
    auto next = restore_learners(parts.learners, checkpoint->folder).and_then([&] {
      return load_recipe(parts.recipe, checkpoint->folder);
    });
    if (!next) return tl::make_unexpected(name_way_on(parts.directory, *checkpoint, next.error()));
    start.next = *std::move(next);
  }
  RETURN_IF_ERROR(parts.store.trim_after(start.done));
  return start;
}

Expected<LoopOutcome> run_loop(const LoopParts& parts, const RunSettings& settings,
                               LoopStart start) {
  if (start.done == 0)
    RETURN_IF_ERROR(parts.recipe.prepare(parts.store, parts.progress, parts.stop));
  parts.progress.stage(std::string(parts.recipe.name()));
  Told told;
  Reached reached{start.done, std::move(start.next), parts.recipe.state(),
                  steps_of(parts.learners)};
  bool ends = reached.step >= settings.steps || parts.stop;
  if (ends) RETURN_IF_ERROR(parts.directory.remove_old_checkpoints(settings.keep_checkpoints));
  while (!ends) {
    const bool is_last = reached.step + 1 == settings.steps;
    auto made = make_step(parts, reached, parts.ahead && !is_last, told);
    if (!made)
      return tl::make_unexpected(save_what_was_done(parts, reached, std::move(made.error())));
    if (const Status kept = parts.store.append(made->record); !kept) {
      return tl::make_unexpected(
          save_what_was_done(parts, reached, {kept.error().kind, kept.error().message + "."}));
    }
    tell(parts, made->record, settings.steps, told);
    reached = {made->record.step, std::nullopt, std::move(made->state), steps_of(parts.learners)};
    if (made->next) {
      if (!*made->next)
        return tl::make_unexpected(save_what_was_done(parts, reached, made->next->error()));
      reached.next = **std::move(made->next);
      reached.state = parts.recipe.state();
    }
    if (!is_last && !parts.stop && parts.after_step)
      RETURN_IF_ERROR(parts.after_step(reached.step));
    ends = is_last || parts.stop;
    if (ends || reached.step % settings.checkpoint_every == 0)
      RETURN_IF_ERROR(save_checkpoint(parts, reached, settings.keep_checkpoints));
  }
  return LoopOutcome{reached.step, reached.step < settings.steps};
}

}  // namespace redqueen
