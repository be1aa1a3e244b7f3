#include "redqueen/arena/judge/run_report.h"

#include <cmath>

#include "redqueen/arena/judge/feedback.h"
#include "redqueen/arena/judge/json_fault.h"
#include "redqueen/arena/judge/run_files.h"
#include "redqueen/base/base64.h"
#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/run/report/chart.h"
#include "redqueen/run/report/html.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right;border-bottom:1px "
    "solid "
    "#ddd}pre{background:#f6f6f6;padding:.6em;overflow:auto;font-size:12px}"
    ".wide{overflow-x:auto}.add{color:#067d17}.del{color:#b3261e}"
    ".box{display:inline-block;width:1.4em;text-align:center;margin:1px;background:#ddd}"
    ".synthesis{background:#8fb8e8}.parametric{background:#f2c879}.rollback{background:#d6b4d9}"
    ".retest{background:#eee}figure{display:inline-block;margin:0 1em 1em 0}";

std::string number_or_dash(const Json& value) {
  return value.is_number() ? fmt::format("{:.4g}", value.get<double>()) : "–";
}

run::LineChart curve(const Json& record) {
  run::Series each{.name = "each submission"};
  run::Series best{.name = "best so far", .colour = 1, .staircase = true};
  for (const Json& entry : record["submissions"]) {
    const double used = entry["budget_used"].get<double>();
    if (entry.contains("validation_mean")) {
      each.points.push_back({used, entry["validation_mean"].get<double>()});
    }
    if (entry["best_so_far"].is_number()) {
      best.points.push_back({used, entry["best_so_far"].get<double>()});
    }
  }
  return {.title = "Validation over the budget",
          .subtitle = "mean return of each submission over the validation cases",
          .x_label = "training episodes",
          .series = {each, best}};
}

std::string table(const Json& record) {
  std::string text =
      "<div "
      "class=\"wide\"><table><tr><th>submission</th><th>status</th><th>episodes</th><th>training "
      "mean</th>"
      "<th>validation mean</th><th>best so far</th></tr>\n";
  for (const Json& entry : record["submissions"]) {
    const bool selected = entry["submit"] == record["selected_submit"];
    text += fmt::format(
        "<tr><td>{}{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        entry["submit"].get<int>(), selected ? " ★" : "",
        run::html_escape(entry["status"].get<std::string>()), entry["episodes"].get<int>(),
        number_or_dash(entry["mean_return"]),
        number_or_dash(entry.value("validation_mean", Json())),
        number_or_dash(entry["best_so_far"]));
  }
  return text + "</table></div>\n";
}

// What went wrong with the policies, by the pool that was played. Records of earlier versions have
// none.
std::string faults_table(const Json& record) {
  if (!record.contains("faults")) return {};
  std::string text =
      "<div "
      "class=\"wide\"><table><tr><th>faults</th><th>init</th><th>reset</th><th>act</"
      "th><th>timeout</th>"
      "<th>memory</th><th>ended</th><th>invalid actions</th></tr>\n";
  for (const char* pool : {"training", "validation", "heldout"}) {
    text += fmt::format("<tr><td>{}</td>", pool);
    for (const char* kind :
         {"init", "reset", "act", "timeout", "memory", "ended", "invalid_actions"}) {
      text += fmt::format("<td>{}</td>", record["faults"][pool].at(kind).get<std::int64_t>());
    }
    text += "</tr>\n";
  }
  text += "</table></div>\n";
  const Json heldout = record.value("heldout", Json());
  const std::string exception =
      heldout.is_object() ? heldout.value("first_exception", "") : std::string();
  if (!exception.empty()) {
    text +=
        "<p>The first exception of a held-out episode, which was played on with the null "
        "action:</p>\n<pre>" +
        run::html_escape(exception) + "</pre>\n";
  }
  return text;
}

