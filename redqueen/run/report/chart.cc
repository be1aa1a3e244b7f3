#include "redqueen/run/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace redqueen::run {
namespace {

constexpr double kTitleSize = 15;
constexpr double kTextSize = 12;
constexpr double kSmallSize = 11;
constexpr std::size_t kMostPoints = 400;    // of a line: more would not be seen
constexpr std::size_t kMostTooltips = 120;  // of a line

// Not a number, or so large that ranges would overflow: left out.
bool drawable(double value) { return std::abs(value) < 1e300; }

// From values to pixels.
struct Scale {
  double low, high;  // values
  double from, to;   // pixels
  double operator()(double value) const {
    return from + (value - low) / (high - low) * (to - from);
  }
};

struct Frame {
  Scale x;
  Scale y;
  std::vector<double> x_ticks;
  std::vector<double> y_ticks;
};

double distance_of(const std::vector<double>& ticks) {
  return ticks.size() < 2 ? 1 : ticks[1] - ticks[0];
}

// Extremes of the finite values put in.
struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (!drawable(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // Never empty: what was not known becomes [0, 1], a single value gets room around it.
  Extent widened() const {
    if (!(low <= high)) return {0, 1};
    if (low == high)
      return {low - std::max(0.5, std::abs(low) * 0.1), high + std::max(0.5, std::abs(high) * 0.1)};
    return *this;
  }
};

// A smoothed copy for the line.
std::vector<Point> smoothed(const Series& series) {
  std::vector<double> values;
  values.reserve(series.points.size());
  for (const Point& point : series.points) values.push_back(point.y);
  const std::vector<double> means =
      trailing_mean(values, std::max<std::size_t>(series.smoothing, 1));
  std::vector<Point> points = series.points;
  for (std::size_t i = 0; i < points.size(); ++i) points[i].y = means[i];
  return series.smoothing > 1 ? points : series.points;
}

// As many points as can be seen: means of equal stretches, or, of a staircase, the points where it
// changes.
std::vector<Point> thinned(const std::vector<Point>& points, bool staircase) {
  std::vector<Point> kept;
  if (staircase) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool edge = i == 0 || i + 1 == points.size();
      if (edge || points[i].y != points[i - 1].y) kept.push_back(points[i]);
    }
    return kept;
  }
  if (points.size() <= kMostPoints) return points;
  for (std::size_t bucket = 0; bucket < kMostPoints; ++bucket) {
    const std::size_t begin = bucket * points.size() / kMostPoints;
    const std::size_t end = (bucket + 1) * points.size() / kMostPoints;
    std::vector<double> values;
    for (std::size_t i = begin; i < end; ++i) values.push_back(points[i].y);
    kept.push_back({points[begin + (end - begin) / 2].x, finite_mean(values)});
  }
  return kept;
}

// Calls on_stretch(points in pixels) for every run of finite values.
template <typename OnStretch>
void for_each_stretch(const std::vector<Point>& points, const Frame& frame, bool staircase,
                      OnStretch on_stretch) {
  std::vector<Point> stretch;
  const auto flush = [&] {
    if (!stretch.empty()) on_stretch(stretch);
    stretch.clear();
  };
  for (const Point& point : points) {
    if (!drawable(point.y)) {
      flush();
      continue;
    }
    const Point pixel{frame.x(point.x), frame.y(point.y)};
    if (staircase && !stretch.empty()) stretch.push_back({pixel.x, stretch.back().y});
    stretch.push_back(pixel);
  }
  flush();
}

void draw_line(Drawing& drawing, const std::vector<Point>& points, const Frame& frame,
               const Series& series, double width, double opacity) {
  const Ink ink = series_ink(series.colour);
  for_each_stretch(thinned(points, series.staircase), frame, series.staircase,
                   [&](const std::vector<Point>& stretch) {
                     if (stretch.size() == 1) {
                       drawing.add(Circle{stretch[0], width + 0.5, ink, opacity});
                     } else {
                       drawing.add(Polyline{stretch, ink, width, opacity});
                     }
                   });
}

