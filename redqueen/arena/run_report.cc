#include "redqueen/arena/run_report.h"

#include <algorithm>
#include <map>

#include "redqueen/arena/feedback.h"
#include "redqueen/arena/snapshot.h"
#include "redqueen/arena/whole_files.h"
#include "redqueen/core/text_file.h"
#include "redqueen/run/report/chart.h"
#include "redqueen/run/report/html.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLines = 2000;
constexpr std::size_t kContext = 2;
constexpr std::string_view kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right;border-bottom:1px "
    "solid "
    "#ddd}pre{background:#f6f6f6;padding:.6em;overflow:auto;font-size:12px}"
    ".add{color:#067d17}.del{color:#b3261e}"
    ".box{display:inline-block;width:1.4em;text-align:center;margin:1px;background:#ddd}"
    ".synthesis{background:#8fb8e8}.parametric{background:#f2c879}.rollback{background:#d6b4d9}"
    ".retest{background:#eee}";

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Marked lines of a shortest edit, unchanged ones included.
std::vector<std::string> edit_script(const std::vector<std::string>& a,
                                     const std::vector<std::string>& b) {
  // common[i][j]: lines that a from i and b from j have in common.
  std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<std::string> script;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      script.push_back(" " + a[i++]);
      ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      script.push_back("-" + a[i++]);
    } else {
      script.push_back("+" + b[j++]);
    }
  }
  return script;
}

// Only what changed, with a few lines around it.
std::vector<std::string> without_the_rest(const std::vector<std::string>& script) {
  std::vector<bool> kept(script.size(), false);
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (script[i].front() == ' ') continue;
    const std::size_t first = i > kContext ? i - kContext : 0;
    for (std::size_t k = first; k < std::min(i + kContext + 1, script.size()); ++k) kept[k] = true;
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (kept[i]) lines.push_back(script[i]);
    if (!kept[i] && i > 0 && kept[i - 1]) lines.emplace_back(" …");
  }
  return lines;
}

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
      "<table><tr><th>submission</th><th>status</th><th>episodes</th><th>training mean</th>"
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
  return text + "</table>\n";
}

std::map<std::string, std::string> source_of(const fs::path& run, int submit, int width) {
  std::map<std::string, std::string> files;
  const auto read = read_system(run / "checkpoints" / numbered("submit_", submit, width));
  if (!read) return files;
  for (const SystemFile& file : *read) {
    if (file.path.ends_with(".py")) files[file.path] = file.bytes;
  }
  return files;
}

std::string diff_html(const std::map<std::string, std::string>& before,
                      const std::map<std::string, std::string>& after) {
  std::map<std::string, std::string> all = after;
  all.insert(before.begin(), before.end());
  std::string text;
  for (const auto& [path, ignored] : all) {
    const auto text_in = [&path = path](const std::map<std::string, std::string>& files) {
      const auto found = files.find(path);
      return found != files.end() ? found->second : std::string();
    };
    const LineDiff diff = diff_lines(text_in(before), text_in(after));
    if (diff.lines.empty()) continue;
    text += fmt::format("<p>{}: {} lines added, {} removed</p>\n<pre>", run::html_escape(path),
                        diff.added, diff.removed);
    for (const std::string& line : diff.lines) {
      const char* kind = line.front() == '+' ? "add" : line.front() == '-' ? "del" : "same";
      text += fmt::format("<span class=\"{}\">{}</span>\n", kind, run::html_escape(line));
    }
    text += "</pre>\n";
  }
  return text.empty() ? "<p>nothing changed</p>\n" : text;
}

