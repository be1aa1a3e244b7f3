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

std::string share_text(const EvaluationTotal& total) {
  const Interval interval = wilson_interval(total.solved, total.problems);
  const double share = total.problems > 0
                           ? static_cast<double>(total.solved) / static_cast<double>(total.problems)
                           : 0;
  return fmt::format("{} of {}: {:.1f} % (95 % interval {:.1f}–{:.1f})", total.solved,
                     total.problems, 100 * share, 100 * interval.low, 100 * interval.high);
}

}  // namespace redqueen