void draw_band(Drawing& drawing, const Series& series, const Frame& frame) {
  std::vector<Point> upper;
  std::vector<Point> lower;
  for (std::size_t i = 0; i < std::min(series.band.size(), series.points.size()); ++i) {
    upper.push_back({series.points[i].x, series.band[i].high});
    lower.push_back({series.points[i].x, series.band[i].low});
  }
  std::vector<Point> outline;
  for_each_stretch(thinned(upper, series.staircase), frame, series.staircase,
                   [&](const std::vector<Point>& stretch) {
                     outline.insert(outline.end(), stretch.begin(), stretch.end());
                   });
  std::vector<Point> back;
  for_each_stretch(thinned(lower, series.staircase), frame, series.staircase,
                   [&](const std::vector<Point>& stretch) {
                     back.insert(back.end(), stretch.begin(), stretch.end());
                   });
  outline.insert(outline.end(), back.rbegin(), back.rend());
  if (!outline.empty()) drawing.add(Polygon{outline, series_ink(series.colour), 0.16});
}

void draw_tooltips(Drawing& drawing, const LineChart& chart, const Series& series,
                   const Frame& frame) {
  const std::size_t stride = series.points.size() / kMostTooltips + 1;
  const double distance = distance_of(frame.y_ticks) / 10;
  for (std::size_t i = 0; i < series.points.size(); i += stride) {
    const Point& point = series.points[i];
    if (!drawable(point.y)) continue;
    std::string text = fmt::format("{} {}: {}", chart.x_label, point.x,
                                   value_text(point.y, chart.format, distance));
    if (!series.name.empty()) text = fmt::format("{}, {}", series.name, text);
    drawing.add(Circle{
        {frame.x(point.x), frame.y(point.y)}, 5, series_ink(series.colour), 0, std::move(text)});
  }
}

void draw_series(Drawing& drawing, const LineChart& chart, const Frame& frame, double width) {
  for (const Series& series : chart.series) draw_band(drawing, series, frame);
  for (const Series& series : chart.series) {
    if (series.smoothing > 1) draw_line(drawing, series.points, frame, series, 1, 0.28);
  }
  for (const Series& series : chart.series)
    draw_line(drawing, smoothed(series), frame, series, width, 1);
  for (const Series& series : chart.series) draw_tooltips(drawing, chart, series, frame);
}

// The ranges that show everything in the charts.
struct Ranges {
  Extent x;
  Extent y;
};

Ranges ranges_of(const std::vector<LineChart>& charts) {
  Ranges ranges;
  for (const LineChart& chart : charts) {
    for (const Series& series : chart.series) {
      for (const Point& point : series.points) {
        ranges.x.include(point.x);
        ranges.y.include(point.y);
      }
      for (const Interval& interval : series.band) {
        ranges.y.include(interval.low);
        ranges.y.include(interval.high);
      }
    }
  }
  return ranges;
}

// Gives up ticks far outside the data, which would leave much of the chart empty, for a little
// room.
void trim_ticks(std::vector<double>& ticks, Extent& data) {
  constexpr double kMostEmpty = 0.55;  // of the distance between ticks
  const double distance = distance_of(ticks);
  const double room = 0.04 * (data.high - data.low);
  if (ticks.size() > 2 && data.low - ticks.front() > kMostEmpty * distance) {
    ticks.erase(ticks.begin());
    data.low -= room;
  }
  if (ticks.size() > 2 && ticks.back() - data.high > kMostEmpty * distance) {
    ticks.pop_back();
    data.high += room;
  }
}

