#include "redqueen/watch/run_views.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "redqueen/base/text_file.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/flat_settings.h"
#include "redqueen/run/report/html.h"
#include "redqueen/run/report/report_charts.h"
#include "redqueen/run/report/run_data.h"
#include "redqueen/watch/arena_views.h"
#include "redqueen/watch/readable.h"
#include "redqueen/watch/thinning.h"

namespace redqueen::watch {
namespace {

using run::EventBrowser;
using run::EventStore;

// ---- Configuration

std::string config_of(const RunPlace& place) {
  return read_text_file(place.folder / "config.toml").value_or("");
}

// A configuration that cannot be read has no settings; its text is shown all the same.
run::FlatSettings settings_of(const std::string& config) {
  return run::flat_settings(config, "config.toml").value_or(run::FlatSettings());
}

std::string unquoted(std::string text) {
  if (text.size() < 2 || !std::ranges::count(std::string_view("\"'"), text.front())) return text;
  return text.substr(1, text.size() - 2);
}

std::int64_t steps_asked(const run::FlatSettings& settings) {
  const std::string text = run::setting(settings, "run.steps");
  std::int64_t steps = 0;
  std::from_chars(text.data(), text.data() + text.size(), steps);
  return steps;
}

// ---- Parts of views

Json number(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json series(const std::vector<run::MetricPoint>& points) {
  Json steps = Json::array();
  Json values = Json::array();
  for (const run::MetricPoint& point : points) {
    steps.push_back(point.step);
    values.push_back(point.value);
  }
  return {{"steps", std::move(steps)}, {"values", std::move(values)}};
}

Json chart_json(const run::ChartRecord& chart) {
  Json lines = Json::array();
  for (const run::ChartSeries& one : chart.series)
    lines.push_back({{"metric", readable(one.metric)}, {"label", readable(one.label)}});
  return {{"id", readable(chart.id)},
          {"section", readable(chart.section)},
          {"title", readable(chart.title)},
          {"note", readable(chart.note)},
          {"unit", chart.unit},
          {"kind", chart.kind},
          {"items", readable(chart.items)},
          {"overview", chart.overview},
          {"series", std::move(lines)}};
}

// What a summary needs of the database. An error is the run's, not the list's.
Status add_progress(const RunPlace& place, std::int64_t steps, Json& summary) {
  ASSIGN_OR_RETURN(EventBrowser browser, EventBrowser::open(place.folder / "run.db"));
  ASSIGN_OR_RETURN(EventStore store, EventStore::open_to_read(place.folder / "run.db"));
  ASSIGN_OR_RETURN(const auto last, browser.last_step());
  ASSIGN_OR_RETURN(const double seconds, store.total_seconds());
  ASSIGN_OR_RETURN(const auto reward, browser.last_value(run::metric::kReward));
  ASSIGN_OR_RETURN(const auto solved, browser.last_value(run::metric::kSolved));
  const std::int64_t step = last ? last->step : 0;
  summary["state"] = std::string(kRunStates.name(state_of(place.folder, step, steps)));
  summary["step"] = step;
  summary["seconds"] = seconds;
  summary["updated"] = last ? number(last->time) : Json(nullptr);
  summary["reward"] = number(reward);
  summary["solved"] = number(solved);
  return {};
}

Json summary_with(const RunPlace& place, const run::FlatSettings& settings) {
  const std::int64_t steps = steps_asked(settings);
  Json summary{{"name", place.name},
               {"kind", "training"},
               {"recipe", readable(unquoted(run::setting(settings, "run.recipe")))},
               {"steps", steps}};
  if (const Status status = add_progress(place, steps, summary); !status)
    summary["error"] = readable(status.error().message);
  return summary;
}

Json kinds_of(const std::vector<run::ItemTotal>& totals) {
  Json kinds = Json::array();
  for (const run::ItemTotal& total : totals) {
    const std::string kind = readable(total.kind);
    if (kinds.empty() || kinds.back()["kind"] != kind)
      kinds.push_back({{"kind", kind}, {"fates", Json::array()}});
    kinds.back()["fates"].push_back({{"fate", readable(total.fate)}, {"count", total.count}});
  }
  return kinds;
}

Json range_json(std::int64_t total, const run::PageRange& range) {
  return {{"total", total}, {"offset", range.offset}, {"limit", range.limit}};
}

Json estimate(const run::EvaluationTotal& total) {
  if (total.problems <= 0) return nullptr;
  const run::Interval interval = total.interval();
  return {{"share", total.share()},
          {"low", interval.low},
          {"high", interval.high},
          {"solved", total.solved},
          {"problems", total.problems}};
}

// Rows of estimates by environment, "" for all of them, a column for each of `totals`.
using EnvironmentTotals = std::map<std::string, std::vector<run::EvaluationTotal>>;

Json rows_of(const EnvironmentTotals& totals) {
  Json rows = Json::array();
  for (const auto& [environment, columns] : totals) {
    Json estimates = Json::array();
    for (const run::EvaluationTotal& total : columns) estimates.push_back(estimate(total));
    rows.push_back({{"environment", readable(environment)}, {"estimates", std::move(estimates)}});
  }
  return rows;
}

void add_to(EnvironmentTotals& totals, const run::EvaluationRecord& row, std::size_t column,
            std::size_t columns) {
  for (const std::string& name : {row.environment, std::string()}) {
    totals[name].resize(columns);
    totals[name][column].add(row);
  }
}

std::set<std::string> suites_of(const std::vector<run::EvaluationRecord>& evaluations) {
  std::set<std::string> suites;
  for (const run::EvaluationRecord& row : evaluations) suites.insert(row.suite);
  return suites;
}

Json curve_of(const run::RunData& data, const std::string& suite) {
  const run::NamedRun self{data.name, &data};
  const run::LineChart chart = run::evaluation_curve({&self, 1}, suite);
  Json curve = Json::array();
  for (const run::Series& line : chart.series) {
    for (std::size_t i = 0; i < line.points.size(); ++i) {
      curve.push_back({{"step", line.points[i].x},
                       {"share", line.points[i].y},
                       {"low", line.band[i].low},
                       {"high", line.band[i].high}});
    }
  }
  return curve;
}

Json suite_json(const run::RunData& data, const std::string& suite) {
  const std::vector<std::string> policies = run::shown_policies(data.evaluations, suite);
  EnvironmentTotals totals;
  for (const run::EvaluationRecord& row : data.evaluations) {
    const auto column = std::ranges::find(policies, row.policy);
    if (row.suite != suite || column == policies.end()) continue;
    add_to(totals, row, static_cast<std::size_t>(column - policies.begin()), policies.size());
  }
  Json names = Json::array();
  for (const std::string& policy : policies) names.push_back(readable(policy));
  return {{"name", readable(suite)},
          {"policies", std::move(names)},
          {"rows", rows_of(totals)},
          {"curve", curve_of(data, suite)}};
}

Json heat_map_json(const run::HeatMap& map) {
  Json rows = Json::array();
  for (const run::HeatMap::Row& row : map.rows)
    rows.push_back({{"label", readable(row.label)}, {"counts", row.counts}});
  return {{"columns", map.columns}, {"totals", map.totals}, {"rows", std::move(rows)}};
}

Json environment_json(const std::vector<run::CurriculumPoint>& points) {
  Json steps = Json::array();
  Json lower = Json::array();
  Json upper = Json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const run::CurriculumState& state = points[i].state;
    const bool is_end = i == 0 || i + 1 == points.size();
    if (!is_end && state.upper_level == points[i - 1].state.upper_level &&
        state.lower_level == points[i - 1].state.lower_level) {
      continue;
    }
    steps.push_back(points[i].step);
    lower.push_back(state.lower_level);
    upper.push_back(state.upper_level);
  }
  const run::CurriculumState& last = points.back().state;
  return {{"name", readable(last.environment)}, {"steps", std::move(steps)},
          {"lower", std::move(lower)},          {"upper", std::move(upper)},
          {"attempts", last.attempts},          {"solved", last.solved}};
}

// Settings that are not the same in all runs; null where a run has none of the name.
Json differing_settings(const std::vector<run::FlatSettings>& runs) {
  std::map<std::string, std::vector<std::optional<std::string>>> values;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const auto& [path, value] : runs[i]) {
      values[path].resize(runs.size());
      values[path][i] = value;
    }
  }
  Json rows = Json::array();
  for (const auto& [path, of_runs] : values) {
    if (std::ranges::all_of(of_runs, [&](const auto& value) { return value == of_runs.front(); }))
      continue;
    Json texts = Json::array();
    for (const auto& value : of_runs) texts.push_back(value ? Json(readable(*value)) : Json());
    rows.push_back({{"setting", readable(path)}, {"values", std::move(texts)}});
  }
  return rows;
}