std::string changes_html(const std::vector<FileChange>& changes) {
  std::string text;
  for (const FileChange& change : changes) {
    text += fmt::format("<p>{}: {} lines added, {} removed</p>\n<pre>",
                        run::html_escape(change.path), change.diff.added, change.diff.removed);
    for (const std::string& line : change.diff.lines) {
      const char* kind = line.front() == '+' ? "add" : line.front() == '-' ? "del" : "same";
      text += fmt::format("<span class=\"{}\">{}</span>\n", kind, run::html_escape(line));
    }
    text += "</pre>\n";
  }
  return text.empty() ? "<p>nothing changed</p>\n" : text;
}

std::string edits(const fs::path& run, const Json& record) {
  const int width = number_width(record["settings"]["budget"].get<int>());
  std::string text;
  for (const Json& entry : record["submissions"]) {
    const int submit = entry["submit"].get<int>();
    text += fmt::format("<details><summary>submission {} ({}): {}</summary>\n{}", submit,
                        run::html_escape(entry["at"].get<std::string>()),
                        run::html_escape(entry["status"].get<std::string>()),
                        changes_html(changes_of(run, submit, width)));
    if (entry.contains("reason")) {
      text += "<pre>" + run::html_escape(entry["reason"].get<std::string>()) + "</pre>\n";
    }
    text += "</details>\n";
  }
  return text;
}

// --- edits and their kinds ----------------------------------------------------------------------

// One box for each validated submission, in the colour of its kind; a hit has a star.
std::string timeline(const Json& diagnosis) {
  std::string text = "<p class=\"line\">";
  for (const Json& edit : diagnosis["edits"]) {
    const std::string kind = edit["kind"].get<std::string>();
    text += fmt::format("<span class=\"box {0}\" title=\"submission {1}: {0}\">{2}</span>", kind,
                        edit["submit"].get<int>(), edit["hit"].get<bool>() ? "★" : "·");
  }
  return text +
         "</p>\n<p><span class=\"box synthesis\">·</span> synthesis, <span class=\"box "
         "parametric\">·</span> parametric, <span class=\"box rollback\">·</span> rollback, <span "
         "class=\"box retest\">·</span> retest; ★ raised the best validation mean so far</p>\n";
}

std::string edit_table(const Json& diagnosis) {
  std::string text =
      "<div class=\"wide\"><table><tr><th>submission</th><th>edit</th><th>hit</th><th>lines "
      "added</th>"
      "<th>removed</th><th>gain</th><th>functions</th><th>branches</th><th>loops</th>"
      "<th>kept names</th></tr>\n";
  for (const Json& edit : diagnosis["edits"]) {
    const Json& has = edit["features"];
    const auto feature = [&has](const char* name) {
      return number_or_dash(has.is_object() ? has.value(name, Json()) : Json());
    };
    text += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td><td>{}</td><td>{}</td></tr>\n",
        edit["submit"].get<int>(), edit["kind"].get<std::string>(),
        edit["hit"].get<bool>() ? "★" : "", edit["added"].get<int>(), edit["removed"].get<int>(),
        number_or_dash(edit["gain"]), feature("functions"), feature("branches"), feature("loops"),
        feature("state"));
  }
  return text + "</table></div>\n";
}

std::string kinds_of_edits(const Json& diagnosis) {
  if (!diagnosis.is_object() || diagnosis["edits"].empty()) return {};
  std::string text = "<h2>Kinds of edits</h2>\n" + timeline(diagnosis) + edit_table(diagnosis);
  for (const char* kind : {"synthesis", "parametric"}) {
    const Json& counts = diagnosis[kind];
    text += fmt::format("<p>{}: {} edits, {} of them hits</p>\n", kind, counts["edits"].get<int>(),
                        counts["hits"].get<int>());
  }
  if (diagnosis["tokens"].is_object()) {
    text += fmt::format("<p>tokens: {} read, {} written</p>\n",
                        diagnosis["tokens"]["read"].get<std::int64_t>(),
                        diagnosis["tokens"]["written"].get<std::int64_t>());
  }
  return text;
}

