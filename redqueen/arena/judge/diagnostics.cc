#include "redqueen/arena/judge/diagnostics.h"

#include <algorithm>
#include <fstream>
#include <set>

#include "redqueen/arena/embedded_files.h"
#include "redqueen/arena/judge/feedback.h"
#include "redqueen/arena/judge/json_fault.h"
#include "redqueen/arena/judge/run_files.h"
#include "redqueen/base/text_file.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

// What the script says of each of these.
Expected<Json> shapes_of(const std::vector<Sources>& programs, sandbox::Sandbox& sandbox) {
  sandbox::Job job;
  job.program.source = bundle_shape_text();
  job.program.profile = sandbox::program_profile();
  job.program.input = dump_json(programs);
  job.program.limits.wall_seconds = 60;
  job.program.limits.output_bytes = 16U << 20;
  const sandbox::Outcome outcome = sandbox.run(job);
  auto shapes = parse_json(outcome.out);
  if (!outcome.ok() || !shapes || shapes->size() != programs.size()) {
    return failure("the sources of the submissions cannot be read ({} {})",
                   sandbox::name_of(outcome.status), outcome.message);
  }
  return std::move(*shapes);
}

// Lines of the bundle's files that differ.
LineDiff line_changes(const Json& bundle, const Sources& before, const Sources& after) {
  LineDiff sum;
  for (const Json& path : bundle) {
    const auto text = [&path](const Sources& sources) {
      const auto found = sources.find(path.get<std::string>());
      return found == sources.end() ? std::string() : found->second;
    };
    const LineDiff diff = diff_lines(text(before), text(after));
    sum.added += diff.added;
    sum.removed += diff.removed;
  }
  return sum;
}

// Sorts edits into kinds, one after another.
class Classifier {
 public:
  std::string kind_of(const Json& shape) {
    const std::string source = shape.value("source", "");
    const std::string topology = shape.value("topology", "");
    std::string kind = "first";
    if (!topologies_.empty()) {
      kind = source == last_source_           ? "retest"
             : topology == last_topology_     ? "parametric"
             : topologies_.contains(topology) ? "rollback"
                                              : "synthesis";
    }
    topologies_.insert(topology);
    last_source_ = source;
    last_topology_ = topology;
    return kind;
  }

 private:
  std::set<std::string> topologies_;
  std::string last_source_;
  std::string last_topology_;
};

std::int64_t tokens_in(const Json& usage, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = usage.find(name);
    if (found != usage.end() && found->is_number_integer()) return found->get<std::int64_t>();
  }
  return 0;
}

// Sums what an agent's log says of tokens: "usage" of a line, or of its "data". Null: it says
// nothing.
Json tokens_of(const fs::path& log) {
  std::ifstream lines(log, std::ios::binary);
  std::int64_t read = 0;
  std::int64_t written = 0;
  std::int64_t cached = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto said = parse_json(line);
    if (!said || !said->is_object()) continue;
    const Json data = said->value("data", Json());
    const Json usage =
        said->value("usage", data.is_object() ? data.value("usage", Json()) : Json());
    if (!usage.is_object()) continue;
    read += tokens_in(usage, {"prompt_tokens", "input_tokens"});
    written += tokens_in(usage, {"completion_tokens", "output_tokens"});
    cached += tokens_in(usage, {"cached_tokens"});
  }
  return read + written == 0 ? Json()
                             : Json{{"read", read}, {"cached", cached}, {"written", written}};
}

Json counts_of(const Json& edits, std::string_view kind) {
  int count = 0;
  int hits = 0;
  for (const Json& edit : edits) {
    if (edit["kind"] != kind) continue;
    ++count;
    if (edit["hit"].get<bool>()) ++hits;
  }
  return {{"edits", count},
          {"hits", hits},
          {"hit_rate", count == 0 ? Json() : Json(static_cast<double>(hits) / count)}};
}

