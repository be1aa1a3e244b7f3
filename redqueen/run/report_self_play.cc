#include "redqueen/run/report_self_play.h"

#include <fmt/format.h>

#include <array>
#include <span>

#include "redqueen/run/report_charts.h"

namespace redqueen {
namespace {

// Metrics called "what/which" for every `which`.
struct Measure {
  std::string_view what;
  std::string_view title;
  std::string_view subtitle;
  ValueFormat format;
};

constexpr std::array kMeasures{
    Measure{"proposer_reward", "Reward of the proposer", "mean over proposals",
            ValueFormat::kNumber},
    Measure{"solver_reward", "Reward of the solver", "mean over answers", ValueFormat::kNumber},
    Measure{"valid_proposals", "Valid proposals", "share of the proposals that became tasks",
            ValueFormat::kPercent},
    Measure{"success_rate", "Success rate of new tasks", "mean over valid proposals",
            ValueFormat::kPercent},
    Measure{"learnable_tasks", "Learnable tasks",
            "share of valid proposals that are solved sometimes, not always",
            ValueFormat::kPercent},
    Measure{"solver_accuracy", "Solved", "share of the solver's batch", ValueFormat::kPercent},
    Measure{"proposer_tokens", "Length of proposals", "mean tokens", ValueFormat::kCount},
    Measure{"solver_tokens", "Length of answers", "mean tokens", ValueFormat::kCount},
    Measure{"cognitive_complexity", "Cognitive complexity", "mean over valid programs",
            ValueFormat::kCount},
    Measure{"halstead_volume", "Halstead volume", "mean over valid programs", ValueFormat::kCount},
    Measure{"difference_from_references", "Difference from the references",
            "edit distance of syntax trees over their size, mean", ValueFormat::kNumber},
    Measure{"answer_diversity", "Diversity of outputs",
            "1 − share of the output in the buffer, mean", ValueFormat::kPercent},
    Measure{"buffer_size", "Buffers", "tasks", ValueFormat::kCount},
};

constexpr std::array<std::string_view, 4> kTypes{"deduction", "abduction", "induction", "error"};
constexpr std::array<std::string_view, 5> kBands{"never", "up to a third", "up to two thirds",
                                                 "above", "always"};
constexpr std::array<std::string_view, 3> kSeconds{"sampling", "sandbox", "waiting"};

LineChart chart_of(const Measure& measure, std::span<const std::string_view> which,
                   const RunData& run) {
  std::vector<std::string> names;
  for (const std::string_view one : which) names.push_back(fmt::format("{}/{}", measure.what, one));
  std::vector<NamedMetric> metrics;
  for (std::size_t i = 0; i < which.size(); ++i) metrics.push_back({names[i], which[i]});
  return metrics_chart(measure.title, measure.subtitle, measure.format, metrics, run);
}

}  // namespace

std::vector<NamedChart> self_play_charts(const RunData& run) {
  std::vector<NamedChart> charts;
  if (run.metric("proposer_reward/deduction").empty()) return charts;
  const auto add = [&](const Measure& measure, std::span<const std::string_view> which) {
    LineChart chart = chart_of(measure, which, run);
    if (!chart.series.empty()) charts.push_back({std::move(chart), std::string(measure.what)});
  };
  for (const Measure& measure : kMeasures) add(measure, kTypes);
  add({"tasks_by_success", "New tasks by success rate",
       "share of valid proposals; the proposer earns nothing for never and always",
       ValueFormat::kPercent},
      kBands);
  add({"seconds", "Time of a step", "seconds; sandbox and sampling overlap", ValueFormat::kNumber},
      kSeconds);
  return charts;
}

}  // namespace redqueen
