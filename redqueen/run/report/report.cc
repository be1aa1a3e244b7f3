#include "redqueen/run/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/run/progress.h"
#include "redqueen/run/report/chart.h"
#include "redqueen/run/report/html.h"
#include "redqueen/run/report/report_charts.h"
#include "redqueen/run/report/run_data.h"
#include "redqueen/run/report/statistics.h"
#include "redqueen/run/report/variants.h"

namespace redqueen::run {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostShownRollouts = 12;
constexpr std::size_t kMostShownCharacters = 6000;  // of a prompt or a response

constexpr std::string_view kStyle = R"(
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink1);font:15px/1.5 system-ui,sans-serif}
:root{--page:#f5f6f8;--line:#e3e6eb;--brand:#a3123a;--good:#1e8e5a;--bad:#b3372b}
@media (prefers-color-scheme:dark){:root{--page:#0f1116;--line:#2a2f3a;--brand:#ff6b8f;--good:#5fd39a;--bad:#ff8f80}}
main{max-width:1200px;margin:0 auto;padding:28px 20px 60px}
header{border-bottom:3px solid var(--brand);padding-bottom:14px;margin-bottom:22px}
header p{margin:2px 0 0;color:var(--ink2)}
h1{font-size:27px;margin:0;line-height:1.25;overflow-wrap:anywhere}
h1 small{color:var(--brand);font-size:13px;letter-spacing:.09em;text-transform:uppercase;display:block}
h2{font-size:19px;margin:38px 0 12px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(165px,1fr));gap:12px}
.tile,.card{background:var(--ink0);border:1px solid var(--line);border-radius:10px}
.tile{padding:12px 16px}
.tile span{display:block;color:var(--ink2);font-size:13px}
.tile b{font-size:20px;font-weight:600;font-variant-numeric:tabular-nums;white-space:nowrap}
.tile i{display:block;font-style:normal;color:var(--ink2);font-size:12.5px;overflow-wrap:anywhere}
.card{padding:16px 18px;margin-top:16px;overflow-x:auto}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,480px),1fr));gap:16px;margin-top:16px}
.grid .card{margin:0}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:14px}
th,td{padding:6px 10px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--ink2);font-weight:600}
th:first-child,td:first-child{text-align:left}
td small{color:var(--ink2)}
tr.all td{font-weight:600}
.up{color:var(--good);font-weight:600}.down{color:var(--bad);font-weight:600}
details{margin-top:10px}
summary{cursor:pointer;padding:4px 0}
summary code{font-size:13px;color:var(--ink2)}
pre{margin:8px 0;padding:12px 14px;background:var(--page);border:1px solid var(--line);border-radius:8px;
white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.45 ui-monospace,monospace;max-height:420px;overflow-y:auto}
.badge{display:inline-block;min-width:74px;text-align:center;border-radius:20px;padding:0 9px;font-size:12.5px;
border:1px solid currentColor;color:var(--ink2)}
.badge.solved{color:var(--good)}.badge.malformed{color:var(--bad)}
.note{color:var(--ink2);font-size:13.5px}
h3{font-size:13px;margin:12px 0 0;color:var(--ink2)}
)";

// Collects what a report consists of, and writes it.
class ReportWriter {
 public:
  explicit ReportWriter(fs::path out) : out_(std::move(out)) {}

  void add_html(std::string_view html) { body_ += html; }
  void add_heading(std::string_view text) {
    body_ += fmt::format("<h2>{}</h2>\n", html_escape(text));
  }
  void open_grid() { body_ += "<div class=\"grid\">\n"; }
  void close_grid() { body_ += "</div>\n"; }

  // A chart on the page; and, if it has a file name, as a picture.
  void add_chart(const Drawing& drawing, std::string_view file = "") {
    body_ += fmt::format("<div class=\"card\">{}</div>\n", to_svg(drawing));
    if (!file.empty()) add_picture(drawing, file);
  }
  void add_picture(const Drawing& drawing, std::string_view file) {
    // A margin that the page's cards have by themselves.
    constexpr double kMargin = 22;
    Drawing framed{drawing.width + 2 * kMargin, drawing.height + 2 * kMargin};
    place(framed, drawing, {kMargin, kMargin});
    pictures_.emplace_back(out_ / fmt::format("{}.png", file), std::move(framed));
  }

