#include "redqueen/run/report/report_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "redqueen/run/report/statistics.h"

namespace redqueen::run {
namespace {

constexpr std::size_t kFewestToSmooth = 30;

// As many steps as a thirtieth of the run: enough to see the trend, too few to hide a turn.
std::size_t smoothing_for(std::size_t points) {
  return points < kFewestToSmooth ? 1 : std::max<std::size_t>(3, points / 30);
}

std::optional<Estimate> estimate_of(const EvaluationTotal& total, const std::string& label) {
  if (total.problems <= 0) return std::nullopt;
  const double share = static_cast<double>(total.solved) / static_cast<double>(total.problems);
  return Estimate{share, total.interval(), fmt::format("{}: {}", label, share_text(total))};
}

// Level of every environment by step; steps at which the curriculum was not stored are left out.
std::map<std::int64_t, std::vector<int>> upper_levels_by_step(const RunData& run) {
  std::map<std::int64_t, std::vector<int>> levels;
  for (const auto& [environment, points] : run.curriculum) {
    for (const CurriculumPoint& point : points)
      levels[point.step].push_back(point.state.upper_level);
  }
  return levels;
}

// Windows of equal length over the steps of a run: of 10 steps, as in the paper, or fewer where a
// run is short, more where there would be too many columns.
class Windows {
 public:
  explicit Windows(std::int64_t steps) {
    constexpr std::int64_t kMostColumns = 24;
    if (steps <= kMostColumns) return;
    for (length_ = 10; (steps + length_ - 1) / length_ > kMostColumns; length_ *= 2) {
    }
  }
  std::size_t count(std::int64_t steps) const {
    return static_cast<std::size_t>((std::max<std::int64_t>(steps, 1) + length_ - 1) / length_);
  }
  std::size_t of(std::int64_t step) const {
    return static_cast<std::size_t>((std::max<std::int64_t>(step, 1) - 1) / length_);
  }
  std::vector<std::string> labels(std::int64_t steps) const {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < count(steps); ++i) {
      const auto first = static_cast<std::int64_t>(i) * length_ + 1;
      labels.push_back(length_ == 1 ? std::to_string(first)
                                    : fmt::format("{}–{}", first, first + length_ - 1));
    }
    return labels;
  }

 private:
  std::int64_t length_ = 1;
};

// How well a fate matches one of a record's series: 0 not at all, and most as a whole.
std::size_t match(std::string_view pattern, std::string_view fate) {
  if (pattern == fate) return fate.size() + 2;
  if (!pattern.ends_with('*')) return 0;
  pattern.remove_suffix(1);
  return fate.starts_with(pattern) ? pattern.size() + 1 : 0;
}

// The series that a fate matches best; behind all of them if it matches none.
std::size_t rank_of_fate(const ChartRecord& record, std::string_view fate) {
  std::size_t best = record.series.size();
  std::size_t best_match = 0;
  for (std::size_t i = 0; i < record.series.size(); ++i) {
    const std::size_t matched = match(record.series[i].metric, fate);
    if (matched <= best_match) continue;
    best = i;
    best_match = matched;
  }
  return best;
}

ValueFormat format_of(std::string_view unit) {
  if (unit == chart_unit::kShare) return ValueFormat::kPercent;
  return unit == chart_unit::kCount ? ValueFormat::kCount : ValueFormat::kNumber;
}

// What a line is called in a legend that has to tell series, runs, or both apart.
std::string line_name(const std::string& series, const std::string& run, bool several_series,
                      bool several_runs) {
  if (!several_runs) return series;
  return several_series ? fmt::format("{}, {}", series, run) : run;
}

// Counts of items by window, a row for each label.
class WindowedCounts {
 public:
  explicit WindowedCounts(std::int64_t steps)
      : windows_(steps), columns_(windows_.count(steps)), labels_(windows_.labels(steps)) {
    totals_.resize(columns_);
  }
  void add(const ItemCount& count) {
    const std::size_t window = windows_.of(count.step);
    if (window >= columns_) return;
    std::vector<std::int64_t>& row = rows_[count.fate];
    row.resize(columns_);
    row[window] += count.count;
  }
  void add_total(const ItemCount& count) {
    const std::size_t window = windows_.of(count.step);
    if (window < columns_) totals_[window] += count.count;
  }
  HeatMap chart(const ChartRecord& record) && {
    HeatMap chart{.title = record.title, .subtitle = record.note, .columns = std::move(labels_)};
    chart.totals = std::move(totals_);
    for (auto& [label, counts] : rows_) chart.rows.push_back({label, std::move(counts)});
    return chart;
  }