std::string edits(const fs::path& run, const Json& record) {
  const int width = number_width(record["settings"]["budget"].get<int>());
  std::map<std::string, std::string> before;
  std::string text;
  for (const Json& entry : record["submissions"]) {
    const int submit = entry["submit"].get<int>();
    auto after = source_of(run, submit, width);
    text +=
        fmt::format("<details><summary>submission {} ({}): {}</summary>\n{}", submit,
                    run::html_escape(entry["at"].get<std::string>()),
                    run::html_escape(entry["status"].get<std::string>()), diff_html(before, after));
    if (entry.contains("reason")) {
      text += "<pre>" + run::html_escape(entry["reason"].get<std::string>()) + "</pre>\n";
    }
    text += "</details>\n";
    before = std::move(after);
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
      "<table><tr><th>submission</th><th>edit</th><th>hit</th><th>lines added</th>"
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
  return text + "</table>\n";
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

constexpr int kEpisodesShown = 3;
constexpr std::size_t kMostCurves = 6;  // of observations; one of more is shown by its rewards only

// Numbers of an observation over an episode, and the sum of the rewards.
run::LineChart episode_chart(const std::string& title, const std::string& lines) {
  run::LineChart chart{.title = title, .x_label = "step"};
  run::Series total{.name = "rewards so far"};
  std::vector<run::Series> parts;
  double sum = 0;
  for (const std::string& line : split_lines(lines)) {
    const auto step = parse_json(line);
    if (!step || !step->is_object()) continue;
    const double t = step->value("t", 0.0);
    const Json reward = step->value("reward", Json());
    if (reward.is_number()) sum += reward.get<double>();
    total.points.push_back({t, sum});
    const Json seen = step->value("obs", Json());
    for (std::size_t i = 0; seen.is_array() && seen.size() <= kMostCurves && i < seen.size(); ++i) {
      if (parts.size() <= i) parts.push_back({.name = fmt::format("observation {}", i)});
      parts[i].colour = static_cast<int>(i) + 1;
      if (seen[i].is_number()) parts[i].points.push_back({t, seen[i].get<double>()});
    }
  }
  chart.series = std::move(parts);
  if (chart.series.empty()) chart.series.push_back(std::move(total));
  return chart;
}

// The first episodes of the selected submission, as its feedback has them.
std::string episodes(const fs::path& run, const Json& record) {
  if (!record["selected_submit"].is_number()) return {};
  const int width = number_width(record["settings"]["budget"].get<int>());
  const fs::path folder = run / "workspace" / "feedback" /
                          numbered("submit_", record["selected_submit"].get<int>(), width) /
                          "episodes";
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end());
  if (found.size() > kEpisodesShown) found.resize(kEpisodesShown);
  std::string text;
  for (const fs::path& path : found) {
    const auto lines = read_text_file(path / "trajectory.jsonl");
    if (!lines || lines->empty()) continue;
    text += run::to_svg(run::draw(episode_chart(path.filename().string(), *lines)));
  }
  return text.empty() ? text : "<h2>Episodes of the selected submission</h2>\n" + text;
}

std::string page(const fs::path& run, const Json& record, const Json& diagnosis) {
  std::string body = fmt::format(
      "<h1>{}</h1>\n<p>Status {}; held-out mean return <b>{}</b>, of "
      "submission {}; cases {}.</p>\n",
      run::html_escape(record["env"].get<std::string>()),
      run::html_escape(record["status"].get<std::string>()), number_or_dash(record["score"]),
      record["selected_submit"].dump(), run::html_escape(record["cases"].get<std::string>()));
  body += run::to_svg(run::draw(curve(record)));
  body += "<h2>Submissions</h2>\n" + table(record) + kinds_of_edits(diagnosis) +
          episodes(run, record) + "<h2>Edits</h2>\n" + edits(run, record);
  return run::html_page("arena: " + record["env"].get<std::string>(),
                        run::style_sheet() + std::string(kStyle), body);
}

}  // namespace

LineDiff diff_lines(const std::string& before, const std::string& after) {
  if (before == after) return {};
  const std::vector<std::string> a = split_lines(before);
  const std::vector<std::string> b = split_lines(after);
  if (a.size() > kMostLines || b.size() > kMostLines) {
    return {.added = static_cast<int>(b.size()),
            .removed = static_cast<int>(a.size()),
            .lines = {" (too long to be compared line by line)"}};
  }
  const std::vector<std::string> script = edit_script(a, b);
  const auto count = [&script](char mark) {
    return static_cast<int>(std::count_if(
        script.begin(), script.end(), [mark](const auto& line) { return line.front() == mark; }));
  };
  return {.added = count('+'), .removed = count('-'), .lines = without_the_rest(script)};
}

Expected<Json> record_of_run(const fs::path& run) {
  std::error_code ignored;
  if (!fs::exists(run / "run.json", ignored)) {
    return usage_error("{}: no closed run lies there (run.json is written when a run closes)",
                       run.string());
  }
  ASSIGN_OR_RETURN(const std::string text, read_text_file(run / "run.json"));
  return parse_json(text);
}

Expected<fs::path> write_run_report(const fs::path& run, const fs::path& out,
                                    const Json& diagnosis) {
  ASSIGN_OR_RETURN(const Json record, record_of_run(run));
  std::error_code ignored;
  std::string written;
  try {
    written = page(run, record, diagnosis);
  } catch (const nlohmann::json::exception& error) {
    return failure("{}: this is no record of a run ({})", (run / "run.json").string(),
                   error.what());
  }
  fs::create_directories(out, ignored);
  RETURN_IF_ERROR(write_whole(out / "index.html", written));
  return out / "index.html";
}

}  // namespace redqueen::arena