  Expected<ReportFiles> write(std::string_view title) const {
    RETURN_IF_ERROR(make_folders(out_));
    ReportFiles files{.page = out_ / "index.html"};
    const std::string body = fmt::format("<main>\n{}</main>\n", body_);
    RETURN_IF_ERROR(replace_file(files.page,
                                 html_page(title, style_sheet() + std::string(kStyle), body),
                                 Survives::kProcessDeath));
    for (const auto& [path, drawing] : pictures_) {
      RETURN_IF_ERROR(write_png(drawing, path));
      files.pictures.push_back(path);
    }
    return files;
  }

 private:
  fs::path out_;
  std::string body_;
  std::vector<std::pair<fs::path, Drawing>> pictures_;
};

std::string tile(std::string_view label, std::string_view value, std::string_view detail = "") {
  return fmt::format("<div class=\"tile\"><span>{}</span><b>{}</b><i>{}</i></div>\n",
                     html_escape(label), html_escape(value), html_escape(detail));
}

// Means of the first and the last tenth of a metric; nullopt if there is none.
std::optional<std::pair<double, double>> first_and_last(const std::vector<MetricPoint>& points) {
  std::vector<double> values;
  for (const MetricPoint& point : points) {
    if (std::isfinite(point.value)) values.push_back(point.value);
  }
  if (values.empty()) return std::nullopt;
  const std::size_t tenth = std::max<std::size_t>(1, values.size() / 10);
  const std::span<const double> all(values);
  return std::pair{finite_mean(all.first(tenth)), finite_mean(all.last(tenth))};
}

std::string change_tile(const RunData& run, std::string_view metric, std::string_view label,
                        bool percent) {
  const auto ends = first_and_last(run.metric(metric));
  if (!ends) return "";
  const auto [first, last] = *ends;
  const std::string value =
      percent ? fmt::format("{:.0f} % → {:.0f} %", 100 * first, 100 * last)
              : fmt::format("{} → {}", value_text(first, ValueFormat::kNumber, 0.01),
                            value_text(last, ValueFormat::kNumber, 0.01));
  return tile(label, value, "first and last tenth of the run");
}

std::string mean_tile(const RunData& run, std::string_view metric, std::string_view label,
                      bool percent) {
  std::vector<double> values;
  for (const MetricPoint& point : run.metric(metric)) values.push_back(point.value);
  const double mean = finite_mean(values);
  if (!std::isfinite(mean)) return "";
  return tile(label, percent ? fmt::format("{:.0f} %", 100 * mean) : count_text(mean),
              "mean over the run");
}

std::string level_tiles(const RunData& run) {
  if (run.curriculum.empty()) return "";
  std::size_t climbed = 0;
  int highest = -1;
  std::string where;
  for (const auto& [environment, points] : run.curriculum) {
    const int first = points.front().state.upper_level;
    const int last = points.back().state.upper_level;
    climbed += last > first ? 1 : 0;
    if (last > highest) {
      highest = last;
      where = environment;
    }
  }
  return tile("Highest level", fmt::format("{}", highest), where) +
         tile("Levels climbed in", fmt::format("{} of {}", climbed, run.curriculum.size()),
              "environments");
}

std::string header(std::string_view kind, std::string_view title, std::string_view line) {
  return fmt::format("<header><h1><small>{}</small>{}</h1><p>{}</p></header>\n", html_escape(kind),
                     html_escape(title), html_escape(line));
}

// ---- Evaluation

std::string share_cell(const EvaluationTotal& total) {
  if (total.problems == 0) return "<td>–</td>";
  const Interval interval = total.interval();
  return fmt::format(
      "<td>{:.1f} % <small>[{:.1f}, {:.1f}] of {}{}</small></td>",
      100.0 * static_cast<double>(total.solved) / static_cast<double>(total.problems),
      100 * interval.low, 100 * interval.high, total.problems, total.cut_text());
}

// The difference in percentage points, marked if the intervals do not overlap.
std::string change_cell(const EvaluationTotal& before, const EvaluationTotal& after) {
  if (before.problems == 0 || after.problems == 0) return "<td>–</td>";
  const auto share = [](const EvaluationTotal& total) {
    return 100.0 * static_cast<double>(total.solved) / static_cast<double>(total.problems);
  };
  const Interval old_interval = before.interval();
  const Interval new_interval = after.interval();
  const char* mark = new_interval.low > old_interval.high   ? "up"
                     : new_interval.high < old_interval.low ? "down"
                                                            : "";
  const char* arrow = *mark == 'u' ? " ▲" : *mark == 'd' ? " ▼" : "";
  return fmt::format("<td class=\"{}\">{:+.1f}{}</td>", mark, share(after) - share(before), arrow);
}

