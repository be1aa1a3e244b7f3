#include "redqueen/arena/judge/leaderboard.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "redqueen/arena/judge/core16.h"
#include "redqueen/arena/judge/feedback.h"
#include "redqueen/arena/judge/isolated_runs.h"
#include "redqueen/base/json.h"
#include "redqueen/base/text_file.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kRandomNames = {"Baseline", "random", "Random"};

ResultTable::Environment environment_of(const std::string& id, const std::string& family) {
  if (const Core16Entry* entry = find_core16(id)) {
    return {.id = id, .family = std::string(entry->family), .is_synthesis = entry->is_synthesis};
  }
  return {.id = id, .family = family.empty() ? "others" : family};
}

void find_random(ResultTable& table) {
  for (std::size_t i = 0; i < table.agents.size(); ++i) {
    if (std::find(kRandomNames.begin(), kRandomNames.end(), table.agents[i]) !=
        kRandomNames.end()) {
      table.random = static_cast<int>(i);
    }
  }
}

int rank_of(const ResultTable& table, std::size_t agent, std::size_t environment) {
  const double own = table.scores[agent][environment];
  return 1 + static_cast<int>(std::count_if(
                 table.scores.begin(), table.scores.end(),
                 [&](const std::vector<double>& row) { return row[environment] > own; }));
}

Standing standing_of(const ResultTable& table, std::size_t agent) {
  Standing standing{.agent = table.agents[agent]};
  std::vector<double> all;
  std::vector<double> synthesis;
  std::vector<double> tuning;
  std::map<std::string, std::vector<double>> families;
  for (std::size_t e = 0; e < table.environments.size(); ++e) {
    const int rank = rank_of(table, agent, e);
    const double score = 1 - (rank - 1) / static_cast<double>(table.agents.size() - 1);
    all.push_back(score);
    families[table.environments[e].family].push_back(score);
    standing.wins += rank == 1 ? 1 : 0;
    standing.top_two += rank <= 2 ? 1 : 0;
    const double closed = std::max(0.0, random_to_best(table, agent, e));
    (table.environments[e].is_synthesis ? synthesis : tuning).push_back(closed);
  }
  standing.rank_score = mean_of(all);
  standing.synthesis = mean_of(synthesis);
  standing.tuning = mean_of(tuning);
  for (const auto& [family, scores] : families) standing.family_scores[family] = mean_of(scores);
  return standing;
}

// A run that has closed, as the leaderboard sees it.
struct ClosedRun {
  fs::path file;
  std::string agent;
  std::string env;
  std::string cases;
  Json versions;
  Json settings;
  double score = 0;
};

// The rules by which one run is easier than another.
constexpr std::array<const char*, 11> kRules = {
    "budget",       "train",        "validation",      "heldout",
    "protocol",     "strict_v0",    "load_seconds",    "fresh_policy_per_episode",
    "step_seconds", "memory_bytes", "episode_seconds",
};

Expected<std::vector<ClosedRun>> closed_runs(const fs::path& folder) {
  std::vector<ClosedRun> runs;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry.depth() >= 3) entry.disable_recursion_pending();
    if (entry.depth() != 3 || entry->path().filename() != "run.json") continue;
    const fs::path& file = entry->path();
    ASSIGN_OR_RETURN(const std::string text, read_text_file(file));
    const auto json = parse_json(text);
    if (!json || !json->is_object() || !json->contains("score") || !json->contains("env")) {
      return failure("{}: this is no record of a run", file.string());
    }
    if (!(*json)["score"].is_number() || !(*json)["env"].is_string()) {
      return usage_error(
          "{}: this run has no score, for its held-out episodes failed; without it the agent's "
          "mean "
          "would be that of its successes. Take the folder away, or run it again",
          file.string());
    }
    runs.push_back({.file = file,
                    .agent = file.parent_path().parent_path().parent_path().filename().string(),
                    .env = (*json)["env"].get<std::string>(),
                    .cases = json->value("cases", ""),
                    .versions = json->value("versions", Json::object()),
                    .settings = json->value("settings", Json::object()),
                    .score = (*json)["score"].get<double>()});
  }
  if (error) return usage_error("{}: cannot be listed ({})", folder.string(), error.message());
  std::sort(runs.begin(), runs.end(),
            [](const ClosedRun& a, const ClosedRun& b) { return a.file < b.file; });
  return runs;
}

