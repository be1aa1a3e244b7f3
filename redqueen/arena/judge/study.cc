#include "redqueen/arena/judge/study.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>

#include "redqueen/arena/judge/diagnostics.h"
#include "redqueen/arena/judge/feedback.h"
#include "redqueen/arena/judge/json_fault.h"
#include "redqueen/arena/judge/run_files.h"
#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/run/report/chart.h"
#include "redqueen/run/report/html.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 2> kGroups = {"synthesis", "tuning"};
constexpr std::array<const char*, 2> kKinds = {"synthesis", "parametric"};
constexpr std::array<const char*, 6> kFeatures = {"files",    "lines", "functions",
                                                  "branches", "loops", "state"};
// The least lines of each bin of edit sizes; a bin ends before the next begins.
constexpr std::array<int, 8> kBins = {0, 1, 3, 6, 11, 21, 51, 101};

Json group_of(const ResultTable::Environment& environment) {
  return environment.is_synthesis ? kGroups[0] : kGroups[1];
}

// Adds to the edits of a diagnosis what the run's record says of the same submissions.
Json edits_with_evidence(const Json& record, const Json& diagnosis) {
  std::map<int, Json> entries;
  for (const Json& entry : record.at("submissions")) entries[entry.at("submit").get<int>()] = entry;
  Json edits = Json::array();
  for (Json edit : diagnosis.at("edits")) {
    const Json& entry = entries.at(edit.at("submit").get<int>());
    for (const char* key : {"budget_used", "episodes", "mean_return", "faults"}) {
      edit[key] = entry.value(key, Json());
    }
    edits.push_back(std::move(edit));
  }
  return edits;
}

Expected<Json> study_run(const fs::path& run, sandbox::Sandbox& sandbox) {
  ASSIGN_OR_RETURN(const Json record, record_of_run(run));
  ASSIGN_OR_RETURN(const Json diagnosis, diagnose_run(run, sandbox));
  return Json{{"agent", run.parent_path().parent_path().filename().string()},
              {"env", record.at("env")},
              {"experiment", run.filename().string()},
              {"score", record.at("score")},
              {"selected", diagnosis.at("selected")},
              {"curve", diagnosis.at("curve")},
              {"edits", edits_with_evidence(record, diagnosis)},
              {"tokens", diagnosis.at("tokens")},
              {"audit", record.value("audit", Json())}};
}

Expected<Json> all_runs(const fs::path& folder, sandbox::Sandbox& sandbox) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry.depth() >= 3) entry.disable_recursion_pending();
    if (entry.depth() == 3 && entry->path().filename() == "run.json") {
      found.push_back(entry->path().parent_path());
    }
  }
  if (error) return usage_error("{}: cannot be listed ({})", folder.string(), error.message());
  std::sort(found.begin(), found.end());
  Json runs = Json::array();
  for (const fs::path& run : found) {
    try {
      ASSIGN_OR_RETURN(Json one, study_run(run, sandbox));
      runs.push_back(std::move(one));
    } catch (const std::exception& fault) {  // of the JSON library, or an entry that is not there
      return failure("{}: this is no record of a run ({})", run.string(), json_fault(fault));
    }
  }
  return runs;
}

// The runs of an agent in the environments of a group.
std::vector<const Json*> runs_of(const Json& runs, const ResultTable& table,
                                 const std::string& agent, const char* group) {
  std::vector<const Json*> chosen;
  for (const Json& run : runs) {
    const auto environment =
        std::find_if(table.environments.begin(), table.environments.end(),
                     [&](const auto& each) { return each.id == run["env"].get<std::string>(); });
    if (run["agent"] == agent && environment != table.environments.end() &&
        group_of(*environment) == group) {
      chosen.push_back(&run);
    }
  }
  return chosen;
}