std::string table_head(const std::vector<std::string>& columns, bool with_change) {
  std::string html = "<table><thead><tr><th>Environment</th>";
  for (const std::string& column : columns) html += fmt::format("<th>{}</th>", html_escape(column));
  if (with_change) html += "<th>change</th>";
  return html + "</tr></thead><tbody>\n";
}

std::string table_row(std::string_view name, const std::vector<EvaluationTotal>& totals,
                      bool with_change, bool is_sum) {
  std::string html =
      fmt::format("<tr{}><td>{}</td>", is_sum ? " class=\"all\"" : "", html_escape(name));
  for (const EvaluationTotal& total : totals) html += share_cell(total);
  if (with_change) html += change_cell(totals.front(), totals.back());
  return html + "</tr>\n";
}

// One row for each environment, or for each environment and level.
std::string evaluation_table(const std::vector<EvaluationRecord>& evaluations,
                             const std::string& suite, bool by_level) {
  const std::vector<std::string> policies = shown_policies(evaluations, suite);
  const bool with_change = policies.size() > 1;
  std::map<std::pair<std::string, int>, std::vector<EvaluationTotal>> rows;
  for (const EvaluationRecord& row : evaluations) {
    if (row.suite != suite || std::ranges::count(policies, row.policy) == 0) continue;
    const auto column =
        static_cast<std::size_t>(std::ranges::find(policies, row.policy) - policies.begin());
    const auto add_to = [&](const std::pair<std::string, int>& key) {
      std::vector<EvaluationTotal>& totals = rows[key];
      totals.resize(policies.size());
      totals[column].add(row);
    };
    add_to({row.environment, by_level ? row.level : 0});
    if (!by_level) add_to({"", 0});
  }
  std::string html = table_head(policies, with_change);
  for (const auto& [key, totals] : rows) {
    const auto& [environment, level] = key;
    const bool is_sum = environment.empty();
    const std::string name = is_sum     ? "all"
                             : by_level ? fmt::format("{}, level {}", environment, level)
                                        : environment;
    html += table_row(name, totals, with_change, is_sum);
  }
  return html + "</tbody></table>\n";
}

std::set<std::string> suites_of(const std::vector<EvaluationRecord>& evaluations) {
  std::set<std::string> suites;
  for (const EvaluationRecord& row : evaluations) suites.insert(row.suite);
  return suites;
}

// One row for each environment, one column for each run; with two runs, their difference.
std::string comparison_table(std::span<const NamedRun> runs, const std::string& suite) {
  std::vector<const std::vector<EvaluationRecord>*> evaluations;
  std::vector<std::string> names;
  for (const NamedRun& run : runs) {
    evaluations.push_back(&run.data->evaluations);
    names.push_back(run.name);
  }
  const auto comparable = comparable_evaluations(evaluations, suite);
  std::map<std::string, std::vector<EvaluationTotal>> rows;  // "" sums up the environments
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const EvaluationRecord& row : comparable[i]) {
      for (const std::string& name : {row.environment, std::string()}) {
        std::vector<EvaluationTotal>& totals = rows[name];
        totals.resize(runs.size());
        totals[i].add(row);
      }
    }
  }
  const bool with_change = runs.size() == 2;
  std::string html = table_head(names, with_change);
  for (const auto& [name, totals] : rows)
    html += table_row(name.empty() ? "all" : name, totals, with_change, name.empty());
  return html + "</tbody></table>\n";
}

