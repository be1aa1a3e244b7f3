// Describes how a run's metrics are drawn. Whoever records them writes it, and it is kept with the
// run, so that a report needs to know neither recipes nor their metrics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redqueen::run {

// The kinds of charts. Readers skip kinds that they do not know.
namespace chart_kind {
inline constexpr std::string_view kLines = "lines";    // metrics over steps
inline constexpr std::string_view kLevels = "levels";  // upper levels of the curriculum
inline constexpr std::string_view kFates = "fates";    // counts of items by fate and steps
inline constexpr std::string_view kTags = "tags";      // counts of items by tag (data["tags"])
}  // namespace chart_kind

// The ways to write values. Axes of all but numbers begin at 0.
namespace chart_unit {
inline constexpr std::string_view kNumber = "number";
inline constexpr std::string_view kShare = "share";  // 0.25 is 25 %
inline constexpr std::string_view kCount = "count";  // 12300 is 12.3k
}  // namespace chart_unit

// One line of a chart.
//
// In charts of fates `metric` is a fate, or its beginning and a "*", and the rows come in the order
// of the series that they match best. In charts of tags it is a fate whose items are counted.
struct ChartSeries {
  std::string metric = "";
  std::string label = "";  // in the legend
  bool operator==(const ChartSeries&) const = default;
};

struct ChartRecord {
  std::string id = "";       // unique within a run; names its picture
  std::string section = "";  // heading above it; empty: at the top of the page
  std::string title = "";
  std::string note = "";  // the line below the title
  std::string unit = std::string(chart_unit::kNumber);
  std::string kind = std::string(chart_kind::kLines);
  std::string items = "";  // of fates and tags: which kind of items (ItemRecord::kind)
  std::vector<ChartSeries> series = {};  // those without values are left out
  bool overview = false;  // among the charts that tell most: the first four with values are shown
  bool operator==(const ChartRecord&) const = default;
};

// Charts of what every run may have: rewards, lengths, speed and levels at the top of the page, and
// the trainer's numbers at its end, with those of a recipe between. Sections stand in the order of
// their first charts.
//
// With several policies the trainers' metrics are called "METRIC/ROLE", and their charts have a
// line for each of the `roles`.
std::vector<ChartRecord> charts_of_run(const std::vector<ChartRecord>& recipe = {},
                                       const std::vector<std::string>& roles = {});

}  // namespace redqueen::run
