#include "redqueen/run/report_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "redqueen/run/statistics.h"

namespace redqueen {
namespace {

constexpr std::size_t kFewestToSmooth = 30;

// As many steps as a thirtieth of the run: enough to see the trend, too few to hide a turn.
std::size_t smoothing_for(std::size_t points) {
  return points < kFewestToSmooth ? 1 : std::max<std::size_t>(3, points / 30);
}

std::optional<Estimate> estimate_of(const EvaluationTotal& total, const std::string& label) {
  if (total.problems <= 0) return std::nullopt;
  const double share = static_cast<double>(total.solved) / static_cast<double>(total.problems);
  return Estimate{share, wilson_interval(total.solved, total.problems),
                  fmt::format("{}: {}", label, share_text(total))};
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

// Windows of equal length over the steps of a run: of 10 steps, as in the paper, or fewer where a run is short, more
// where there would be too many columns.
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

// Layers come first, by their number ("L2 timeout"), admission last.
int rank_of_fate(const std::string& fate) {
  if (fate == "admitted") return 2;
  return fate.size() > 1 && fate[0] == 'L' && fate[1] >= '0' && fate[1] <= '9' ? 0 : 1;
}

HeatMap windowed(const std::map<std::string, std::vector<std::int64_t>>& rows,
                 std::vector<std::int64_t> totals, std::vector<std::string> columns) {
  HeatMap chart{.columns = std::move(columns), .totals = std::move(totals)};
  for (const auto& [label, counts] : rows) chart.rows.push_back({label, counts});
  return chart;
}

}  // namespace

std::span<const KnownMetric> known_metrics() {
  static const std::array<KnownMetric, 6> kMetrics = {{
      {metric::kReward, "reward", "Reward", "mean over sampled rollouts", ValueFormat::kNumber,
       false},
      {metric::kSolved, "solved", "Solved",
       "share of sampled rollouts, at the levels of the moment", ValueFormat::kPercent, true},
      {metric::kEffectivePrompts, "effective_prompts", "Effective prompt ratio",
       "share of sampled prompts whose rollouts differ in reward: only these teach",
       ValueFormat::kPercent, true},
      {metric::kResponseTokens, "response_tokens", "Response length", "mean tokens of a response",
       ValueFormat::kCount, true},
      {metric::kTokensPerSecond, "throughput", "Throughput",
       "tokens per second, sampling and training together", ValueFormat::kCount, true},
      {metric::kWellFormed, "well_formed", "Well-formed",
       "share of sampled rollouts with an answer of the asked form", ValueFormat::kPercent, true},
  }};
  return kMetrics;
}

LineChart metric_chart(const KnownMetric& metric, std::span<const NamedRun> runs) {
  LineChart chart{.title = std::string(metric.title),
                  .subtitle = std::string(metric.subtitle),
                  .format = metric.format};
  if (metric.from_zero) chart.y_min = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::vector<MetricPoint>& values = runs[i].data->metric(metric.name);
    if (values.empty()) continue;
    Series series{.name = runs.size() > 1 ? runs[i].name : "", .colour = static_cast<int>(i)};
    series.smoothing = smoothing_for(values.size());
    for (const MetricPoint& point : values)
      series.points.push_back({static_cast<double>(point.step), point.value});
    chart.series.push_back(std::move(series));
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
  chart.names = policies_of(run.evaluations, suite);
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

DotChart evaluation_chart(std::span<const NamedRun> runs, const std::string& suite) {
  DotChart chart{
      .title = "Evaluation: " + suite,
      .subtitle = "share solved by each run's last policy, bars are 95 % Wilson intervals"};
  std::map<std::string, DotChart::Row> rows;  // by environment
  for (std::size_t i = 0; i < runs.size(); ++i) {
    chart.names.push_back(runs[i].name);
    const std::vector<std::string> policies = policies_of(runs[i].data->evaluations, suite);
    if (policies.empty()) continue;
    const EvaluationTotals totals = total(runs[i].data->evaluations);
    for (const auto& [environment, by_policy] : totals.at(suite)) {
      const auto sum = by_policy.find(policies.back());
      if (sum == by_policy.end()) continue;
      DotChart::Row& row = rows[environment];
      row.estimates.resize(runs.size());
      row.estimates[i] = estimate_of(sum->second, runs[i].name);
    }
  }
  for (auto& [environment, row] : rows) {
    row.label = environment.empty() ? "all" : environment;
    row.bold = environment.empty();
    chart.rows.push_back(std::move(row));
  }
  return chart;
}

HeatMap fate_chart(const RunData& run) {
  const Windows windows(run.steps);
  const std::size_t columns = windows.count(run.steps);
  std::map<std::string, std::vector<std::int64_t>> rows;
  std::vector<std::int64_t> totals(columns);
  for (const ItemCount& count : run.candidates) {
    const std::size_t window = windows.of(count.step);
    if (window >= columns) continue;
    std::vector<std::int64_t>& row = rows[count.fate];
    row.resize(columns);
    row[window] += count.count;
    totals[window] += count.count;
  }
  HeatMap chart = windowed(rows, std::move(totals), windows.labels(run.steps));
  chart.title = "What became of the candidates";
  chart.subtitle = "by steps: the layer at which they fell, or what refused them afterwards";
  std::ranges::stable_sort(chart.rows, std::ranges::less(),
                           [](const HeatMap::Row& row) { return rank_of_fate(row.label); });
  return chart;
}

HeatMap tag_chart(const RunData& run) {
  const Windows windows(run.steps);
  const std::size_t columns = windows.count(run.steps);
  std::map<std::string, std::vector<std::int64_t>> rows;
  std::map<std::string, std::int64_t> sums;
  std::vector<std::int64_t> totals(columns);
  for (const AdmittedEnvironment& environment : run.admitted) {
    const std::size_t window = windows.of(environment.step);
    if (window >= columns) continue;
    ++totals[window];
    for (const std::string& tag : environment.tags) {
      std::vector<std::int64_t>& row = rows[tag];
      row.resize(columns);
      ++row[window];
      ++sums[tag];
    }
  }
  HeatMap chart = windowed(rows, std::move(totals), windows.labels(run.steps));
  chart.title = "What the admitted environments are about";
  chart.subtitle = "by steps: how many have a tag; an environment may have several";
  std::ranges::stable_sort(chart.rows, std::ranges::greater(),
                           [&](const HeatMap::Row& row) { return sums.at(row.label); });
  return chart;
}

LineChart metrics_chart(std::string_view title, std::string_view subtitle, ValueFormat format,
                        std::span<const NamedMetric> metrics, const RunData& run) {
  LineChart chart{.title = std::string(title), .subtitle = std::string(subtitle), .format = format};
  if (format != ValueFormat::kNumber) chart.y_min = 0;
  for (const NamedMetric& named : metrics) {
    const std::vector<MetricPoint>& values = run.metric(named.metric);
    if (values.empty()) continue;
    Series series{.name = std::string(named.label),
                  .colour = static_cast<int>(chart.series.size())};
    series.smoothing = smoothing_for(values.size());
    for (const MetricPoint& point : values)
      series.points.push_back({static_cast<double>(point.step), point.value});
    chart.series.push_back(std::move(series));
  }
  return chart;
}

std::string share_text(const EvaluationTotal& total) {
  const Interval interval = wilson_interval(total.solved, total.problems);
  const double share = total.problems > 0
                           ? static_cast<double>(total.solved) / static_cast<double>(total.problems)
                           : 0;
  return fmt::format("{} of {}: {:.1f} % (95 % interval {:.1f}–{:.1f})", total.solved,
                     total.problems, 100 * share, 100 * interval.low, 100 * interval.high);
}

}  // namespace redqueen