void add_evaluations(ReportWriter& report, const RunData& run) {
  int number = 0;
  for (const std::string& suite : suites_of(run.evaluations)) {
    if (number == 0) report.add_heading("Evaluation");
    const std::string suffix = number == 0 ? "" : fmt::format("_{}", number + 1);
    const std::vector<NamedRun> self = {{run.name, &run}};
    if (const LineChart curve = evaluation_curve(self, suite); !curve.series.empty())
      report.add_chart(draw(curve), "accuracy" + suffix);
    report.add_chart(draw(evaluation_chart(run, suite)), "evaluation" + suffix);
    ++number;
    report.add_html("<div class=\"card\">" + evaluation_table(run.evaluations, suite, false) +
                    "<p class=\"note\">Share solved, in brackets the 95 % Wilson interval, and the "
                    "number of problems. "
                    "▲ and ▼: the intervals of the first and the last policy do not overlap.</p>"
                    "<details><summary>By level</summary>" +
                    evaluation_table(run.evaluations, suite, true) + "</details></div>\n");
  }
}

// ---- Rollouts

std::string rollout_html(const RolloutRecord& rollout) {
  const char* verdict = rollout.solved        ? "solved"
                        : rollout.well_formed ? "not solved"
                                              : "malformed";
  const char* css = rollout.solved ? "solved" : rollout.well_formed ? "" : "malformed";
  const auto text = [](const std::string& bytes) {
    return html_escape(cut_to_characters(readable_utf8(bytes), kMostShownCharacters));
  };
  return fmt::format("<details><summary><span class=\"badge {}\">{}</span> <b>{}</b> ", css,
                     verdict, html_escape(rollout.environment)) +
         fmt::format("level {}, reward {:.2f}, {} tokens <code>{}</code></summary>", rollout.level,
                     rollout.reward, rollout.tokens, html_escape(rollout.problem_address)) +
         fmt::format("<h3>Prompt</h3><pre>{}</pre><h3>Response</h3><pre>{}</pre></details>\n",
                     text(rollout.prompt), text(rollout.response));
}

// Of every environment the first that was solved and the first that was not; at most `most`.
std::vector<const RolloutRecord*> telling_rollouts(const std::vector<RolloutRecord>& rollouts,
                                                   std::size_t most) {
  std::vector<const RolloutRecord*> chosen;
  std::set<std::pair<std::string, bool>> seen;
  for (const RolloutRecord& rollout : rollouts) {
    if (chosen.size() < most && seen.insert({rollout.environment, rollout.solved}).second)
      chosen.push_back(&rollout);
  }
  return chosen;
}

void add_rollouts(ReportWriter& report, const RunData& run) {
  if (run.samples.empty()) return;
  report.add_heading("Rollouts");
  std::vector<const SampledStep*> steps = {&run.samples.back()};
  if (run.samples.size() > 1) steps.push_back(&run.samples.front());
  for (const SampledStep* sample : steps) {
    report.add_html(fmt::format("<div class=\"card\"><b>Step {}</b>\n", sample->step));
    for (const RolloutRecord* rollout : telling_rollouts(sample->rollouts, kMostShownRollouts)) {
      report.add_html(rollout_html(*rollout));
    }
    report.add_html("</div>\n");
  }
}

// ---- Charts, as the runs describe them

// The name of a picture; ids come from a file of unknown origin.
std::string picture_name(std::string id) {
  for (char& c : id) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!is_plain) c = '_';
  }
  return id;
}

// A chart's drawing, if the runs have values for it.
struct DrawnChart {
  const ChartRecord* record;
  Drawing drawing;
  bool is_wide = false;
};

std::optional<DrawnChart> drawn(const ChartRecord& record, std::span<const NamedRun> runs) {
  if (record.kind == chart_kind::kLines || record.kind == chart_kind::kLevels) {
    const LineChart chart =
        record.kind == chart_kind::kLines ? lines_chart(record, runs) : level_chart(runs);
    if (chart.series.empty()) return std::nullopt;
    return DrawnChart{&record, draw(chart)};
  }
  if (runs.size() != 1) return std::nullopt;
  HeatMap chart;
  if (record.kind == chart_kind::kFates) chart = fate_chart(record, *runs[0].data);
  if (record.kind == chart_kind::kTags) chart = tag_chart(record, *runs[0].data);
  if (chart.rows.empty()) return std::nullopt;
  return DrawnChart{&record, draw(chart), true};
}

// Those of the first run, then what others have besides.
std::vector<ChartRecord> charts_of(std::span<const NamedRun> runs) {
  std::vector<ChartRecord> charts;
  for (const NamedRun& run : runs) {
    for (const ChartRecord& chart : run.data->charts) {
      if (std::ranges::find(charts, chart.id, &ChartRecord::id) == charts.end())
        charts.push_back(chart);
    }
  }
  return charts;
}

