// The charts of a report, from the data of one run or several.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/run/report/chart.h"
#include "redqueen/run/report/run_data.h"

namespace redqueen::run {

// A run and the name its lines have.
struct NamedRun {
  std::string name = "";
  const RunData* data = nullptr;
};

// Metrics over steps, as a chart of lines describes them (ChartRecord). Several runs on the same
// axes have a line each, or one for each run and series.
LineChart lines_chart(const ChartRecord& record, std::span<const NamedRun> runs);

// Levels over steps: mean of the upper levels over environments, and within one run the range from
// the lowest upper level to the highest.
LineChart level_chart(std::span<const NamedRun> runs);

// Levels of every environment: the upper level as a line, the range of levels below it as a band.
// Those that climbed highest, first; at most `most`.
SmallMultiples environment_levels(const RunData& run, std::size_t most = 24);

// The number of environments that reached each upper level.
BarChart reached_levels(const RunData& run);

// Share solved with its 95 % interval, by environment and in all, one dot for each policy.
DotChart evaluation_chart(const RunData& run, const std::string& suite);

// The same for the last policy of each run.
DotChart evaluation_chart(std::span<const NamedRun> runs, const std::string& suite);

// Accuracy on a suite over the steps of training, with 95 % intervals; a series for each run that
// was evaluated more than twice.
LineChart evaluation_curve(std::span<const NamedRun> runs, const std::string& suite);

// Draws the fates of a kind's items by windows of steps: a row for each fate, in the order of the
// record's series (ChartSeries).
HeatMap fate_chart(const ChartRecord& record, const RunData& run);

// The tags of the items of one fate, by the same windows; the most frequent first.
HeatMap tag_chart(const ChartRecord& record, const RunData& run);

// "12 of 50: 24.0 % (95 % interval 14.3–37.4)".
std::string share_text(const EvaluationTotal& total);

}  // namespace redqueen::run