// --- episodes -----------------------------------------------------------------------------------

constexpr std::size_t kEpisodesShown = 3;

// Numbers of an observation over an episode, or else the sum of the rewards.
run::LineChart episode_chart(const Trajectory& episode) {
  run::LineChart chart{.title = episode.name, .x_label = "step"};
  const auto line_of = [&episode](std::string name, const std::vector<double>& values) {
    run::Series line{.name = std::move(name)};
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) line.points.push_back({episode.steps[i], values[i]});
    }
    return line;
  };
  for (std::size_t i = 0; i < episode.observations.size(); ++i) {
    chart.series.push_back(line_of(fmt::format("observation {}", i), episode.observations[i]));
    chart.series.back().colour = static_cast<int>(i) + 1;
  }
  if (chart.series.empty()) chart.series.push_back(line_of("rewards so far", episode.rewards));
  return chart;
}

// The first episodes of the selected submission, as its feedback has them.
std::string episodes(const fs::path& run, const Json& record) {
  if (!record["selected_submit"].is_number()) return {};
  const int width = number_width(record["settings"]["budget"].get<int>());
  std::string text;
  for (const Trajectory& episode :
       trajectories_of(run, record["selected_submit"].get<int>(), width, kEpisodesShown)) {
    text += run::to_svg(run::draw(episode_chart(episode)));
  }
  return text.empty() ? text : "<h2>Episodes of the selected submission</h2>\n" + text;
}

std::string pictures(std::span<const Replay> replays) {
  std::string text;
  for (const Replay& replay : replays) {
    text += fmt::format(
        "<figure><img alt=\"{0}\" src=\"data:image/png;base64,{1}\">\n<figcaption>{0}: {2} steps "
        "that earned {3:.4g}</figcaption></figure>\n",
        run::html_escape(replay.name), base64(replay.png, Base64::kPadded), replay.steps,
        replay.total);
  }
  return text.empty() ? text : "<h2>Its best and its worst episode, played again</h2>\n" + text;
}

std::string page(const fs::path& run, const Json& record, const Json& diagnosis,
                 std::span<const Replay> replays) {
  std::string body = fmt::format(
      "<h1>{}</h1>\n<p>Status {}; held-out mean return <b>{}</b>, of "
      "submission {}; cases {}.</p>\n",
      run::html_escape(record["env"].get<std::string>()),
      run::html_escape(record["status"].get<std::string>()), number_or_dash(record["score"]),
      record["selected_submit"].dump(), run::html_escape(record["cases"].get<std::string>()));
  body += faults_table(record);
  body += run::to_svg(run::draw(curve(record)));
  body += "<h2>Submissions</h2>\n" + table(record) + kinds_of_edits(diagnosis) +
          episodes(run, record) + pictures(replays) + "<h2>Edits</h2>\n" + edits(run, record);
  return run::html_page("arena: " + record["env"].get<std::string>(),
                        run::style_sheet() + std::string(kStyle), body);
}

}  // namespace

Expected<fs::path> write_run_report(const fs::path& run, const fs::path& out, const Json& diagnosis,
                                    std::span<const Replay> replays) {
  ASSIGN_OR_RETURN(const Json record, record_of_run(run));
  std::string written;
  try {
    written = page(run, record, diagnosis, replays);
  } catch (const nlohmann::json::exception& error) {
    return failure("{}: this is no record of a run ({})", (run / "run.json").string(),
                   json_fault(error));
  }
  RETURN_IF_ERROR(make_folders(out));
  RETURN_IF_ERROR(replace_file(out / "index.html", written, Survives::kProcessDeath));
  if (!diagnosis.is_null()) {
    RETURN_IF_ERROR(
        replace_file(out / "diagnosis.json", dump_json(diagnosis) + "\n", Survives::kProcessDeath));
  }
  return out / "index.html";
}

}  // namespace redqueen::arena
