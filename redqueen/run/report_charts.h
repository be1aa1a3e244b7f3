// The charts of a report, from the data of one run or several.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/run/chart.h"
#include "redqueen/run/run_data.h"

namespace redqueen {

// A run and the name its lines have.
struct NamedRun {
  std::string name = "";
  const RunData* data = nullptr;
};

// A metric that the report knows how to show.
struct KnownMetric {
  std::string_view name;
  std::string_view file;  // of its picture, without ending
  std::string_view title;
  std::string_view subtitle;
  ValueFormat format = ValueFormat::kNumber;
  bool from_zero = false;  // a share, a length or a speed: the axis begins at 0
};

// In the order of the page.
std::span<const KnownMetric> known_metrics();

// One line for each run, over steps.
LineChart metric_chart(const KnownMetric& metric, std::span<const NamedRun> runs);

// Levels over steps: mean of the upper levels over environments, and within one run the range from the lowest upper
// level to the highest.
LineChart level_chart(std::span<const NamedRun> runs);

// Levels of every environment: the upper level as a line, the range of levels below it as a band. Those that climbed
// highest, first; at most `most`.
SmallMultiples environment_levels(const RunData& run, std::size_t most = 24);

// How many environments reached which upper level.
BarChart reached_levels(const RunData& run);

// Share solved with its 95 % interval, by environment and in all, one dot for each policy.
DotChart evaluation_chart(const RunData& run, const std::string& suite);

// The same for the last policy of each run.
DotChart evaluation_chart(std::span<const NamedRun> runs, const std::string& suite);

// What became of the environments that the policy wrote, by windows of steps: a row for each fate, from the first layer
// that a candidate can fall at to admission.
HeatMap fate_chart(const RunData& run);

// The tags of those that were admitted, by the same windows; the most frequent first.
HeatMap tag_chart(const RunData& run);

// Several metrics of one run in one chart; those that it lacks are left out.
struct NamedMetric {
  std::string_view metric;
  std::string_view label;
};
LineChart metrics_chart(std::string_view title, std::string_view subtitle, ValueFormat format,
                        std::span<const NamedMetric> metrics, const RunData& run);

// "12 of 50: 24.0 % (95 % interval 14.3–37.4)".
std::string share_text(const EvaluationTotal& total);

}  // namespace redqueen