Json structure_of(const std::vector<const Json*>& runs) {
  std::map<std::string, std::vector<double>> values;
  for (const Json* run : runs) {
    if (!(*run)["selected"].is_object()) continue;
    for (const char* feature : kFeatures) {
      values[feature].push_back((*run)["selected"].value(feature, 0.0));
    }
  }
  if (values.empty()) return nullptr;
  Json means = Json::object();
  for (const char* feature : kFeatures) means[feature] = mean_of(values[feature]);
  return means;
}

Json hits_of(const std::vector<const Json*>& runs) {
  Json kinds = Json::object();
  for (const char* kind : kKinds) {
    int edits = 0;
    int hits = 0;
    for (const Json* run : runs) {
      for (const Json& edit : (*run)["edits"]) {
        if (edit["kind"] != kind) continue;
        ++edits;
        hits += edit["hit"].get<bool>() ? 1 : 0;
      }
    }
    kinds[kind] = {{"edits", edits},
                   {"hits", hits},
                   {"hit_rate", edits == 0 ? Json() : Json(static_cast<double>(hits) / edits)}};
  }
  return kinds;
}

// The sum over an agent's runs of an environment; null: no log tells.
Json tokens_of(const Json& runs, const std::string& agent, const std::string& env) {
  std::int64_t input = 0;
  std::int64_t cache = 0;
  std::int64_t output = 0;
  bool told = false;
  for (const Json& run : runs) {
    if (run["agent"] != agent || run["env"] != env || !run["tokens"].is_object()) continue;
    told = true;
    const auto cached = run["tokens"].value("cached", std::int64_t{0});
    input += run["tokens"].value("read", std::int64_t{0}) - cached;
    cache += cached;
    output += run["tokens"].value("written", std::int64_t{0});
  }
  return told ? Json{{"input", input}, {"cache", cache}, {"output", output}} : Json();
}

Json edit_sizes_of(const Json& runs) {
  std::array<int, kBins.size()> transitions{};
  std::array<int, kBins.size()> improved{};
  for (const Json& run : runs) {
    std::optional<double> before;
    for (const Json& edit : run["edits"]) {
      const double mean = edit["validation_mean"].get<double>();
      if (before) {
        const int size = edit["added"].get<int>() + edit["removed"].get<int>();
        const auto bin = static_cast<std::size_t>(
            std::upper_bound(kBins.begin(), kBins.end(), size) - kBins.begin() - 1);
        ++transitions[bin];
        improved[bin] += mean > *before ? 1 : 0;
      }
      before = mean;
    }
  }
  Json bins = Json::array();
  for (std::size_t i = 0; i < kBins.size(); ++i) {
    bins.push_back({{"least", kBins[i]},
                    {"most", i + 1 < kBins.size() ? Json(kBins[i + 1] - 1) : Json()},
                    {"transitions", transitions[i]},
                    {"improved", improved[i]}});
  }
  return bins;
}

// --- the page -----------------------------------------------------------------------------------

constexpr std::string_view kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:1200px;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .7em;text-align:right;"
    "border-bottom:1px solid "
    "#ddd}.wide{overflow-x:auto}td:first-child,th:first-child{text-align:left}"
    ".box{display:inline-block;text-align:center;background:#ddd;overflow:hidden}"
    ".first{background:#ddd}.synthesis{background:#8fb8e8}.parametric{background:#f2c879}"
    ".rollback{background:#d6b4d9}.retest{background:#eee}";

std::string cell(const Json& value) {
  return value.is_number() ? fmt::format("{:.4g}", value.get<double>()) : "–";
}

std::string row(const std::vector<std::string>& cells, const char* tag = "td") {
  std::string text = "<tr>";
  for (const std::string& each : cells) text += fmt::format("<{0}>{1}</{0}>", tag, each);
  return text + "</tr>\n";
}