Frame frame_of(const LineChart& chart, const Ranges& ranges, Point upper_left, Point lower_right,
               int x_ticks, int y_ticks) {
  Extent y = ranges.y;
  if (chart.y_min) y.include(*chart.y_min);
  if (chart.y_max) y.include(*chart.y_max);
  y = y.widened();
  const Extent x = ranges.x.widened();
  Frame frame;
  const bool whole = chart.format == ValueFormat::kInteger;
  frame.y_ticks = nice_ticks(y.low, y.high, y_ticks, whole);
  frame.x_ticks = nice_ticks(x.low, x.high, x_ticks, true);
  trim_ticks(frame.y_ticks, y);
  frame.y = {std::min(y.low, frame.y_ticks.front()), std::max(y.high, frame.y_ticks.back()),
             lower_right.y, upper_left.y};
  frame.x = {x.low, x.high, upper_left.x, lower_right.x};
  return frame;
}

void draw_axes(Drawing& drawing, const Frame& frame, ValueFormat format, double text_size) {
  const double distance = distance_of(frame.y_ticks);
  for (const double tick : frame.y_ticks) {
    const double y = frame.y(tick);
    drawing.add(Polyline{{{frame.x.from, y}, {frame.x.to, y}}, Ink::kGrid, 1});
    drawing.add(Label{{frame.x.from - 7, y + text_size * 0.35},
                      value_text(tick, format, distance),
                      text_size,
                      Ink::kMuted,
                      Anchor::kEnd});
  }
  drawing.add(Polyline{{{frame.x.from, frame.y.from}, {frame.x.to, frame.y.from}}, Ink::kAxis, 1});
  for (const double tick : frame.x_ticks) {
    if (tick < frame.x.low || tick > frame.x.high) continue;
    const double x = frame.x(tick);
    drawing.add(Polyline{{{x, frame.y.from}, {x, frame.y.from + 4}}, Ink::kAxis, 1});
    drawing.add(Label{{x, frame.y.from + 6 + text_size},
                      value_text(tick, ValueFormat::kCount, distance_of(frame.x_ticks)),
                      text_size,
                      Ink::kMuted,
                      Anchor::kMiddle});
  }
}

// Title and subtitle; returns the height they take.
double draw_heading(Drawing& drawing, const std::string& title, const std::string& subtitle) {
  drawing.title = title;
  drawing.add(Label{{0, kTitleSize + 1}, title, kTitleSize, Ink::kText, Anchor::kStart, true});
  if (subtitle.empty()) return kTitleSize + 8;
  drawing.add(Label{{0, kTitleSize + 20}, subtitle, kTextSize, Ink::kMuted});
  return kTitleSize + 28;
}

// Names with their colours, in as many rows as needed; returns the height they take.
double draw_legend(Drawing& drawing, const std::vector<std::pair<std::string, Ink>>& names,
                   double top) {
  constexpr double kRow = 18;
  double x = 0;
  double y = top + kTextSize;
  for (const auto& [name, ink] : names) {
    const double width = 16 + text_width(name, kTextSize) + 18;
    if (x > 0 && x + width > drawing.width) {
      x = 0;
      y += kRow;
    }
    drawing.add(Circle{{x + 5, y - 4}, 4.5, ink});
    drawing.add(Label{{x + 15, y}, name, kTextSize, Ink::kText});
    x += width;
  }
  return names.empty() ? 0 : y - top + 8;
}

double widest_tick(const Frame& frame, ValueFormat format, double text_size) {
  double width = 0;
  for (const double tick : frame.y_ticks) {
    width = std::max(width,
                     text_width(value_text(tick, format, distance_of(frame.y_ticks)), text_size));
  }
  return width;
}

void draw_nothing(Drawing& drawing, Point centre) {
  drawing.add(Label{centre, "no data yet", kTextSize, Ink::kMuted, Anchor::kMiddle});
}

}  // namespace

std::vector<double> nice_ticks(double low, double high, int target, bool whole_numbers) {
  const double rough = (high - low) / std::max(target, 1);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough * 0.999) step = factor * power;
  }
  if (whole_numbers) step = std::max(1.0, std::round(step));
  std::vector<double> ticks;
  const double first = std::floor(low / step + 1e-9);
  const double last = std::ceil(high / step - 1e-9);
  // A range too small for its numbers has no ticks but its ends.
  if (!(last - first < 1000) || !(last > first)) return {low, high};
  for (double i = first; i <= last; ++i) ticks.push_back(i * step);
  return ticks;
}