Json comparable_suite(const std::vector<run::RunData>& runs, const std::string& suite) {
  std::vector<const std::vector<run::EvaluationRecord>*> evaluations;
  evaluations.reserve(runs.size());
  for (const run::RunData& run : runs) evaluations.push_back(&run.evaluations);
  const auto comparable = run::comparable_evaluations(evaluations, suite);
  EnvironmentTotals totals;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const run::EvaluationRecord& row : comparable[i]) add_to(totals, row, i, runs.size());
  }
  return {{"name", readable(suite)}, {"rows", rows_of(totals)}};
}

}  // namespace

Json summary_of(const RunPlace& place) {
  if (place.kind == RunKind::kArena) return arena_summary(place);
  return summary_with(place, settings_of(config_of(place)));
}

Expected<Json> overview_of(const RunPlace& place) {
  ASSIGN_OR_RETURN(EventStore store, EventStore::open_to_read(place.folder / "run.db"));
  ASSIGN_OR_RETURN(EventBrowser browser, EventBrowser::open(place.folder / "run.db"));
  ASSIGN_OR_RETURN(const auto charts, store.charts());
  ASSIGN_OR_RETURN(const auto metrics, store.metric_names());
  ASSIGN_OR_RETURN(const auto environments, browser.rollout_environments());
  ASSIGN_OR_RETURN(const auto totals, browser.item_totals());
  const std::string config = config_of(place);
  Json overview = summary_with(place, settings_of(config));
  overview["metrics"] = readable_json(metrics);
  overview["environments"] = readable_json(environments);
  overview["items"] = kinds_of(totals);
  overview["charts"] = Json::array();
  for (const run::ChartRecord& chart : charts) overview["charts"].push_back(chart_json(chart));
  overview["config"] = run::readable_utf8(config);
  return overview;
}