Status check_comparable(const std::vector<ClosedRun>& runs) {
  std::map<std::string, const ClosedRun*> first;
  for (const ClosedRun& run : runs) {
    const ClosedRun* other = first.emplace(run.env, &run).first->second;
    if (other->cases != run.cases) {
      return usage_error("{} has {} cases and {} has {} cases; they cannot be compared",
                         other->file.string(), other->cases, run.file.string(), run.cases);
    }
    if (other->versions != run.versions) {
      return usage_error("{} ({}) and {} ({}) were made with other versions of {}",
                         other->file.string(), dump_json(other->versions), run.file.string(),
                         dump_json(run.versions), run.env);
    }
    for (const char* rule : kRules) {
      const Json own = run.settings.value(rule, Json());
      const Json others = other->settings.value(rule, Json());
      if (own == others) continue;
      return usage_error("{} has {} {} and {} has {}; they cannot be compared",
                         other->file.string(), rule, dump_json(others), run.file.string(),
                         dump_json(own));
    }
  }
  return {};
}

std::vector<fs::path> files_of(const std::vector<ClosedRun>& runs) {
  std::vector<fs::path> files;
  files.reserve(runs.size());
  for (const ClosedRun& run : runs) files.push_back(run.file);
  return files;
}

}  // namespace

double random_to_best(const ResultTable& table, std::size_t agent, std::size_t environment) {
  if (table.random < 0) return 0;
  double best = table.scores.front()[environment];
  for (const auto& row : table.scores) best = std::max(best, row[environment]);
  const double random = table.scores[static_cast<std::size_t>(table.random)][environment];
  return best > random ? (table.scores[agent][environment] - random) / (best - random) : 0;
}

Expected<std::vector<Standing>> standings(const ResultTable& table) {
  if (table.agents.size() < 2) {
    return usage_error("a leaderboard compares two agents or more; there is {}",
                       table.agents.size());
  }
  std::vector<Standing> list;
  for (std::size_t i = 0; i < table.agents.size(); ++i) list.push_back(standing_of(table, i));
  std::stable_sort(list.begin(), list.end(), [](const Standing& a, const Standing& b) {
    return a.rank_score > b.rank_score;
  });
  return list;
}

Expected<ResultTable> read_results(const fs::path& file) {
  ASSIGN_OR_RETURN(const std::string text, read_text_file(file, ErrorKind::kUsage));
  ASSIGN_OR_RETURN(const Json json, parse_json(text));
  ResultTable table;
  try {
    for (const Json& each : json.at("environments")) {
      table.environments.push_back(
          environment_of(each.at("id").get<std::string>(), each.value("family", "")));
    }
    for (const auto& [agent, scores] : json.at("entries").items()) {
      table.agents.push_back(agent);
      auto& row = table.scores.emplace_back();
      for (const auto& environment : table.environments) {
        row.push_back(scores.at(environment.id).get<double>());
      }
    }
  } catch (const nlohmann::json::exception& error) {
    return usage_error("{}: this is no table of results ({})", file.string(), error.what());
  }
  find_random(table);
  return table;
}

Expected<ResultTable> collect_results(const fs::path& folder) {
  ASSIGN_OR_RETURN(const std::vector<ClosedRun> runs, closed_runs(folder));
  if (runs.empty()) {
    return usage_error("{}: no finished run lies there as AGENT/ENVIRONMENT/EXPERIMENT/run.json",
                       folder.string());
  }
  RETURN_IF_ERROR(check_comparable(runs));
  RETURN_IF_ERROR(check_isolated_runs(files_of(runs)));
  std::map<std::string, std::map<std::string, std::vector<double>>> scores;  // agent, environment
  std::set<std::string> environments;
  for (const ClosedRun& run : runs) {
    scores[run.agent][run.env].push_back(run.score);
    environments.insert(run.env);
  }
  ResultTable table;
  for (const std::string& env : environments) table.environments.push_back(environment_of(env, ""));
  for (const auto& [agent, by_environment] : scores) {
    table.agents.push_back(agent);
    auto& row = table.scores.emplace_back();
    for (const std::string& env : environments) {
      const auto found = by_environment.find(env);
      if (found == by_environment.end()) {
        return usage_error("{}: the agent {} has no finished run of {}", folder.string(), agent,
                           env);
      }
      row.push_back(mean_of(found->second));
    }
  }
  find_random(table);
  return table;
}

std::string leaderboard_text(const ResultTable& table, const std::vector<Standing>& standings) {
  std::string text = fmt::format("{:<22} {:>6} {:>5} {:>6}", "agent", "score", "wins", "top 2");
  if (table.random >= 0) text += fmt::format(" {:>10} {:>7}", "synthesis", "tuning");
  for (const auto& [family, score] : standings.front().family_scores) {
    text += fmt::format("  {}", family);
  }
  text += "\n";
  for (const Standing& each : standings) {
    text += fmt::format("{:<22} {:>6.3f} {:>5} {:>6}", each.agent, each.rank_score, each.wins,
                        each.top_two);
    if (table.random >= 0) text += fmt::format(" {:>10.3f} {:>7.3f}", each.synthesis, each.tuning);
    for (const auto& [family, score] : each.family_scores) {
      text += fmt::format("  {:>{}.3f}", score, family.size());
    }
    text += "\n";
  }
  return text;
}

}  // namespace redqueen::arena