namespace {

int decimals_for(double distance) {
  return std::clamp(static_cast<int>(std::ceil(-std::log10(distance) - 1e-9)), 0, 8);
}

// In thousands, millions or milliards, with the decimals that tell ticks apart.
std::string short_count(double value, double tick_distance) {
  double unit = 1;
  const char* suffix = "";
  for (const auto& [size, letter] :
       {std::pair(1e3, "k"), std::pair(1e6, "M"), std::pair(1e9, "G")}) {
    if (value < size || tick_distance < size / 100) break;
    unit = size;
    suffix = letter;
  }
  return fmt::format("{:.{}f}{}", value / unit, decimals_for(tick_distance / unit), suffix);
}

}  // namespace

std::string value_text(double value, ValueFormat format, double tick_distance) {
  if (value < 0) return "−" + value_text(-value, format, tick_distance);
  const double size = std::abs(value);
  switch (format) {
    case ValueFormat::kPercent:
      return fmt::format("{:.{}f}%", 100 * value, decimals_for(100 * tick_distance));
    case ValueFormat::kInteger:
      return fmt::format("{:.0f}", value);
    case ValueFormat::kCount:
      return short_count(value, tick_distance);
    case ValueFormat::kNumber:
      break;
  }
  if (size != 0 && (size >= 1e9 || tick_distance < 1e-5)) return fmt::format("{:.3g}", value);
  const std::string text = fmt::format("{:.{}f}", value, decimals_for(tick_distance));
  return value == 0 ? "0" : text;
}

Drawing draw(const LineChart& chart, ChartSize size) {
  Drawing drawing{size.width, size.height, chart.title};
  double top = draw_heading(drawing, chart.title, chart.subtitle);
  std::vector<std::pair<std::string, Ink>> names;
  names.reserve(chart.series.size());
  for (const Series& series : chart.series) {
    names.emplace_back(series.name, series_ink(series.colour));
  }
  if (names.size() > 1) top += draw_legend(drawing, names, top);

  const Ranges ranges = ranges_of({chart});
  const double bottom = size.height - 38;
  Frame frame = frame_of(chart, ranges, {0, top + 8}, {size.width - 14, bottom}, 6, 4);
  frame.x.from = widest_tick(frame, chart.format, kTextSize) + 12;
  draw_axes(drawing, frame, chart.format, kTextSize);
  drawing.add(
      Label{{frame.x.to, size.height - 4}, chart.x_label, kSmallSize, Ink::kMuted, Anchor::kEnd});
  draw_series(drawing, chart, frame, 2.2);
  if (!(ranges.y.low <= ranges.y.high)) {
    draw_nothing(drawing, {(frame.x.from + frame.x.to) / 2, (frame.y.from + frame.y.to) / 2});
  }
  return drawing;
}

