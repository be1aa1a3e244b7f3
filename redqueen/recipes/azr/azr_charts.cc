#include "redqueen/recipes/azr/azr_charts.h"

#include <fmt/format.h>

#include <array>
#include <span>

#include "redqueen/code_tasks/task.h"
#include "redqueen/recipes/azr/azr_metrics.h"

namespace redqueen::azr {
namespace {

using namespace run::chart_unit;

// Metrics called "what/which" for every `which`.
struct Measure {
  std::string_view what;
  std::string_view title;
  std::string_view note;
  std::string_view unit;
  bool overview = false;
};

constexpr std::array kMeasures{
    Measure{"proposer_reward", "Reward of the proposer", "mean over proposals", kNumber},
    Measure{"solver_reward", "Reward of the solver", "mean over answers", kNumber},
    Measure{"valid_proposals", "Valid proposals", "share of the proposals that became tasks",
            kShare, true},
    Measure{"success_rate", "Success rate of new tasks", "mean over valid proposals", kShare, true},
    Measure{"learnable_tasks", "Learnable tasks",
            "share of valid proposals that are solved sometimes, not always", kShare},
    Measure{"guess_chance", "Success of guessing",
            "share of guesses that solve new tasks, mean (azr.chance_corrected)", kShare},
    Measure{"solver_accuracy", "Solved", "share of the solver's batch", kShare},
    Measure{"proposer_tokens", "Length of proposals", "mean tokens", kCount},
    Measure{"solver_tokens", "Length of answers", "mean tokens", kCount},
    Measure{"cognitive_complexity", "Cognitive complexity", "mean over valid programs", kCount},
    Measure{"halstead_volume", "Halstead volume", "mean over valid programs", kCount},
    Measure{"difference_from_references", "Difference from the references",
            "edit distance of syntax trees over their size, mean", kNumber},
    Measure{"answer_diversity", "Diversity of outputs",
            "1 − share of the output in the buffer, mean", kShare},
    Measure{"buffer_size", "Buffers", "tasks", kCount},
};

run::ChartRecord chart_of(const Measure& measure, std::span<const std::string_view> which) {
  run::ChartRecord chart{.id = std::string(measure.what),
                         .section = "Self-play",
                         .title = std::string(measure.title),
                         .note = std::string(measure.note),
                         .unit = std::string(measure.unit),
                         .overview = measure.overview};
  for (const std::string_view one : which)
    chart.series.push_back({fmt::format("{}/{}", measure.what, one), std::string(one)});
  return chart;
}

}  // namespace

std::vector<run::ChartRecord> azr_charts() {
  std::vector<std::string_view> types;
  for (const code_tasks::TaskType type : code_tasks::kTaskTypes) types.push_back(name_of(type));
  std::vector<run::ChartRecord> charts;
  for (const Measure& measure : kMeasures) charts.push_back(chart_of(measure, types));
  charts.push_back(chart_of(
      {"tasks_by_success", "New tasks by success rate",
       "share of valid proposals; the proposer earns nothing for never and always", kShare},
      kBands));
  charts.push_back({.id = "proposals",
                    .section = "Self-play",
                    .title = "What became of proposals",
                    .note = "proposals of all types by step: tasks, and why the others are none",
                    .unit = std::string(kCount),
                    .kind = std::string(run::chart_kind::kFates),
                    .items = std::string(kProposalItem),
                    .series = {{"valid", "became tasks"}, {"no_*", "nothing to read"}, {"*", ""}}});
  charts.push_back({.id = "tasks",
                    .section = "Self-play",
                    .title = "How often new tasks were solved",
                    .note = "tasks by step: those that teach are solved sometimes",
                    .unit = std::string(kCount),
                    .kind = std::string(run::chart_kind::kFates),
                    .items = std::string(kTaskItem),
                    .series = {{"sometimes", "sometimes"},
                               {"never", "never"},
                               {"always", "always"},
                               {std::string(kSeedFate), "found before training"}}});
  constexpr std::array<std::string_view, 3> kParts{"sampling", "sandbox", "waiting"};
  charts.push_back(chart_of(
      {"seconds", "Time of a step", "seconds; sandbox and sampling overlap", kNumber}, kParts));
  return charts;
}

}  // namespace redqueen::azr
