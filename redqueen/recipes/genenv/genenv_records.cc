#include "redqueen/recipes/genenv/genenv_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "redqueen/synth/admission/prompt_template.h"

namespace redqueen::genenv {
namespace {

constexpr std::size_t kMaxTextBytes = 16384;  // of one text in an item
constexpr double kShownBand = 0.1;            // around the target, as in figure 7 of the paper

std::string_view fate_of(const Tally& tally) {
  if (tally.successes == 0) return kFates[0];
  return tally.successes == tally.attempts ? kFates[2] : kFates[1];
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json level_of(const Task& task) {
  return task.description.level ? Json(*task.description.level) : Json(nullptr);
}

run::ItemRecord generation_item(const TaskBatch& batch, const Generation& generation,
                                std::string name) {
  Json data{{"context", synth::shortened(batch.prompt, kMaxTextBytes)},
            {"response", synth::shortened(generation.completion.text, kMaxTextBytes)},
            {"explored", generation.explored},
            {"tokens", generation.completion.tokens.size()},
            {"n", generation.tally.attempts},
            {"k", generation.tally.successes},
            {"success", number(generation.success)},
            {"reward", number(generation.reward)},
            {"weight", generation.weight}};
  std::string fate = "valid";
  if (generation.valid()) {
    data["description"] = generation.task->description.to_json();
    data["task"] = generation.task->name();
  } else {
    fate = kRefusalNames.name(generation.task.error().reason);
    const std::string& failure = generation.completion.failure;
    data["detail"] = failure.empty() ? generation.task.error().detail : failure;
  }
  return {.kind = std::string(kGenerationItem),
          .name = std::move(name),
          .fate = std::move(fate),
          .data = std::move(data)};
}

Json trace_of(const ScoredRollout& rollout, const Json& turns) {
  Json trace{
      {"reward", rollout.reward}, {"solved", rollout.solved}, {"tokens", drawn_tokens(rollout)}};
  if (turns.is_array() && !turns.empty()) {
    trace["turns"] = turns;
  } else {
    trace["text"] = synth::shortened(rollout.completion.text, kMaxTextBytes);
  }
  return trace;
}

run::ItemRecord task_item(const AskedTask& asked, std::string name) {
  Json traces = Json::array();
  for (std::size_t j = 0; j < asked.played.rollouts.size(); ++j) {
    const ScoredRollout& rollout = asked.played.rollouts[j];
    if (rollout.well_formed)
      traces.push_back(
          trace_of(rollout, j < asked.played.turns.size() ? asked.played.turns[j] : Json()));
  }
  return {.kind = std::string(kTaskItem),
          .name = std::move(name),
          .fate = std::string(fate_of(asked.tally)),
          .data = Json{{"task", asked.task.name()},
                       {"description", asked.task.description.to_json()},
                       {"environment", asked.task.description.environment},
                       {"level", level_of(asked.task)},
                       {"origin", kOriginNames.name(asked.origin)},
                       {"prompt", synth::shortened(asked.played.prompt, kMaxTextBytes)},
                       {"solver_turns", asked.task.solver_turns},
                       {"attempts", asked.tally.attempts},
                       {"successes", asked.tally.successes},
                       {"traces", std::move(traces)}}};
}

void add_generation(const Generation& generation, const GenEnvSettings& genenv, StepLog& log) {
  log.mean("generations/valid", generation.valid());
  log.mean("generations/explored", generation.explored);
  log.mean("length/description_tokens", static_cast<double>(generation.completion.tokens.size()));
  if (!generation.valid()) {
    log.count(fmt::format("refused/{}", kRefusalNames.name(generation.task.error().reason)));
    return;
  }
  const Task& task = *generation.task;
  if (task.description.level) {
    log.mean("difficulty/level", *task.description.level);
    if (!generation.explored) log.mean("difficulty/chosen_level", *task.description.level);
  }
  log.mean("difficulty/solver_turns", task.solver_turns);
  log.mean("difficulty/reference_bytes", static_cast<double>(task.reference_bytes));
  if (std::isnan(generation.reward)) return;
  log.mean("environment/reward", generation.reward);
  log.mean("environment/kept", in_band(generation.success, genenv.target, genenv.band));
}

void add_batch(const TaskBatch& batch, const GenEnvSettings& genenv, StepLog& log) {
  for (const Generation& generation : batch.generations) add_generation(generation, genenv, log);
  const Tally tally = batch.tally();
  if (tally.attempts > 0)
    log.mean("environment/batches_in_band", in_band(tally.rate(), genenv.target, kShownBand));
}

void add_task(const AskedTask& asked, StepLog& log) {
  const std::string origin(kOriginNames.name(asked.origin));
  if (asked.tally.attempts > 0) log.mean("success/" + origin, asked.tally.rate());
  log.mean("length/task_bytes", static_cast<double>(asked.played.prompt.size()));
  for (const std::string_view fate : kFates) {
    if (asked.origin == Origin::kFresh)
      log.mean(fmt::format("tasks/{}", fate), fate == fate_of(asked.tally));
  }
}

}  // namespace

bool AskedTask::has_valid_trace() const {
  return std::ranges::any_of(played.rollouts, &ScoredRollout::well_formed);
}

std::vector<run::ItemRecord> generation_items(const std::vector<TaskBatch>& batches,
                                              const std::string& origin) {
  std::vector<run::ItemRecord> items;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    for (std::size_t j = 0; j < batches[i].generations.size(); ++j) {
      items.push_back(generation_item(batches[i], batches[i].generations[j],
                                      fmt::format("{}/{}/{}", origin, i, j)));
    }
  }
  return items;
}

std::vector<run::ItemRecord> task_items(const std::vector<AskedTask>& tasks,
                                        const std::string& origin) {
  std::vector<run::ItemRecord> items;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].has_valid_trace())
      items.push_back(task_item(tasks[i], fmt::format("{}/{}", origin, i)));
  }
  return items;
}

void add_genenv_metrics(const std::vector<TaskBatch>& batches, const std::vector<AskedTask>& tasks,
                        const GenEnvSettings& genenv, StepLog& log) {
  for (const char* name :
       {"success/fresh", "success/old", "success/base", "environment/reward", "environment/kept",
        "environment/batches_in_band", "difficulty/level", "difficulty/chosen_level",
        "difficulty/solver_turns", "difficulty/reference_bytes"})
    log.expect_mean(name);
  for (const TaskBatch& batch : batches) add_batch(batch, genenv, log);
  for (const AskedTask& asked : tasks) add_task(asked, log);
}

}  // namespace redqueen::genenv
