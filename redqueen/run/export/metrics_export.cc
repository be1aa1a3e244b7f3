#include "redqueen/run/export/metrics_export.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/run/event_browser.h"
#include "redqueen/run/export/event_file.h"
#include "redqueen/run/export/wandb_recorder.h"
#include "redqueen/run/report/run_data.h"

namespace redqueen::run {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kOwnColumns = {"step", "time", "seconds"};

std::string column_name(const std::string& metric) {
  return std::ranges::count(kOwnColumns, metric) > 0 ? "metric/" + metric : metric;
}

// Rows by step, filled from several tables.
using Rows = std::map<std::int64_t, MetricsRow>;

void add_value(Rows& rows, std::int64_t step, std::string name, double value) {
  if (!std::isfinite(value)) return;  // nothing was measured
  MetricsRow& row = rows[step];
  row.step = step;
  row.values.push_back({std::move(name), value});
}

Status add_metrics(EventStore& store, Rows& rows) {
  ASSIGN_OR_RETURN(const auto names, store.metric_names());
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const auto points, store.metric(name));
    for (const MetricPoint& point : points) add_value(rows, point.step, name, point.value);
  }
  return {};
}

Status add_levels(EventStore& store, Rows& rows) {
  ASSIGN_OR_RETURN(const auto curriculum, store.curriculum());
  std::map<std::int64_t, std::pair<double, double>> sums;  // by step: levels, environments
  for (const auto& [step, state] : curriculum) {
    add_value(rows, step, "level/" + state.environment, state.upper_level);
    sums[step].first += state.upper_level;
    sums[step].second += 1;
  }
  for (const auto& [step, sum] : sums) add_value(rows, step, "level/mean", sum.first / sum.second);
  return {};
}

Status add_evaluation_values(EventStore& store, Rows& rows) {
  ASSIGN_OR_RETURN(const auto evaluations, store.evaluations());
  std::map<std::pair<std::string, std::int64_t>, std::string> policy_at;  // (suite, step)
  std::map<std::pair<std::int64_t, std::string>, EvaluationTotal> totals;
  for (const EvaluationRecord& row : evaluations) {
    const auto& policy = policy_at.emplace(std::pair(row.suite, row.step), row.policy).first;
    if (policy->second != row.policy) continue;
    const std::string name = "evaluation/" + row.suite;
    totals[{row.step, name}].add(row);
    totals[{row.step, name + '/' + row.environment}].add(row);
  }
  for (const auto& [key, total] : totals) {
    if (total.problems > 0) add_value(rows, key.first, key.second, total.share());
  }
  return {};
}

// A row before the first step has the time at which that began.
void set_times(const std::vector<StepPoint>& steps, Rows& rows) {
  for (const StepPoint& step : steps) {
    const auto row = rows.find(step.step);
    if (row == rows.end()) continue;
    row->second.time = step.time;
    row->second.seconds = step.seconds;
  }
  if (const auto first = rows.find(0); first != rows.end() && !steps.empty())
    first->second.time = steps.front().time - steps.front().seconds;
}

std::string quoted_for_csv(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

Json row_json(const MetricsRow& row) {
  Json json{{"step", row.step}, {"time", row.time}, {"seconds", row.seconds}};
  for (const MetricValue& value : row.values) json[column_name(value.name)] = value.value;
  return json;
}

Status write_to(const fs::path& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (!file) return path_error(path, "cannot be written", errno);
  return {};
}

// The file is there whole or as it was. A pipe or a device (/dev/stdout) is written to, and a link
// goes on leading where it led.
Status write_output(const fs::path& given, std::string_view content) {
  std::error_code ignored;
  if (fs::is_other(fs::status(given, ignored))) return write_to(given, content);
  std::error_code unresolved;
  const fs::path path = fs::canonical(given, unresolved);
  return replace_file(unresolved ? given : path, content, Survives::kProcessDeath);
}

}  // namespace

Expected<std::vector<MetricsRow>> metrics_of(const fs::path& run) {
  ASSIGN_OR_RETURN(EventStore store, EventStore::open_to_read(run / "run.db"));
  ASSIGN_OR_RETURN(EventBrowser browser, EventBrowser::open(run / "run.db"));
  Rows by_step;
  RETURN_IF_ERROR(add_metrics(store, by_step));
  RETURN_IF_ERROR(add_levels(store, by_step));
  RETURN_IF_ERROR(add_evaluation_values(store, by_step));
  ASSIGN_OR_RETURN(const auto steps, browser.steps());
  set_times(steps, by_step);
  std::vector<MetricsRow> rows;
  for (auto& [step, row] : by_step) {
    std::ranges::stable_sort(row.values, std::ranges::less(), &MetricValue::name);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string to_csv(const std::vector<MetricsRow>& rows) {
  std::set<std::string> names;
  for (const MetricsRow& row : rows) {
    for (const MetricValue& value : row.values) names.insert(value.name);
  }
  std::string text = "step,time,seconds";
  for (const std::string& name : names) text += ',' + quoted_for_csv(column_name(name));
  text += "\r\n";
  for (const MetricsRow& row : rows) {
    text += fmt::format("{},{},{}", row.step, row.time, row.seconds);
    auto value = row.values.begin();
    for (const std::string& name : names) {
      text += ',';
      if (value == row.values.end() || value->name != name) continue;
      text += fmt::to_string(value->value);
      // An environment may be called "mean": a second value of one name has no column.
      while (value != row.values.end() && value->name == name) ++value;
    }
    text += "\r\n";
  }
  return text;
}

std::string to_jsonl(const std::vector<MetricsRow>& rows) {
  std::string text;
  for (const MetricsRow& row : rows) text += dump_json(row_json(row)) + '\n';
  return text;
}

// TensorBoard knows event files by this word in their names, and reads all that a folder has; so a
// run has one name.
fs::path event_file_path(const fs::path& folder) { return folder / "events.out.tfevents.redqueen"; }

Status write_event_file(const std::vector<MetricsRow>& rows, const fs::path& folder) {
  const double start = rows.empty() ? 0 : rows.front().time;
  std::string content = event_file_start(start);
  for (const MetricsRow& row : rows) content += event_file_scalars(row.time, row.step, row.values);
  RETURN_IF_ERROR(make_folders(folder));
  return write_output(event_file_path(folder), content);
}

fs::path default_export_path(const fs::path& run, MetricsFormat format) {
  switch (format) {
    case MetricsFormat::kCsv:
      return run / "metrics.csv";
    case MetricsFormat::kJsonl:
      return run / "metrics.jsonl";
    case MetricsFormat::kTensorBoard:
    case MetricsFormat::kWandb:
      break;
  }
  return run / kMetricsFormats.name(format);
}

Status export_metrics(const fs::path& run, MetricsFormat format, const fs::path& out) {
  ASSIGN_OR_RETURN(const auto rows, metrics_of(run));
  switch (format) {
    case MetricsFormat::kTensorBoard:
      return write_event_file(rows, out);
    case MetricsFormat::kWandb: {
      RETURN_IF_ERROR(make_folders(out));
      const fs::path whole = absolute_path(run).lexically_normal();
      const fs::path name =
          whole.has_filename() ? whole.filename() : whole.parent_path().filename();
      return record_with_wandb(name.string(), to_jsonl(rows), out);
    }
    case MetricsFormat::kCsv:
    case MetricsFormat::kJsonl:
      break;
  }
  RETURN_IF_ERROR(make_folders(out.parent_path()));
  return write_output(out, format == MetricsFormat::kCsv ? to_csv(rows) : to_jsonl(rows));
}

}  // namespace redqueen::run