// A row for each environment, a column for each agent.
std::string table_by_environment(
    const Json& study, const char* title,
    const std::function<std::string(const std::string& agent, const std::string& env)>& text_of) {
  std::vector<std::string> head = {"environment"};
  for (const auto& [agent, ignored] : study["means"].items()) {
    head.push_back(run::html_escape(agent));
  }
  std::string text =
      fmt::format("<h2>{}</h2>\n<div class=\"wide\"><table>{}", title, row(head, "th"));
  for (const Json& environment : study["environments"]) {
    const auto env = environment["id"].get<std::string>();
    std::vector<std::string> cells = {run::html_escape(env)};
    for (const auto& [agent, ignored] : study["means"].items()) {
      cells.push_back(text_of(agent, env));
    }
    text += row(cells);
  }
  return text + "</table></div>\n";
}

std::string structure_table(const Json& study) {
  std::vector<std::string> head = {"agent", "tasks"};
  for (const char* feature : kFeatures) head.emplace_back(feature);
  std::string text =
      "<h2>What the selected programs are made of (table 3)</h2>\n<div class=\"wide\"><table>" +
      row(head, "th");
  for (const auto& [agent, groups] : study["structure"].items()) {
    for (const char* group : kGroups) {
      std::vector<std::string> cells = {run::html_escape(agent), group};
      const Json& means = groups[group];
      for (const char* feature : kFeatures) {
        cells.push_back(cell(means.is_object() ? means[feature] : Json()));
      }
      text += row(cells);
    }
  }
  return text + "</table></div>\n";
}

std::string hits_table(const Json& study) {
  std::string text =
      "<h2>Edits that raised the best validation mean (table 4)</h2>\n<div class=\"wide\"><table>" +
      row({"agent", "tasks", "synthesis edits", "hits", "rate", "parametric edits", "hits", "rate"},
          "th");
  for (const auto& [agent, groups] : study["edits"].items()) {
    for (const char* group : kGroups) {
      std::vector<std::string> cells = {run::html_escape(agent), group};
      for (const char* kind : kKinds) {
        for (const char* key : {"edits", "hits", "hit_rate"}) {
          cells.push_back(cell(groups[group][kind][key]));
        }
      }
      text += row(cells);
    }
  }
  return text + "</table></div>\n";
}

std::string groups_table(const Json& study) {
  if (!study["groups"].is_object()) {
    return "<p>No random policy is among the agents: `redqueen arena random` makes one.</p>\n";
  }
  std::string text =
      "<h2>From random to best, by what the task demands (figure 4)</h2>\n<div "
      "class=\"wide\"><table>" +
      row({"agent", kGroups[0], kGroups[1]}, "th");
  for (const auto& [agent, groups] : study["groups"].items()) {
    text += row({run::html_escape(agent), cell(groups[kGroups[0]]), cell(groups[kGroups[1]])});
  }
  return text + "</table></div>\n";
}

std::string curves(const Json& study) {
  run::SmallMultiples chart{.title = "Best validation mean so far (figure 3)",
                            .subtitle = "over the training episodes that were spent",
                            .columns = 3};
  std::vector<std::string> agents;
  for (const auto& [agent, ignored] : study["means"].items()) agents.push_back(agent);
  for (const Json& environment : study["environments"]) {
    run::LineChart plot{.title = environment["id"].get<std::string>(),
                        .x_label = "training episodes"};
    for (const Json& one : study["runs"]) {
      if (one["env"] != environment["id"] || one["curve"].empty()) continue;
      const auto agent = std::find(agents.begin(), agents.end(), one["agent"].get<std::string>());
      run::Series line{
          .name = *agent, .colour = static_cast<int>(agent - agents.begin()), .staircase = true};
      for (const Json& point : one["curve"]) {
        line.points.push_back({point[0].get<double>(), point[1].get<double>()});
      }
      plot.series.push_back(std::move(line));
    }
    if (!plot.series.empty()) chart.cells.push_back(std::move(plot));
  }
  return chart.cells.empty() ? std::string() : run::to_svg(run::draw(chart));
}