Expected<Json> metrics_view(const RunPlace& place, const std::vector<std::string>& names,
                            std::size_t points) {
  ASSIGN_OR_RETURN(EventStore store, EventStore::open_to_read(place.folder / "run.db"));
  ASSIGN_OR_RETURN(const auto known, store.metric_names());
  Json metrics = Json::object();
  for (const std::string& name : known) {
    // Asked for by the name that the overview gives.
    const std::string shown = readable(name);
    if (!names.empty() && std::ranges::count(names, shown) == 0) continue;
    ASSIGN_OR_RETURN(const auto values, store.metric(name));
    metrics[shown] = series(thinned(values, points));
  }
  return Json{{"metrics", std::move(metrics)}};
}

Expected<Json> levels_view(const RunPlace& place) {
  ASSIGN_OR_RETURN(EventStore store, EventStore::open_to_read(place.folder / "run.db"));
  ASSIGN_OR_RETURN(const auto curriculum, store.curriculum());
  run::RunData data;
  for (const run::CurriculumPoint& point : curriculum)
    data.curriculum[point.state.environment].push_back(point);
  Json environments = Json::array();
  for (const auto& [name, points] : data.curriculum)
    environments.push_back(environment_json(points));
  const run::NamedRun self{"", &data};
  Json mean{{"steps", Json::array()}, {"values", Json::array()}};
  mean["low"] = mean["high"] = Json::array();
  for (const run::Series& line : run::level_chart({&self, 1}).series) {
    for (std::size_t i = 0; i < line.points.size(); ++i) {
      mean["steps"].push_back(line.points[i].x);
      mean["values"].push_back(line.points[i].y);
      mean["low"].push_back(line.band[i].low);
      mean["high"].push_back(line.band[i].high);
    }
  }
  return Json{{"mean", std::move(mean)}, {"environments", std::move(environments)}};
}