std::vector<std::string> sections_of(const std::vector<ChartRecord>& charts) {
  std::vector<std::string> sections;
  for (const ChartRecord& chart : charts) {
    if (std::ranges::find(sections, chart.section) == sections.end())
      sections.push_back(chart.section);
  }
  return sections;
}

// The charts of a section, wide ones first. Nothing for a section without values.
void add_section(ReportWriter& report, const std::string& section,
                 const std::vector<ChartRecord>& charts, std::span<const NamedRun> runs) {
  std::vector<DrawnChart> shown;
  for (const ChartRecord& chart : charts) {
    if (chart.section != section) continue;
    if (auto one = drawn(chart, runs)) shown.push_back(std::move(*one));
  }
  if (shown.empty()) return;
  if (!section.empty()) report.add_heading(section);
  const auto add = [&](bool wide) {
    for (const DrawnChart& one : shown) {
      if (one.is_wide == wide) report.add_chart(one.drawing, picture_name(one.record->id));
    }
  };
  add(true);
  report.open_grid();
  add(false);
  report.close_grid();
}

// Metrics that no chart shows.
void add_other_metrics(ReportWriter& report, const RunData& run) {
  std::set<std::string> shown;
  for (const ChartRecord& chart : run.charts) {
    for (const ChartSeries& series : chart.series) shown.insert(series.metric);
  }
  std::string charts;
  for (const auto& [name, points] : run.metrics) {
    if (shown.contains(name)) continue;
    const std::vector<NamedRun> runs = {{"", &run}};
    const LineChart chart = lines_chart({.title = name, .series = {{name, ""}}}, runs);
    charts += fmt::format("<div class=\"card\">{}</div>\n", to_svg(draw(chart, {560, 220})));
  }
  if (charts.empty()) return;
  report.add_html("<details class=\"card\"><summary>Other metrics</summary><div class=\"grid\">\n" +
                  charts + "</div></details>\n");
}

// The four charts that tell most, as one picture.
void add_overview(ReportWriter& report, const std::vector<ChartRecord>& described,
                  std::span<const NamedRun> runs) {
  constexpr double kGap = 34;
  constexpr std::size_t kShown = 4;
  std::vector<Drawing> charts;
  for (const ChartRecord& chart : described) {
    if (!chart.overview || charts.size() == kShown) continue;
    if (auto one = drawn(chart, runs); one && !one->is_wide)
      charts.push_back(std::move(one->drawing));
  }
  const ChartSize size;
  Drawing overview{2 * size.width + kGap, 2 * size.height + kGap, "Overview"};
  Point at;
  for (const Drawing& chart : charts) {
    place(overview, chart, at);
    const bool row_is_full = at.x > 0;
    at = row_is_full ? Point{0, at.y + size.height + kGap} : Point{size.width + kGap, at.y};
  }
  report.add_picture(overview, "overview");
}

std::string configuration(std::string_view title, const std::string& config) {
  return fmt::format("<details class=\"card\"><summary>{}</summary><pre>{}</pre></details>\n",
                     html_escape(title), html_escape(config));
}

}  // namespace

Expected<ReportFiles> write_report(const fs::path& run_directory, const fs::path& out) {
  const Expected<RunData> run = load_run(run_directory);
  if (!run) return tl::make_unexpected(run.error());
  const std::vector<NamedRun> runs = {{run->name, &*run}};
  ReportWriter report(out);
  report.add_html(header("RedQueen run", run->name,
                         fmt::format("{} steps in {}", run->steps, duration_text(run->seconds))));
  report.add_html("<div class=\"tiles\">\n" + change_tile(*run, metric::kReward, "Reward", false) +
                  change_tile(*run, metric::kSolved, "Solved", true) +
                  mean_tile(*run, metric::kEffectivePrompts, "Effective prompts", true) +
                  mean_tile(*run, metric::kTokensPerSecond, "Tokens per second", false) +
                  level_tiles(*run) + "</div>\n");
  add_overview(report, run->charts, runs);
  const std::vector<std::string> sections = sections_of(run->charts);
  add_section(report, "", run->charts, runs);
  if (!run->curriculum.empty()) {
    report.add_heading("Difficulty");
    report.add_chart(draw(environment_levels(*run)), "environments");
    if (run->curriculum.size() >= 8)
      report.add_chart(draw(reached_levels(*run), {1140, 260}), "levels");
  }
  for (const std::string& section : sections) {
    if (!section.empty()) add_section(report, section, run->charts, runs);
  }
  add_evaluations(report, *run);
  add_rollouts(report, *run);
  report.add_heading("More");
  add_other_metrics(report, *run);
  report.add_html(configuration("Configuration", run->config));
  return report.write(run->name + " · RedQueen");
}