// One row a run: a box for each submission, as wide as its episodes.
std::string phases(const Json& study) {
  std::string text =
      "<h2>Phases of the code (figures 5 and 6)</h2>\n<p><span class=\"box synthesis\">synthesis"
      "</span> <span class=\"box parametric\">parametric</span> <span class=\"box rollback\">"
      "rollback</span> <span class=\"box retest\">retest</span>; ★ raised the best validation "
      "mean. "
      "A box is as wide as its episodes.</p>\n<div class=\"wide\"><table>";
  for (const Json& one : study["runs"]) {
    if (one["edits"].empty()) continue;
    const double all = one["edits"].back()["budget_used"].get<double>();
    std::string boxes;
    for (const Json& edit : one["edits"]) {
      const double mean = edit["validation_mean"].get<double>();
      boxes += fmt::format(
          "<span class=\"box {0}\" style=\"width:{1:.2f}px\" title=\"submission {2}: {0}, "
          "validation {3:.4g}, {4} episodes used\">{5}</span>",
          edit["kind"].get<std::string>(),
          std::max(6.0, 700 * edit["episodes"].get<double>() / all), edit["submit"].get<int>(),
          mean, edit["budget_used"].get<int>(), edit["hit"].get<bool>() ? "★" : "·");
    }
    text += row({run::html_escape(one["env"].get<std::string>()),
                 run::html_escape(one["agent"].get<std::string>() + "/" +
                                  one["experiment"].get<std::string>()),
                 boxes});
  }
  return text + "</table></div>\n";
}

std::string faults_text(const Json& faults) {
  std::string text;
  for (const auto& [kind, count] : faults.items()) {
    if (kind == "actions" || !count.is_number() || count.get<std::int64_t>() == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind, count.get<std::int64_t>());
  }
  return text;
}

// From what an agent saw to what came of its edit; folded, for there may be hundreds.
std::string traces(const Json& study) {
  std::string text = "<h2>From feedback to revision to outcome (figure 7)</h2>\n";
  for (const Json& one : study["runs"]) {
    text += fmt::format("<details><summary>{}, {}/{}</summary>\n<div class=\"wide\"><table>{}",
                        run::html_escape(one["env"].get<std::string>()),
                        run::html_escape(one["agent"].get<std::string>()),
                        run::html_escape(one["experiment"].get<std::string>()),
                        row({"submission", "episodes before", "seen before: training mean",
                             "faults", "edit", "lines", "validation", "outcome"},
                            "th"));
    Json before;
    for (const Json& edit : one["edits"]) {
      text += row({fmt::to_string(edit["submit"].get<int>()),
                   fmt::to_string(edit["budget_used"].get<int>() - edit["episodes"].get<int>()),
                   cell(before.is_object() ? before["mean_return"] : Json()),
                   before.is_object() ? faults_text(before["faults"]) : std::string(),
                   edit["kind"].get<std::string>(),
                   fmt::format("+{} −{}", edit["added"].get<int>(), edit["removed"].get<int>()),
                   cell(edit["validation_mean"]),
                   edit["hit"].get<bool>() ? "★ new best" : "no better"});
      before = edit;
    }
    text += "</table></div></details>\n";
  }
  return text;
}

std::string edit_sizes(const Json& study) {
  std::string text =
      "<h2>Size of an edit and improvement (figure 8)</h2>\n<div class=\"wide\"><table>" +
      row({"lines changed", "transitions", "improved", "share", "95 %"}, "th");
  for (const Json& bin : study["edit_sizes"]) {
    const auto transitions = bin["transitions"].get<std::int64_t>();
    const auto improved = bin["improved"].get<std::int64_t>();
    const run::Interval interval = run::wilson_interval(improved, transitions);
    const bool any = transitions > 0;
    text += row(
        {bin["most"].is_null()
             ? fmt::format("{} or more", bin["least"].get<int>())
             : fmt::format("{} to {}", bin["least"].get<int>(), bin["most"].get<int>()),
         fmt::to_string(transitions), fmt::to_string(improved),
         any ? fmt::format("{:.0f} %",
                           100.0 * static_cast<double>(improved) / static_cast<double>(transitions))
             : "–",
         any ? fmt::format("{:.0f} to {:.0f} %", 100 * interval.low, 100 * interval.high) : "–"});
  }
  return text + "</table></div>\n";
}

