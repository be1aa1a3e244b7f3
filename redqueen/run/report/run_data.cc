#include "redqueen/run/report/run_data.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <system_error>

#include "redqueen/base/file_queries.h"

namespace redqueen::run {
namespace {

constexpr std::size_t kSampledSteps = 2;  // from each end of the run

// Puts the value into `target`, or its error into `status`. Does nothing after an error.
template <typename T>
void take(Status& status, T& target, Expected<T> value) {
  if (!status) return;
  if (value) {
    target = std::move(*value);
  } else {
    status = tl::make_unexpected(value.error());
  }
}

std::vector<std::int64_t> both_ends(const std::vector<std::int64_t>& steps) {
  if (steps.size() <= 2 * kSampledSteps) return steps;
  std::vector<std::int64_t> ends(steps.begin(), steps.begin() + kSampledSteps);
  ends.insert(ends.end(), steps.end() - kSampledSteps, steps.end());
  return ends;
}

// Counts that the charts of items draw.
void take_items(Status& status, EventStore& store, RunData& data) {
  for (const ChartRecord& chart : data.charts) {
    if (chart.kind != chart_kind::kFates && chart.kind != chart_kind::kTags) continue;
    take(status, data.fates[chart.items], store.item_counts(chart.items));
    if (chart.kind != chart_kind::kTags || chart.series.empty()) continue;
    take(status, data.tags[chart.id], store.tag_counts(chart.items, chart.series[0].metric));
  }
}

}  // namespace

const std::vector<MetricPoint>& RunData::metric(std::string_view name) const {
  static const std::vector<MetricPoint> kNone;
  const auto found = metrics.find(std::string(name));
  return found == metrics.end() ? kNone : found->second;
}

Expected<RunData> load_run(const std::filesystem::path& run) {
  ASSIGN_OR_RETURN(EventStore store, EventStore::open_to_read(run / "run.db"));
  RunData data;
  data.name = absolute_path(run).lexically_normal().filename().string();
  if (data.name.empty()) data.name = run.parent_path().filename().string();  // "runs/x/"
  std::ostringstream config;
  config << std::ifstream(run / "config.toml", std::ios::binary).rdbuf();
  data.config = std::move(config).str();

  Status status;
  std::vector<std::string> names;
  std::vector<CurriculumPoint> curriculum;
  std::vector<std::int64_t> sampled;
  take(status, data.steps, store.last_step());
  take(status, data.seconds, store.total_seconds());
  take(status, names, store.metric_names());
  for (const std::string& name : names) take(status, data.metrics[name], store.metric(name));
  take(status, curriculum, store.curriculum());
  for (CurriculumPoint& point : curriculum)
    data.curriculum[point.state.environment].push_back(std::move(point));
  take(status, sampled, store.rollout_steps());
  for (const std::int64_t step : both_ends(sampled)) {
    take(status, data.samples.emplace_back(SampledStep{step}).rollouts, store.rollouts(step));
  }
  take(status, data.evaluations, store.evaluations());
  take(status, data.charts, store.charts());
  take_items(status, store, data);
  if (!status) return tl::make_unexpected(status.error());
  return data;
}

void EvaluationTotal::add(const EvaluationRecord& row) {
  problems += row.problems;
  solved += row.solved;
  samples = std::max(samples, row.samples);
  squares += row.solved_squares;
  cut = cut < 0 || row.cut < 0 ? -1 : cut + row.cut;
}

std::string EvaluationTotal::cut_text() const {
  if (cut < 0 || problems == 0) return {};
  return fmt::format(", {:.1f} % cut",
                     100.0 * static_cast<double>(cut) / static_cast<double>(problems));
}

Interval EvaluationTotal::interval() const {
  return clustered_interval(solved, squares, problems / samples, samples);
}

EvaluationTotals total(const std::vector<EvaluationRecord>& evaluations) {
  EvaluationTotals totals;
  for (const EvaluationRecord& row : evaluations) {
    for (const std::string& environment : {row.environment, std::string()}) {
      totals[row.suite][environment][row.policy].add(row);
    }
  }
  return totals;
}

std::vector<std::string> policies_of(const std::vector<EvaluationRecord>& evaluations,
                                     std::string_view suite) {
  std::vector<std::string> policies;
  for (const EvaluationRecord& row : evaluations) {
    if (row.suite == suite && std::ranges::count(policies, row.policy) == 0)
      policies.push_back(row.policy);
  }
  return policies;
}

std::vector<std::string> shown_policies(const std::vector<EvaluationRecord>& evaluations,
                                        std::string_view suite) {
  constexpr std::size_t kMost = 4;
  const std::vector<std::string> all = policies_of(evaluations, suite);
  if (all.size() <= kMost) return all;
  return {all.front(), all.back()};
}

std::vector<std::vector<EvaluationRecord>> comparable_evaluations(
    std::span<const std::vector<EvaluationRecord>* const> runs, std::string_view suite) {
  std::vector<std::string> last;
  for (const auto* evaluations : runs) {
    const std::vector<std::string> policies = policies_of(*evaluations, suite);
    last.push_back(policies.empty() ? std::string() : policies.back());
  }
  const bool trained = std::ranges::any_of(
      last, [](const std::string& policy) { return !policy.empty() && policy != kBefore; });
  using Key = std::tuple<std::string, int, std::int64_t>;
  const auto key_of = [](const EvaluationRecord& row) {
    return Key{row.environment, row.level, row.problems};
  };
  std::map<Key, std::size_t> runs_with;
  std::vector<std::vector<EvaluationRecord>> chosen(runs.size());
  std::size_t compared = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (last[i].empty() || (trained && last[i] == kBefore)) continue;
    ++compared;
    for (const EvaluationRecord& row : *runs[i]) {
      if (row.suite != suite || row.policy != last[i]) continue;
      chosen[i].push_back(row);
      ++runs_with[key_of(row)];
    }
  }
  for (auto& rows : chosen) {
    std::erase_if(
        rows, [&](const EvaluationRecord& row) { return runs_with.at(key_of(row)) < compared; });
  }
  return chosen;
}

}  // namespace redqueen::run
