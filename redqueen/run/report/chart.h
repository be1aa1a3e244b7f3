// Charts as drawings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/run/report/drawing.h"
#include "redqueen/run/report/statistics.h"

namespace redqueen::run {

// The ways to write values on an axis.
enum class ValueFormat {
  kNumber,
  kPercent,  // 0.25 is 25%
  kCount,    // 12300 is 12.3k
  kInteger,  // ticks at whole numbers only
};

// One line. Values that are not finite interrupt it.
struct Series {
  std::string name = "";
  std::vector<Point> points = {};   // by x
  std::vector<Interval> band = {};  // around the line, one for each point; empty: none
  int colour = 0;                   // series_ink()
  std::size_t smoothing =
      1;  // more: the mean of so many last points is the line, the points lie faint behind it
  bool staircase = false;  // holds its value until the next point
};

struct LineChart {
  std::string title = "";
  std::string subtitle = "";
  std::string x_label = "step";
  ValueFormat format = ValueFormat::kNumber;
  std::optional<double> y_min = {};  // otherwise from the data
  std::optional<double> y_max = {};
  std::vector<Series> series = {};  // a legend names them if there are several
};

struct ChartSize {
  double width = 560;
  double height = 300;
};

Drawing draw(const LineChart& chart, ChartSize size = {});

// Many small line charts with the same axes. Each shows its last value.
struct SmallMultiples {
  std::string title = "";
  std::string subtitle = "";
  std::vector<LineChart> cells = {};  // their titles name them
  int columns = 4;
};

Drawing draw(const SmallMultiples& chart, double width = 1140);

// A proportion with its interval.
struct Estimate {
  double value = 0;
  Interval interval = {};
  std::string tooltip = "";
};

// Rows of proportions, one dot for each of several things that are compared.
struct DotChart {
  struct Row {
    std::string label = "";
    std::vector<std::optional<Estimate>> estimates = {};  // one for each name
    bool bold = false;
  };
  std::string title = "";
  std::string subtitle = "";
  std::vector<std::string> names = {};
  std::vector<Row> rows = {};
};

Drawing draw(const DotChart& chart, double width = 1140);

// Counts of whole numbers: counts[i] things have the value i.
struct BarChart {
  std::string title = "";
  std::string subtitle = "";
  std::string x_label = "";
  std::vector<std::size_t> counts = {};
};

Drawing draw(const BarChart& chart, ChartSize size = {});

// A table of counts whose cells are the darker the larger their share of their column is.
struct HeatMap {
  struct Row {
    std::string label = "";
    std::vector<std::int64_t> counts = {};  // one a column
  };
  std::string title = "";
  std::string subtitle = "";
  std::vector<std::string> columns = {};
  std::vector<std::int64_t> totals = {};  // one a column, what a share is of
  std::vector<Row> rows = {};
};

Drawing draw(const HeatMap& chart, double width = 1140);

// Ticks at 1, 2 or 5 × 10^k that cover [low, high], about `target` of them. low < high, both
// finite.
std::vector<double> nice_ticks(double low, double high, int target, bool whole_numbers = false);

// A value as an axis with this distance between ticks writes it.
std::string value_text(double value, ValueFormat format, double tick_distance);

}  // namespace redqueen::run