namespace {

constexpr double kCellHeight = 132;

Drawing draw_cell(const LineChart& cell, const Ranges& ranges, double width) {
  Drawing drawing{width, kCellHeight};
  Frame frame = frame_of(cell, ranges, {0, 24}, {width - 4, kCellHeight - 20}, 4, 3);
  frame.x.from = widest_tick(frame, cell.format, kSmallSize) + 10;
  draw_axes(drawing, frame, cell.format, kSmallSize);
  draw_series(drawing, cell, frame, 2);
  drawing.add(Label{{0, 13}, cell.title, kTextSize, Ink::kText, Anchor::kStart, true});
  if (cell.series.empty() || cell.series[0].points.empty()) return drawing;
  const double last = cell.series[0].points.back().y;
  drawing.add(Label{{width - 4, 13},
                    value_text(last, cell.format, distance_of(frame.y_ticks)),
                    kTextSize,
                    series_ink(cell.series[0].colour),
                    Anchor::kEnd,
                    true});
  return drawing;
}

// Vertical lines at every fifth of the whole, with their numbers below.
void draw_shares(Drawing& drawing, const Scale& x, double top, double bottom) {
  for (int percent = 0; percent <= 100; percent += 20) {
    const double at = x(percent / 100.0);
    drawing.add(Polyline{{{at, top}, {at, bottom}}, Ink::kGrid, 1});
    drawing.add(Label{
        {at, bottom + 18}, fmt::format("{}%", percent), kTextSize, Ink::kMuted, Anchor::kMiddle});
  }
}

constexpr double kLane = 11;  // height of one estimate in a row

void draw_row(Drawing& drawing, const DotChart::Row& row, const Scale& x, double top,
              double height) {
  const double baseline = top + height / 2 + kTextSize * 0.35;
  drawing.add(Polyline{{{0, top}, {drawing.width, top}}, Ink::kGrid, 1});
  drawing.add(Label{{0, baseline}, row.label, kTextSize, Ink::kText, Anchor::kStart, row.bold});
  double y = top + 4.5 - kLane / 2;
  int colour = 0;
  for (const std::optional<Estimate>& estimate : row.estimates) {
    y += kLane;
    const Ink ink = series_ink(colour++);
    if (!estimate) continue;
    const Interval& interval = estimate->interval;
    drawing.add(Polyline{{{x(interval.low), y}, {x(interval.high), y}}, ink, 2.5, 0.45});
    drawing.add(Circle{{x(estimate->value), y}, 4.2, ink, 1, estimate->tooltip});
  }
}

}  // namespace

Drawing draw(const SmallMultiples& chart, double width) {
  constexpr double kGap = 26;
  constexpr double kRowHeight = kCellHeight + 18;
  const int columns = std::max(1, chart.columns);
  Drawing drawing{width, 0, chart.title};
  const double top = draw_heading(drawing, chart.title, chart.subtitle) + 6;
  const double cell_width = (width - kGap * (columns - 1)) / columns;
  const Ranges ranges = ranges_of(chart.cells);
  int column = 0;
  int row = 0;
  for (const LineChart& cell : chart.cells) {
    if (column == columns) {
      column = 0;
      ++row;
    }
    place(drawing, draw_cell(cell, ranges, cell_width),
          {column * (cell_width + kGap), top + row * kRowHeight});
    ++column;
  }
  drawing.height = top + (row + 1) * kRowHeight - 10;
  if (chart.cells.empty()) draw_nothing(drawing, {width / 2, top + kCellHeight / 2});
  return drawing;
}

Drawing draw(const DotChart& chart, double width) {
  Drawing drawing{width, 0, chart.title};
  double top = draw_heading(drawing, chart.title, chart.subtitle);
  std::vector<std::pair<std::string, Ink>> names;
  names.reserve(chart.names.size());
  for (const std::string& name : chart.names) {
    names.emplace_back(name, series_ink(static_cast<int>(names.size())));
  }
  top += draw_legend(drawing, names, top) + 4;

  const double row_height =
      kLane * static_cast<double>(std::max<std::size_t>(chart.names.size(), 1)) + 9;
  double left = 0;
  for (const DotChart::Row& row : chart.rows) {
    left = std::max(left, text_width(row.label, kTextSize, row.bold));
  }
  const double bottom =
      top + row_height * static_cast<double>(std::max<std::size_t>(chart.rows.size(), 1));
  const Scale x{0, 1, left + 16, width - 20};
  draw_shares(drawing, x, top, bottom);
  double row_top = top;
  for (const DotChart::Row& row : chart.rows) {
    draw_row(drawing, row, x, row_top, row_height);
    row_top += row_height;
  }
  drawing.add(Polyline{{{0, bottom}, {width, bottom}}, Ink::kAxis, 1});
  if (chart.rows.empty()) draw_nothing(drawing, {width / 2, (top + bottom) / 2});
  drawing.height = bottom + 26;
  return drawing;
}