Expected<Json> rollouts_view(const RunPlace& place, const run::RolloutQuery& query) {
  ASSIGN_OR_RETURN(EventBrowser browser, EventBrowser::open(place.folder / "run.db"));
  ASSIGN_OR_RETURN(const run::RolloutPage page, browser.rollouts(query));
  Json rows = Json::array();
  for (const run::RolloutRow& row : page.rows) {
    const run::RolloutRecord& rollout = row.rollout;
    rows.push_back({{"id", row.id},
                    {"step", row.step},
                    {"group", rollout.group},
                    {"environment", readable(rollout.environment)},
                    {"level", rollout.level},
                    {"address", readable(rollout.problem_address)},
                    {"reward", number(rollout.reward)},
                    {"solved", rollout.solved},
                    {"well_formed", rollout.well_formed},
                    {"tokens", rollout.tokens},
                    {"prompt", readable(rollout.prompt)},
                    {"response", readable(rollout.response)},
                    {"turns", readable_json(rollout.turns)}});
  }
  Json view = range_json(page.total, query.range);
  view["rollouts"] = std::move(rows);
  return view;
}

Expected<Json> items_view(const RunPlace& place, const run::ItemQuery& query) {
  ASSIGN_OR_RETURN(EventBrowser browser, EventBrowser::open(place.folder / "run.db"));
  ASSIGN_OR_RETURN(const run::ItemPage page, browser.items(query));
  Json rows = Json::array();
  for (const run::ItemRow& row : page.rows) {
    rows.push_back({{"id", row.id},
                    {"step", row.step},
                    {"kind", readable(row.item.kind)},
                    {"name", readable(row.item.name)},
                    {"fate", readable(row.item.fate)},
                    {"data", readable_json(row.item.data)}});
  }
  Json view = range_json(page.total, query.range);
  view["items"] = std::move(rows);
  return view;
}

Expected<Json> fates_view(const RunPlace& place) {
  ASSIGN_OR_RETURN(EventStore store, EventStore::open_to_read(place.folder / "run.db"));
  ASSIGN_OR_RETURN(const auto charts, store.charts());
  run::RunData data;
  ASSIGN_OR_RETURN(data.steps, store.last_step());
  Json tables = Json::object();
  for (const run::ChartRecord& chart : charts) {
    const bool is_tags = chart.kind == run::chart_kind::kTags && !chart.series.empty();
    if (!is_tags && chart.kind != run::chart_kind::kFates) continue;
    ASSIGN_OR_RETURN(data.fates[chart.items], store.item_counts(chart.items));
    if (is_tags) {
      ASSIGN_OR_RETURN(data.tags[chart.id], store.tag_counts(chart.items, chart.series[0].metric));
    }
    const run::HeatMap map = is_tags ? run::tag_chart(chart, data) : run::fate_chart(chart, data);
    if (!map.rows.empty()) tables[readable(chart.id)] = heat_map_json(map);
  }
  return tables;
}

Expected<Json> evaluations_view(const RunPlace& place) {
  ASSIGN_OR_RETURN(EventStore store, EventStore::open_to_read(place.folder / "run.db"));
  run::RunData data{.name = place.name};
  ASSIGN_OR_RETURN(data.evaluations, store.evaluations());
  Json suites = Json::array();
  for (const std::string& suite : suites_of(data.evaluations))
    suites.push_back(suite_json(data, suite));
  return Json{{"suites", std::move(suites)}};
}

Expected<Json> comparison_view(const std::vector<RunPlace>& places) {
  std::vector<run::RunData> runs;
  std::vector<run::FlatSettings> settings;
  std::set<std::string> suites;
  Json names = Json::array();
  for (const RunPlace& place : places) {
    ASSIGN_OR_RETURN(EventStore store, EventStore::open_to_read(place.folder / "run.db"));
    run::RunData data{.name = place.name};
    ASSIGN_OR_RETURN(data.evaluations, store.evaluations());
    suites.merge(suites_of(data.evaluations));
    runs.push_back(std::move(data));
    settings.push_back(settings_of(config_of(place)));
    names.push_back(place.name);
  }
  Json compared = Json::array();
  for (const std::string& suite : suites) compared.push_back(comparable_suite(runs, suite));
  return Json{{"runs", std::move(names)},
              {"suites", std::move(compared)},
              {"settings", differing_settings(settings)}};
}

}  // namespace redqueen::watch