namespace {

Expected<std::vector<RunData>> load_runs(std::span<const LabelledRun> labelled) {
  std::vector<RunData> data;
  for (const LabelledRun& run : labelled) {
    ASSIGN_OR_RETURN(RunData loaded, load_run(run.run));
    if (!run.label.empty()) loaded.name = run.label;
    data.push_back(std::move(loaded));
  }
  return data;
}

// Runs without a variant have none.
std::vector<VariantTable> tables_of(std::span<const LabelledRun> labelled,
                                    const std::vector<RunData>& data) {
  std::vector<Variant> variants;
  for (std::size_t i = 0; i < labelled.size(); ++i) {
    const std::string& label = labelled[i].variant;
    if (label.empty()) return {};
    const auto same = std::ranges::find(variants, label, &Variant::label);
    Variant& variant = same != variants.end() ? *same : variants.emplace_back(label);
    variant.runs.push_back(&data[i]);
  }
  return variant_tables(variants);
}

}  // namespace

Expected<std::string> compare_variants(std::span<const LabelledRun> runs) {
  ASSIGN_OR_RETURN(const auto data, load_runs(runs));
  std::string text;
  for (const VariantTable& table : tables_of(runs, data)) text += variant_text(table);
  return text;
}

Expected<ReportFiles> compare_report(std::span<const LabelledRun> labelled, const fs::path& out) {
  if (labelled.size() < 2) return usage_error("a comparison needs at least two runs");
  ASSIGN_OR_RETURN(const auto data, load_runs(labelled));
  std::vector<NamedRun> runs;
  std::string title;
  std::string tiles;
  std::set<std::string> suites;
  for (const RunData& run : data) {
    runs.push_back({run.name, &run});
    title += (title.empty() ? "" : " · ") + run.name;
    tiles += mean_tile(run, metric::kEffectivePrompts, "Effective prompts, " + run.name, true);
    suites.merge(suites_of(run.evaluations));
  }
  ReportWriter report(out);
  report.add_html(
      header("RedQueen comparison", title, fmt::format("{} runs on the same axes", runs.size())));
  report.add_html("<div class=\"tiles\">\n" + tiles + "</div>\n");
  for (const VariantTable& table : tables_of(labelled, data)) {
    report.add_heading(table.suite.empty() ? "Variants" : "Variants on " + table.suite);
    report.add_html("<div class=\"card\">" + variant_html(table) +
                    "<p class=\"note\">Share solved by the last policies of the problems that all "
                    "were asked, in brackets the 95 % interval: of one run over its problems, of "
                    "several over their seeds.</p></div>\n");
  }
  int number = 0;
  for (const std::string& suite : suites) {
    if (number == 0) report.add_heading("Evaluation");
    report.add_html("<div class=\"card\">" + comparison_table(runs, suite) +
                    "<p class=\"note\">Share solved by each run's last policy of the problems that "
                    "all were asked, in brackets the 95 % Wilson interval, and their number. ▲ and "
                    "▼: the intervals do not overlap.</p></div>\n");
    const std::string suffix = number == 0 ? "" : fmt::format("_{}", number + 1);
    if (const LineChart curve = evaluation_curve(runs, suite); !curve.series.empty())
      report.add_chart(draw(curve), "accuracy" + suffix);
    report.add_chart(draw(evaluation_chart(runs, suite)), "evaluation" + suffix);
    ++number;
  }
  report.add_html(
      "<p class=\"note\">The charts below show training: runs whose difficulty differs are asked "
      "different problems there.</p>\n");
  const std::vector<ChartRecord> charts = charts_of(runs);
  add_overview(report, charts, runs);
  for (const std::string& section : sections_of(charts)) add_section(report, section, charts, runs);
  report.add_heading("Configurations");
  for (const RunData& run : data) report.add_html(configuration(run.name, run.config));
  return report.write(title + " · RedQueen");
}

}  // namespace redqueen::run