// One edit after another; `entries` are those of the record that were validated.
Json edits_of(const std::vector<Json>& entries, const std::vector<Sources>& programs,
              const Json& shapes) {
  Json edits = Json::array();
  Classifier classifier;
  Json best;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double mean = entries[i]["validation_mean"].get<double>();
    const bool better = best.is_null() || mean > best.get<double>();
    const LineDiff diff = line_changes(shapes[i].value("bundle", Json::array()),
                                       i == 0 ? Sources() : programs[i - 1], programs[i]);
    edits.push_back({{"submit", entries[i]["submit"]},
                     {"kind", classifier.kind_of(shapes[i])},
                     {"hit", better},
                     {"added", diff.added},
                     {"removed", diff.removed},
                     {"gain", better && !best.is_null() ? Json(mean - best.get<double>()) : Json()},
                     {"features", shapes[i].value("features", Json())},
                     {"validation_mean", mean}});
    if (better) best = mean;
  }
  return edits;
}

Json diagnosis_of(const Json& record, const Json& edits, const fs::path& run) {
  Json curve = Json::array();
  for (const Json& entry : record["submissions"]) {
    if (entry["best_so_far"].is_number()) {
      curve.push_back({entry["budget_used"], entry["best_so_far"]});
    }
  }
  Json selected;
  for (const Json& edit : edits) {
    if (edit["submit"] == record["selected_submit"]) selected = edit["features"];
  }
  return {{"edits", edits},
          {"synthesis", counts_of(edits, "synthesis")},
          {"parametric", counts_of(edits, "parametric")},
          {"rollbacks", counts_of(edits, "rollback")["edits"]},
          {"retests", counts_of(edits, "retest")["edits"]},
          {"curve", curve},
          {"selected", selected},
          {"tokens", tokens_of(run / "logs" / "agent.jsonl")}};
}

}  // namespace

std::string bundle_shape_text() { return std::string(bundle_shape_source()); }

Expected<Json> diagnose_run(const fs::path& run, sandbox::Sandbox& sandbox) {
  ASSIGN_OR_RETURN(const Json record, record_of_run(run));
  try {
    const int width = number_width(record.at("settings").at("budget").get<int>());
    std::vector<Json> entries;
    std::vector<Sources> programs;
    for (const Json& entry : record.at("submissions")) {
      if (!entry.contains("validation_mean") || entry.contains("validation_fault")) continue;
      entries.push_back(entry);
      programs.push_back(sources_of(run, entry.at("submit").get<int>(), width));
    }
    ASSIGN_OR_RETURN(const Json shapes, shapes_of(programs, sandbox));
    return diagnosis_of(record, edits_of(entries, programs, shapes), run);
  } catch (const nlohmann::json::exception& error) {
    return failure("{}: this is no record of a run ({})", (run / "run.json").string(),
                   json_fault(error));
  }
}

std::string diagnosis_text(const Json& diagnosis) {
  std::string text = fmt::format("{:>10}  {:<10} {:>3} {:>7} {:>7} {:>12} {:>10}\n", "submission",
                                 "edit", "hit", "added", "removed", "validation", "gain");
  for (const Json& edit : diagnosis["edits"]) {
    const std::string gain =
        edit["gain"].is_number() ? fmt::format("{:+.4g}", edit["gain"].get<double>()) : "";
    text += fmt::format("{:>10}  {:<10} {:>3} {:>7} {:>7} {:>12.4f} {:>10}\n",
                        edit["submit"].get<int>(), edit["kind"].get<std::string>(),
                        edit["hit"].get<bool>() ? "yes" : "", edit["added"].get<int>(),
                        edit["removed"].get<int>(), edit["validation_mean"].get<double>(), gain);
  }
  for (const char* kind : {"synthesis", "parametric"}) {
    const Json& counts = diagnosis[kind];
    text += fmt::format("{}: {} edits, {} hits\n", kind, counts["edits"].get<int>(),
                        counts["hits"].get<int>());
  }
  text += fmt::format("rollbacks {}, retests {}\n", diagnosis["rollbacks"].get<int>(),
                      diagnosis["retests"].get<int>());
  if (diagnosis["selected"].is_object()) {
    const Json& has = diagnosis["selected"];
    text +=
        fmt::format("selected: {} lines, {} functions, {} branches, {} loops, {} kept names\n",
                    has["lines"].get<int>(), has["functions"].get<int>(),
                    has["branches"].get<int>(), has["loops"].get<int>(), has["state"].get<int>());
  }
  if (diagnosis["tokens"].is_object()) {
    text += fmt::format("tokens: {} read, {} written\n",
                        diagnosis["tokens"]["read"].get<std::int64_t>(),
                        diagnosis["tokens"]["written"].get<std::int64_t>());
  }
  return text;
}

}  // namespace redqueen::arena
