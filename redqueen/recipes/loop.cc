#include "redqueen/recipes/loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "redqueen/train/batch_file.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// `state` is the recipe's after `step`.
Status save_checkpoint(const LoopParts& parts, std::int64_t step, const Json& state, int keep) {
  const auto saved =
      parts.directory.save_checkpoint(step, keep, [&](const fs::path& folder) -> Status {
        if (Status status = parts.trainer.save(folder / "trainer"); !status) return status;
        if (Status status = parts.save_policy(folder / "policy"); !status) return status;
        std::ofstream file(folder / "recipe.json", std::ios::binary);
        file << dump_json(Json{{"recipe", parts.recipe.name}, {"state", state}}) << '\n';
        file.close();
        if (!file) return failure("{}: cannot be written", (folder / "recipe.json").string());
        return {};
      });
  if (!saved) return tl::make_unexpected(saved.error());
  return {};
}

Status load_recipe_state(const Recipe& recipe, const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return failure("{}: cannot be read", path.string());
  const auto json = parse_json(text.str());
  if (!json) return failure("{}: {}", path.string(), json.error().message);
  if (!json->is_object() || json->value("recipe", "") != recipe.name || !json->contains("state")) {
    return failure("{}: this is no checkpoint of the recipe {}", path.string(), recipe.name);
  }
  return recipe.restore((*json)["state"]);
}

// What a step measured; nothing where there was nothing to measure.
std::optional<double> value_of(const std::vector<MetricValue>& metrics, std::string_view name) {
  for (const MetricValue& metric : metrics) {
    if (metric.name == name && std::isfinite(metric.value)) return metric.value;
  }
  return std::nullopt;
}

// "levels 0–3": the widest range over environments.
std::string levels_text(const std::vector<CurriculumState>& rows) {
  if (rows.empty()) return {};
  int low = rows.front().lower_level;
  int high = rows.front().upper_level;
  for (const CurriculumState& row : rows) {
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

// A step failed. What the steps before it reached is saved, without touching older checkpoints: those may be what
// the user wants to go back to.
Error save_what_was_done(const LoopParts& parts, std::int64_t step, const Json& state,
                         Error error) {
  const auto newest = parts.directory.latest_checkpoint();
  if (step > 0 && (!newest || newest->step < step)) {
    constexpr int kAll = std::numeric_limits<int>::max();
    if (Status saved = save_checkpoint(parts, step, state, kAll); !saved)
      error.message += fmt::format(" {}", saved.error().message);
  }
  const auto last = parts.directory.latest_checkpoint();
  error.message += fmt::format(" Saved is step {}; go on with: redqueen train --resume {}",
                               last ? last->step : 0, parts.directory.path().string());
  return error;
}

// A prompt that does not fit into the context has responses without tokens (fitting_policy.h).
bool has_tokens(const ScoredGroup& group) {
  return std::ranges::any_of(group.rollouts, [](const ScoredRollout& rollout) {
    return !rollout.completion.tokens.empty();
  });
}

// One step: sample, update, move the curriculum. What happened, for the store.
Expected<StepRecord> make_step(const LoopParts& parts, std::int64_t step) {
  const auto start = std::chrono::steady_clock::now();
  auto batch = parts.recipe.step(step);
  if (!batch) return tl::make_unexpected(batch.error());
  const double sampling_seconds = seconds_since(start);

  StepRecord record{.step = step};
  record.metrics = std::move(batch->metrics);
  auto tokens = static_cast<double>(batch->sampled_tokens);
  std::erase_if(batch->groups, std::not_fn(has_tokens));
  if (!batch->groups.empty()) {
    const auto report = parts.trainer.step(batch->groups);
    if (!report) {
      return tl::make_unexpected(keep_batch(parts, step, batch->groups, report.error()));
    }
    for (const auto& [name, value] : metrics(*report))
      record.metrics.push_back({std::string(name), value});
    tokens += static_cast<double>(report->trained_tokens);
  }
  parts.recipe.after_update();

  record.time = unix_time();
  record.seconds = seconds_since(start);
  record.metrics.push_back({"sampling_seconds", sampling_seconds});
  record.metrics.push_back({std::string(metric::kTokensPerSecond), tokens / record.seconds});
  record.curriculum = parts.recipe.curriculum();
  record.rollouts = std::move(batch->rollouts);
  record.items = std::move(batch->items);
  return record;
}

}  // namespace

Expected<std::int64_t> resume(const LoopParts& parts) {
  const auto checkpoint = parts.directory.latest_checkpoint();
  const std::int64_t step = checkpoint ? checkpoint->step : 0;
  if (checkpoint) {
    if (Status status = parts.trainer.load(checkpoint->folder / "trainer"); !status)
      return tl::make_unexpected(status.error());
    if (Status status = load_recipe_state(parts.recipe, checkpoint->folder / "recipe.json");
        !status) {
      return tl::make_unexpected(status.error());
    }
  }
  if (Status status = parts.store.trim_after(step); !status)
    return tl::make_unexpected(status.error());
  return step;
}

Expected<LoopOutcome> run_loop(const LoopParts& parts, const RunSettings& settings,
                               std::int64_t done) {
  LoopOutcome outcome{.step = done};
  if (done == 0 && parts.recipe.prepare) {
    if (Status status = parts.recipe.prepare(parts.store, parts.progress, parts.stop); !status)
      return tl::make_unexpected(status.error());
  }
  parts.progress.stage(parts.recipe.name);
  while (outcome.step < settings.steps && !parts.stop) {
    const Json before = parts.recipe.state();
    auto record = make_step(parts, outcome.step + 1);
    if (!record) {
      return tl::make_unexpected(
          save_what_was_done(parts, outcome.step, before, std::move(record.error())));
    }
    if (Status status = parts.store.append(*record); !status)
      return tl::make_unexpected(status.error());
    ++outcome.step;
    parts.progress.step(
        {.step = outcome.step,
         .total_steps = settings.steps,
         .step_seconds = record->seconds,
         .reward = value_of(record->metrics, metric::kReward),
         .solved = value_of(record->metrics, metric::kSolved),
         .effective_prompt_ratio = value_of(record->metrics, metric::kEffectivePrompts),
         .tokens_per_second = value_of(record->metrics, metric::kTokensPerSecond),
         .detail = levels_text(record->curriculum)});
    const bool last = outcome.step == settings.steps || parts.stop;
    if (last || outcome.step % settings.checkpoint_every == 0) {
      if (Status status =
              save_checkpoint(parts, outcome.step, parts.recipe.state(), settings.keep_checkpoints);
          !status) {
        return tl::make_unexpected(status.error());
      }
    }
  }
  outcome.stopped = outcome.step < settings.steps;
  return outcome;
}

}  // namespace redqueen