 private:
  Windows windows_;
  std::size_t columns_;
  std::vector<std::string> labels_;
  std::vector<std::int64_t> totals_;
  std::map<std::string, std::vector<std::int64_t>> rows_;
};

}  // namespace

LineChart lines_chart(const ChartRecord& record, std::span<const NamedRun> runs) {
  LineChart chart{.title = record.title, .subtitle = record.note, .format = format_of(record.unit)};
  if (chart.format != ValueFormat::kNumber) chart.y_min = 0;
  const bool several_series = record.series.size() > 1;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const ChartSeries& described : record.series) {
      const std::vector<MetricPoint>& values = runs[i].data->metric(described.metric);
      if (values.empty()) continue;
      Series series{
          .name = line_name(described.label, runs[i].name, several_series, runs.size() > 1),
          .colour = static_cast<int>(several_series ? chart.series.size() : i)};
      series.smoothing = smoothing_for(values.size());
      for (const MetricPoint& point : values)
        series.points.push_back({static_cast<double>(point.step), point.value});
      chart.series.push_back(std::move(series));
    }
  }
  return chart;
}

LineChart level_chart(std::span<const NamedRun> runs) {
  const bool alone = runs.size() == 1;
  LineChart chart{
      .title = "Difficulty",
      .subtitle = alone
                      ? "upper level: mean over environments, and the range from lowest to highest"
                      : "upper level, mean over environments",
      .y_min = 0};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Series series{.name = alone ? "" : runs[i].name, .colour = static_cast<int>(i)};
    for (const auto& [step, levels] : upper_levels_by_step(*runs[i].data)) {
      const std::vector<double> values(levels.begin(), levels.end());
      const auto [low, high] = std::ranges::minmax(levels);
      series.points.push_back({static_cast<double>(step), finite_mean(values)});
      if (alone) series.band.push_back({static_cast<double>(low), static_cast<double>(high)});
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  return chart;
}

SmallMultiples environment_levels(const RunData& run, std::size_t most) {
  SmallMultiples chart{.title = "Difficulty by environment",
                       .subtitle = "line: upper level; band: the levels problems are drawn from"};
  for (const auto& [environment, points] : run.curriculum) {
    LineChart cell{.title = environment, .format = ValueFormat::kInteger, .y_min = 0};
    Series series{.name = "upper level", .staircase = true};
    for (const CurriculumPoint& point : points) {
      const auto upper = static_cast<double>(point.state.upper_level);
      series.points.push_back({static_cast<double>(point.step), upper});
      series.band.push_back({static_cast<double>(point.state.lower_level), upper});
    }
    cell.series.push_back(std::move(series));
    chart.cells.push_back(std::move(cell));
  }
  std::ranges::stable_sort(chart.cells, std::ranges::greater(),
                           [](const LineChart& cell) { return cell.series[0].points.back().y; });
  if (chart.cells.size() > most) {
    chart.subtitle += fmt::format("; the {} highest of {} environments", most, chart.cells.size());
    chart.cells.resize(most);
  }
  chart.columns = chart.cells.size() <= 3 ? 3 : 4;
  return chart;
}

BarChart reached_levels(const RunData& run) {
  BarChart chart{.title = "Levels reached",
                 .subtitle = "environments by their upper level",
                 .x_label = "level"};
  constexpr int kHighest = 200;  // beyond, a bar chart says nothing
  for (const auto& [environment, points] : run.curriculum) {
    const auto level =
        static_cast<std::size_t>(std::clamp(points.back().state.upper_level, 0, kHighest));
    if (chart.counts.size() <= level) chart.counts.resize(level + 1);
    ++chart.counts[level];
  }
  return chart;
}

DotChart evaluation_chart(const RunData& run, const std::string& suite) {
  DotChart chart{.title = "Evaluation: " + suite,
                 .subtitle = "share solved, bars are 95 % Wilson intervals"};
  chart.names = shown_policies(run.evaluations, suite);
  const EvaluationTotals totals = total(run.evaluations);
  const auto found = totals.find(suite);
  if (found == totals.end()) return chart;
  for (const auto& [environment, by_policy] : found->second) {
    DotChart::Row row{.label = environment.empty() ? "all" : environment,
                      .bold = environment.empty()};
    for (const std::string& policy : chart.names) {
      const auto sum = by_policy.find(policy);
      row.estimates.push_back(sum == by_policy.end() ? std::nullopt
                                                     : estimate_of(sum->second, policy));
    }
    chart.rows.push_back(std::move(row));
  }
  return chart;
}

LineChart evaluation_curve(std::span<const NamedRun> runs, const std::string& suite) {
  LineChart chart{.title = "Accuracy during training: " + suite,
                  .subtitle = "share solved on held-out problems; bands are 95 % intervals",
                  .format = ValueFormat::kPercent,
                  .y_min = 0};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::map<std::int64_t, EvaluationTotal> by_step;
    std::map<std::int64_t, std::string> policy_at;  // a step may be evaluated twice
    for (const EvaluationRecord& row : runs[i].data->evaluations) {
      if (row.suite != suite) continue;
      const auto [at, is_new] = policy_at.emplace(row.step, row.policy);
      if (is_new || at->second == row.policy) by_step[row.step].add(row);
    }
    if (by_step.size() < 3) continue;
    Series series{.name = runs[i].name, .colour = static_cast<int>(i)};
    for (const auto& [step, total] : by_step) {
      series.points.push_back({static_cast<double>(step), total.share()});
      series.band.push_back(total.interval());
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

DotChart evaluation_chart(std::span<const NamedRun> runs, const std::string& suite) {
  DotChart chart{
      .title = "Evaluation: " + suite,
      .subtitle =
          "share solved by each run's last policy of the problems that all were asked; bars "
          "are 95 % Wilson intervals"};
  std::vector<const std::vector<EvaluationRecord>*> evaluations;
  for (const NamedRun& run : runs) evaluations.push_back(&run.data->evaluations);
  const auto comparable = comparable_evaluations(evaluations, suite);
  std::map<std::string, DotChart::Row> rows;  // by environment
  for (std::size_t i = 0; i < runs.size(); ++i) {
    chart.names.push_back(runs[i].name + (comparable[i].empty() ? " (not evaluated)" : ""));
    const EvaluationTotals totals = total(comparable[i]);
    const auto of_suite = totals.find(suite);
    if (of_suite == totals.end()) continue;
    for (const auto& [environment, by_policy] : of_suite->second) {
      DotChart::Row& row = rows[environment];
      row.estimates.resize(runs.size());
      row.estimates[i] = estimate_of(by_policy.begin()->second, runs[i].name);
    }
  }
  for (auto& [environment, row] : rows) {
    row.label = environment.empty() ? "all" : environment;
    row.bold = environment.empty();
    chart.rows.push_back(std::move(row));
  }
  return chart;
}

HeatMap fate_chart(const ChartRecord& record, const RunData& run) {
  WindowedCounts counts(run.steps);
  if (const auto found = run.fates.find(record.items); found != run.fates.end()) {
    for (const ItemCount& count : found->second) {
      counts.add(count);
      counts.add_total(count);
    }
  }
  HeatMap chart = std::move(counts).chart(record);
  std::ranges::stable_sort(chart.rows, std::ranges::less(), [&](const HeatMap::Row& row) {
    return rank_of_fate(record, row.label);
  });
  return chart;
}

HeatMap tag_chart(const ChartRecord& record, const RunData& run) {
  WindowedCounts counts(run.steps);
  if (const auto found = run.tags.find(record.id); found != run.tags.end()) {
    for (const ItemCount& count : found->second) counts.add(count);
  }
  const auto fates = run.fates.find(record.items);
  if (fates != run.fates.end() && !record.series.empty()) {
    for (const ItemCount& count : fates->second) {
      if (count.fate == record.series[0].metric) counts.add_total(count);
    }
  }
  HeatMap chart = std::move(counts).chart(record);
  std::ranges::stable_sort(chart.rows, std::ranges::greater(), [](const HeatMap::Row& row) {
    return std::accumulate(row.counts.begin(), row.counts.end(), std::int64_t{0});
  });
  return chart;
}

std::string share_text(const EvaluationTotal& total) {
  const Interval interval = total.interval();
  const double share = total.problems > 0
                           ? static_cast<double>(total.solved) / static_cast<double>(total.problems)
                           : 0;
  return fmt::format("{} of {}: {:.1f} % (95 % interval {:.1f}–{:.1f}){}", total.solved,
                     total.problems, 100 * share, 100 * interval.low, 100 * interval.high,
                     total.cut_text());
}

}  // namespace redqueen::run