std::string page(const Json& study) {
  const auto of = [&study](const char* what) {
    return [&study, what](const std::string& agent, const std::string& env) {
      return cell(study[what].is_object() ? study[what][agent][env] : Json());
    };
  };
  std::string body = "<h1>Agents over environments</h1>\n";
  body += table_by_environment(study, "Held-out mean returns (table 1)", of("means"));
  body += groups_table(study);
  body +=
      table_by_environment(study, "From random (0) to best (1) (table 8)", of("random_to_best"));
  body += curves(study) + structure_table(study) + hits_table(study) + phases(study);
  body += edit_sizes(study) + traces(study);
  body += table_by_environment(
      study, "Tokens: input without cache, cache, output (table 9)",
      [&study](const std::string& agent, const std::string& env) -> std::string {
        const Json& tokens = study["tokens"][agent][env];
        if (!tokens.is_object()) return "–";
        return fmt::format("{} / {} / {}", tokens["input"].get<std::int64_t>(),
                           tokens["cache"].get<std::int64_t>(),
                           tokens["output"].get<std::int64_t>());
      });
  return run::html_page("arena: agents over environments", run::style_sheet() + std::string(kStyle),
                        body);
}

}  // namespace

Expected<Json> study_runs(const fs::path& folder, const ResultTable& table,
                          sandbox::Sandbox& sandbox) {
  ASSIGN_OR_RETURN(const Json runs, all_runs(folder, sandbox));
  Json study = {{"environments", Json::array()},
                {"means", Json::object()},
                {"structure", Json::object()},
                {"edits", Json::object()},
                {"tokens", Json::object()},
                {"random_to_best", nullptr},
                {"groups", nullptr}};
  for (const auto& environment : table.environments) {
    study["environments"].push_back({{"id", environment.id}, {"group", group_of(environment)}});
  }
  for (std::size_t a = 0; a < table.agents.size(); ++a) {
    const std::string& agent = table.agents[a];
    std::map<std::string, std::vector<double>> closed;
    for (std::size_t e = 0; e < table.environments.size(); ++e) {
      const ResultTable::Environment& environment = table.environments[e];
      const auto score = table.scores[a][e];
      study["means"][agent][environment.id] = score ? Json(*score) : Json();
      study["tokens"][agent][environment.id] = tokens_of(runs, agent, environment.id);
      if (table.random < 0) continue;
      const double way = std::clamp(random_to_best(table, a, e), 0.0, 1.0);
      study["random_to_best"][agent][environment.id] = way;
      closed[group_of(environment).get<std::string>()].push_back(way);
    }
    for (const char* group : kGroups) {
      const auto chosen = runs_of(runs, table, agent, group);
      study["structure"][agent][group] = structure_of(chosen);
      study["edits"][agent][group] = hits_of(chosen);
      if (table.random < 0) continue;
      study["groups"][agent][group] = closed[group].empty() ? Json() : Json(mean_of(closed[group]));
    }
  }
  study["edit_sizes"] = edit_sizes_of(runs);
  study["runs"] = runs;
  return study;
}

Expected<fs::path> write_study(const Json& study, const fs::path& out) {
  RETURN_IF_ERROR(make_folders(out));
  RETURN_IF_ERROR(replace_file(out / "index.html", page(study), Survives::kProcessDeath));
  RETURN_IF_ERROR(
      replace_file(out / "study.json", dump_json(study) + "\n", Survives::kProcessDeath));
  return out / "index.html";
}

}  // namespace redqueen::arena