Drawing draw(const HeatMap& chart, double width) {
  constexpr double kRowHeight = 22;
  constexpr double kWidestCell = 64;
  Drawing drawing{width, 0, chart.title};
  const double top = draw_heading(drawing, chart.title, chart.subtitle) + 8;
  double left = 0;
  for (const HeatMap::Row& row : chart.rows)
    left = std::max(left, text_width(row.label, kTextSize));
  left = std::min(left + 14, width / 3);  // a row may be called anything
  const double cell = std::min(
      kWidestCell,
      (width - left) / static_cast<double>(std::max<std::size_t>(chart.columns.size(), 1)));
  double y = top;
  for (const HeatMap::Row& row : chart.rows) {
    drawing.add(Label{{0, y + kRowHeight - 7}, row.label, kTextSize});
    for (std::size_t i = 0; i < std::min(row.counts.size(), chart.columns.size()); ++i) {
      const double x = left + cell * static_cast<double>(i);
      const auto count = static_cast<double>(row.counts[i]);
      const auto total = static_cast<double>(i < chart.totals.size() ? chart.totals[i] : 0);
      const double share = total > 0 ? std::clamp(count / total, 0.0, 1.0) : 0;
      if (row.counts[i] <= 0) continue;
      drawing.add(Polygon{{{x + 1, y + 1},
                           {x + cell - 1, y + 1},
                           {x + cell - 1, y + kRowHeight - 1},
                           {x + 1, y + kRowHeight - 1}},
                          series_ink(0),
                          0.08 + 0.72 * share,
                          fmt::format("{}, {}: {} of {} ({:.0f} %)", row.label, chart.columns[i],
                                      row.counts[i], total, 100 * share)});
      drawing.add(Label{{x + cell / 2, y + kRowHeight - 7},
                        std::to_string(row.counts[i]),
                        kSmallSize,
                        Ink::kText,
                        Anchor::kMiddle});
    }
    y += kRowHeight;
  }
  for (std::size_t i = 0; i < chart.columns.size(); ++i) {
    drawing.add(Label{{left + cell * (static_cast<double>(i) + 0.5), y + 14},
                      chart.columns[i],
                      kSmallSize,
                      Ink::kMuted,
                      Anchor::kMiddle});
  }
  if (chart.rows.empty()) draw_nothing(drawing, {width / 2, y + 6});
  drawing.height = y + 22;
  return drawing;
}

Drawing draw(const BarChart& chart, ChartSize size) {
  Drawing drawing{size.width, size.height, chart.title};
  const double top = draw_heading(drawing, chart.title, chart.subtitle) + 8;
  const double bottom = size.height - 38;
  const std::size_t most =
      chart.counts.empty() ? 1 : std::max<std::size_t>(1, *std::ranges::max_element(chart.counts));
  const std::size_t bars = std::max<std::size_t>(chart.counts.size(), 1);
  const std::vector<double> ticks = nice_ticks(0, static_cast<double>(most), 4, true);
  Frame frame{{-0.5, static_cast<double>(bars) - 0.5, 34, size.width - 14},
              {0, ticks.back(), bottom, top},
              {},
              ticks};
  frame.x_ticks = nice_ticks(0, std::max(1.0, static_cast<double>(bars) - 1), 10, true);
  draw_axes(drawing, frame, ValueFormat::kInteger, kTextSize);
  for (std::size_t i = 0; i < chart.counts.size(); ++i) {
    const auto value = static_cast<double>(i);
    const double left = frame.x(value - 0.4);
    const double right = frame.x(value + 0.4);
    const double height = frame.y(static_cast<double>(chart.counts[i]));
    if (chart.counts[i] == 0) continue;
    drawing.add(Polygon{{{left, bottom}, {left, height}, {right, height}, {right, bottom}},
                        series_ink(0),
                        0.85,
                        fmt::format("{} {}: {}", chart.x_label, i, chart.counts[i])});
  }
  drawing.add(
      Label{{frame.x.to, size.height - 4}, chart.x_label, kSmallSize, Ink::kMuted, Anchor::kEnd});
  return drawing;
}

}  // namespace redqueen::run
