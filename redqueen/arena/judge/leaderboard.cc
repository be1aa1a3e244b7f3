#include "redqueen/arena/judge/leaderboard.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "redqueen/arena/judge/core16.h"
#include "redqueen/arena/judge/fault_counts.h"
#include "redqueen/arena/judge/feedback.h"
#include "redqueen/arena/judge/isolated_runs.h"
#include "redqueen/arena/judge/json_fault.h"
#include "redqueen/base/json.h"
#include "redqueen/base/rng.h"
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

using Scores = std::vector<std::optional<double>>;  // of the agents, in one environment

Scores scores_in(const ResultTable& table, std::size_t environment) {
  Scores scores;
  for (const auto& row : table.scores) scores.push_back(row[environment]);
  return scores;
}

// 1 + how many are better; whoever has no score is last.
int rank_of(const Scores& scores, std::size_t agent) {
  const std::optional<double> own = scores[agent];
  if (!own) return static_cast<int>(scores.size());
  return 1 + static_cast<int>(std::count_if(scores.begin(), scores.end(),
                                            [&](const auto& other) { return other > own; }));
}

double rank_score_of(const Scores& scores, std::size_t agent) {
  return 1 - (rank_of(scores, agent) - 1) / static_cast<double>(scores.size() - 1);
}

// --- resampled cases ----------------------------------------------------------------------------

constexpr std::size_t kResamples = 2000;

bool is_paired(const ResultTable& table, std::size_t environment) {
  if (table.returns.empty()) return false;
  std::size_t cases = 0;
  for (std::size_t a = 0; a < table.agents.size(); ++a) {
    if (!table.scores[a][environment]) continue;
    const std::size_t own = table.returns[a][environment].size();
    if (own < kLeastPairedCases || (cases != 0 && own != cases)) return false;
    cases = own;
  }
  return cases != 0;
}

// Means of the agents over the same resampled cases: [resample][agent].
std::vector<Scores> resampled_means(const ResultTable& table, std::size_t environment) {
  std::size_t cases = 0;
  for (const auto& agent : table.returns) cases = std::max(cases, agent[environment].size());
  std::vector<Scores> means(kResamples, Scores(table.agents.size()));
  std::vector<std::size_t> drawn(cases);
  for (std::size_t b = 0; b < kResamples; ++b) {
    Rng rng({.purpose = hash_name("arena bootstrap"),
             .step = b,
             .index = hash_name(table.environments[environment].id)});
    for (std::size_t& each : drawn) each = rng.below(cases);
    for (std::size_t a = 0; a < table.agents.size(); ++a) {
      if (!table.scores[a][environment]) continue;
      const std::vector<double>& own = table.returns[a][environment];
      double sum = 0;
      for (const std::size_t each : drawn) sum += own[each];
      means[b][a] = sum / static_cast<double>(cases);
    }
  }
  return means;
}

// The value below which `share` of them lie, between neighbours in proportion. `sorted` is not
// empty.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

run::Interval interval_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {.low = quantile(values, 0.025), .high = quantile(values, 0.975)};
}

// The resampled means of every environment that has paired cases; of others, none.
using Resamples = std::vector<std::vector<Scores>>;

Resamples resamples_of(const ResultTable& table) {
  Resamples all(table.environments.size());
  for (std::size_t e = 0; e < all.size(); ++e) {
    if (is_paired(table, e)) all[e] = resampled_means(table, e);
  }
  return all;
}

run::Interval difference_of(const std::vector<Scores>& resamples, std::size_t first,
                            std::size_t second) {
  std::vector<double> differences;
  differences.reserve(resamples.size());
  for (const Scores& means : resamples) differences.push_back(*means[first] - *means[second]);
  return interval_of(std::move(differences));
}

// All environments with paired cases, in the table's order.
std::vector<PairedDifference> differences_in(const ResultTable& table, const Resamples& resamples) {
  std::vector<PairedDifference> list;
  for (std::size_t e = 0; e < table.environments.size(); ++e) {
    if (resamples[e].empty()) continue;
    for (std::size_t a = 0; a < table.agents.size(); ++a) {
      for (std::size_t b = a + 1; b < table.agents.size(); ++b) {
        if (!table.scores[a][e] || !table.scores[b][e]) continue;
        list.push_back({.env = table.environments[e].id,
                        .first = table.agents[a],
                        .second = table.agents[b],
                        .cases = table.returns[a][e].size(),
                        .mean = mean_of(table.returns[a][e]) - mean_of(table.returns[b][e]),
                        .interval = difference_of(resamples[e], a, b)});
      }
    }
  }
  return list;
}

bool is_clear_win(const ResultTable& table, const std::vector<Scores>& resamples, std::size_t agent,
                  std::size_t environment) {
  if (!table.scores[agent][environment]) return false;
  for (std::size_t other = 0; other < table.agents.size(); ++other) {
    if (other == agent || !table.scores[other][environment]) continue;
    if (difference_of(resamples, agent, other).low <= 0) return false;
  }
  return true;
}

// Rank scores over the environments, resample by resample.
std::optional<run::Interval> rank_interval_of(const Resamples& resamples, std::size_t agent) {
  std::vector<double> scores(kResamples, 0.0);
  for (const std::vector<Scores>& environment : resamples) {
    if (environment.empty()) return std::nullopt;
    for (std::size_t b = 0; b < kResamples; ++b) scores[b] += rank_score_of(environment[b], agent);
  }
  for (double& score : scores) score /= static_cast<double>(resamples.size());
  return interval_of(std::move(scores));
}

Standing standing_of(const ResultTable& table, const Resamples& resamples, std::size_t agent) {
  Standing standing{.agent = table.agents[agent]};
  std::vector<double> all;
  std::vector<double> synthesis;
  std::vector<double> tuning;
  std::map<std::string, std::vector<double>> families;
  for (std::size_t e = 0; e < table.environments.size(); ++e) {
    const Scores scores = scores_in(table, e);
    const int rank = rank_of(scores, agent);
    const double score = rank_score_of(scores, agent);
    const bool scored = scores[agent].has_value();
    all.push_back(score);
    families[table.environments[e].family].push_back(score);
    standing.wins += scored && rank == 1 ? 1 : 0;
    standing.top_two += scored && rank <= 2 ? 1 : 0;
    standing.without_score += scored ? 0 : 1;
    if (!resamples[e].empty()) {
      const bool clear = is_clear_win(table, resamples[e], agent, e);
      standing.clear_wins = standing.clear_wins.value_or(0) + (clear ? 1 : 0);
    }
    if (!table.faults.empty()) standing.faults += table.faults[agent][e];
    const double closed = std::max(0.0, random_to_best(table, agent, e));
    (table.environments[e].is_synthesis ? synthesis : tuning).push_back(closed);
  }
  standing.rank_score = mean_of(all);
  standing.rank_interval = rank_interval_of(resamples, agent);
  standing.synthesis = mean_of(synthesis);
  standing.tuning = mean_of(tuning);
  for (const auto& [family, scores] : families) standing.family_scores[family] = mean_of(scores);
  return standing;
}

// --- runs ---------------------------------------------------------------------------------------

// A run that has closed, as the leaderboard sees it.
struct ClosedRun {
  fs::path file;
  std::string agent;
  std::string env;
  std::string cases;
  Json hashes;
  Json versions;
  Json settings;
  std::optional<double> score;
  std::vector<double> returns;  // held out; empty: not all were played
  std::int64_t faults = 0;      // held out
};

std::string heldout_hash(const ClosedRun& run) {
  const Json hash = run.hashes.value("heldout", Json());
  return hash.is_string() ? hash.get<std::string>() : std::string();
}

// Throws what a record that is none makes the JSON library throw.
ClosedRun closed_run(const fs::path& file, const Json& json) {
  ClosedRun run{.file = file,
                .agent = file.parent_path().parent_path().parent_path().filename().string(),
                .env = json.at("env").get<std::string>(),
                .cases = json.value("cases", ""),
                .hashes = json.value("hashes", Json::object()),
                .versions = json.value("versions", Json::object()),
                .settings = json.value("settings", Json::object())};
  if (!json.at("score").is_null()) run.score = json.at("score").get<double>();
  if (json.contains("faults")) {
    run.faults = fault_counts_from_json(json["faults"].value("heldout", Json())).faults();
  }
  if (run.score && json.contains("heldout")) {
    run.returns = json["heldout"].at("returns").get<std::vector<double>>();
  }
  return run;
}

// The rules by which one run is easier than another.
constexpr std::array<const char*, 12> kRules = {
    "budget",       "train",        "validation",      "heldout",
    "protocol",     "strict_v0",    "load_seconds",    "fresh_policy_per_episode",
    "step_seconds", "memory_bytes", "episode_seconds", "one_hidden_instance",
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
    try {
      runs.push_back(closed_run(file, *json));
    } catch (const nlohmann::json::exception& fault) {
      return failure("{}: this is no record of a run ({})", file.string(), json_fault(fault));
    }
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

// The cases that an agent played in an environment, pool by pool: a run for each.
using RunsByCases = std::map<std::string, std::vector<const ClosedRun*>>;
// Groups runs by environment, then by agent.
using RunsByAgent = std::map<std::string, std::map<std::string, RunsByCases>>;

RunsByAgent sorted_runs(const std::vector<ClosedRun>& runs) {
  RunsByAgent sorted;
  for (const ClosedRun& run : runs) {
    const std::string cases =
        run.cases + dump_json({run.hashes.value("train", Json()),
                               run.hashes.value("validation", Json()), heldout_hash(run)});
    sorted[run.env][run.agent][cases].push_back(&run);
  }
  return sorted;
}

// Two runs of one environment that were given other cases; null: there are none.
std::pair<const ClosedRun*, const ClosedRun*> runs_with_other_cases(
    const std::map<std::string, RunsByCases>& agents) {
  const RunsByCases& first = agents.begin()->second;
  for (const auto& [agent, runs] : agents) {
    for (const auto& [cases, of_agent] : runs) {
      if (!first.contains(cases)) return {first.begin()->second.front(), of_agent.front()};
    }
    for (const auto& [cases, of_first] : first) {
      if (!runs.contains(cases)) return {of_first.front(), runs.begin()->second.front()};
    }
  }
  return {nullptr, nullptr};
}

// Describes the cases of a run for people.
std::string cases_text(const ClosedRun& run) {
  const std::string hash = heldout_hash(run);
  return fmt::format("{} cases{}", run.cases,
                     hash.empty() ? "" : fmt::format(" (held out {})", hash.substr(0, 12)));
}

// Environments whose agents were given other cases; a usage error unless that is allowed.
Expected<std::vector<std::string>> mixed_environments(const RunsByAgent& sorted, bool allowed) {
  std::vector<std::string> mixed;
  for (const auto& [env, agents] : sorted) {
    const auto [one, other] = runs_with_other_cases(agents);
    if (one == nullptr) continue;
    if (!allowed) {
      return usage_error(
          "{} has {} and {} has {}: who was given easier ones cannot be told. Give all the same "
          "with "
          "`redqueen arena cases make DIR` and `--cases DIR`; --mixed-cases compares them as they "
          "are",
          one->file.string(), cases_text(*one), other->file.string(), cases_text(*other));
    }
    mixed.push_back(env);
  }
  return mixed;
}

// Case by case, the mean over the runs that played a pool; pools one after another. Empty: a run
// does not tell.
std::vector<double> returns_by_case(const RunsByCases& pools) {
  std::vector<double> all;
  for (const auto& [cases, runs] : pools) {
    std::vector<double> sums(runs.front()->returns.size(), 0.0);
    for (const ClosedRun* run : runs) {
      if (run->returns.empty() || run->returns.size() != sums.size()) return {};
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += run->returns[i];
    }
    for (const double sum : sums) all.push_back(sum / static_cast<double>(runs.size()));
  }
  return all;
}

// The mean of an agent's runs; none where one has no score.
std::optional<double> score_of(const RunsByCases& pools) {
  std::vector<double> scores;
  for (const auto& [cases, runs] : pools) {
    for (const ClosedRun* run : runs) {
      if (!run->score) return std::nullopt;
      scores.push_back(*run->score);
    }
  }
  return mean_of(scores);
}

std::int64_t faults_of(const RunsByCases& pools) {
  std::int64_t faults = 0;
  for (const auto& [cases, runs] : pools) {
    for (const ClosedRun* run : runs) faults += run->faults;
  }
  return faults;
}

// --- text ---------------------------------------------------------------------------------------

std::string means_text(const ResultTable& table) {
  std::string text = fmt::format("\n{:<32}", "mean return");
  for (const std::string& agent : table.agents) text += fmt::format(" {:>16}", agent);
  text += "\n";
  for (std::size_t e = 0; e < table.environments.size(); ++e) {
    text += fmt::format("{:<32}", table.environments[e].id);
    for (std::size_t a = 0; a < table.agents.size(); ++a) {
      const auto score = table.scores[a][e];
      text += fmt::format(" {:>16}", score ? fmt::format("{:.6g}", *score) : "no score");
    }
    text += "\n";
  }
  return text;
}

// Each environment's best against the next, where the cases are the same.
std::string leaders_text(const ResultTable& table) {
  std::string text;
  const Resamples resamples = resamples_of(table);
  for (std::size_t e = 0; e < table.environments.size(); ++e) {
    if (resamples[e].empty()) continue;
    std::vector<std::size_t> order;
    for (std::size_t a = 0; a < table.agents.size(); ++a) {
      if (table.scores[a][e]) order.push_back(a);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return table.scores[a][e] > table.scores[b][e];
    });
    if (order.size() < 2) continue;
    const run::Interval interval = difference_of(resamples[e], order[0], order[1]);
    const auto& own = table.returns[order[0]][e];
    text += fmt::format("{:<32} {} − {}: {:.6g} [{:.6g}, {:.6g}] over {} cases{}\n",
                        table.environments[e].id, table.agents[order[0]], table.agents[order[1]],
                        mean_of(own) - mean_of(table.returns[order[1]][e]), interval.low,
                        interval.high, own.size(), interval.low > 0 ? "" : "; no clear win");
  }
  return text.empty()
             ? text
             : "\nthe best against the next, difference by case, 95 % of the bootstrap:\n" + text;
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
  std::optional<double> best;
  for (const auto& row : table.scores) best = std::max(best, row[environment]);
  const auto random = table.scores[static_cast<std::size_t>(table.random)][environment];
  const auto own = table.scores[agent][environment];
  return own && random && *best > *random ? (*own - *random) / (*best - *random) : 0;
}

std::vector<PairedDifference> paired_differences(const ResultTable& table) {
  return differences_in(table, resamples_of(table));
}

Expected<std::vector<Standing>> standings(const ResultTable& table) {
  if (table.agents.size() < 2) {
    return usage_error("a leaderboard compares two agents or more; there is {}",
                       table.agents.size());
  }
  const Resamples resamples = resamples_of(table);
  std::vector<Standing> list;
  for (std::size_t i = 0; i < table.agents.size(); ++i) {
    list.push_back(standing_of(table, resamples, i));
  }
  std::stable_sort(list.begin(), list.end(), [](const Standing& a, const Standing& b) {
    return a.rank_score > b.rank_score;
  });
  return list;
}

Expected<ResultTable> read_results(const fs::path& file) {
  ASSIGN_OR_RETURN(const std::string text, read_text_file(file, ErrorKind::kUsage));
  const auto parsed = parse_json(text);
  if (!parsed) return failure("{}: {}", file.string(), parsed.error().message);
  const Json& json = *parsed;
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
        const Json& score = scores.at(environment.id);
        row.push_back(score.is_null() ? std::nullopt : std::optional(score.get<double>()));
      }
    }
  } catch (const nlohmann::json::exception& error) {
    return usage_error("{}: this is no table of results ({})", file.string(), json_fault(error));
  }
  find_random(table);
  return table;
}

Expected<ResultTable> collect_results(const fs::path& folder, bool mixed_cases) {
  ASSIGN_OR_RETURN(const std::vector<ClosedRun> runs, closed_runs(folder));
  if (runs.empty()) {
    return usage_error("{}: no finished run lies there as AGENT/ENVIRONMENT/EXPERIMENT/run.json",
                       folder.string());
  }
  RETURN_IF_ERROR(check_comparable(runs));
  RETURN_IF_ERROR(check_isolated_runs(files_of(runs)));
  const RunsByAgent sorted = sorted_runs(runs);
  std::set<std::string> agents;
  for (const ClosedRun& run : runs) agents.insert(run.agent);
  ResultTable table;
  ASSIGN_OR_RETURN(table.mixed_cases, mixed_environments(sorted, mixed_cases));
  for (const auto& [env, by_agent] : sorted) table.environments.push_back(environment_of(env, ""));
  for (const std::string& agent : agents) {
    table.agents.push_back(agent);
    auto& scores = table.scores.emplace_back();
    auto& returns = table.returns.emplace_back();
    auto& faults = table.faults.emplace_back();
    for (const auto& [env, by_agent] : sorted) {
      const auto found = by_agent.find(agent);
      if (found == by_agent.end()) {
        return usage_error("{}: the agent {} has no finished run of {}", folder.string(), agent,
                           env);
      }
      const bool mixed = std::find(table.mixed_cases.begin(), table.mixed_cases.end(), env) !=
                         table.mixed_cases.end();
      scores.push_back(score_of(found->second));
      returns.push_back(mixed ? std::vector<double>() : returns_by_case(found->second));
      faults.push_back(faults_of(found->second));
    }
  }
  find_random(table);
  return table;
}

std::string leaderboard_text(const ResultTable& table, const std::vector<Standing>& standings) {
  const bool has_intervals = standings.front().rank_interval.has_value();
  const bool has_clear_wins = standings.front().clear_wins.has_value();
  std::string text = fmt::format("{:<22} {:>6}", "agent", "score");
  if (has_intervals) text += fmt::format(" {:>16}", "95 %");
  text += fmt::format(" {:>5} {:>6}", "wins", "top 2");
  if (has_clear_wins) text += fmt::format(" {:>10}", "clear wins");
  if (!table.faults.empty()) text += fmt::format(" {:>6} {:>8}", "faults", "no score");
  if (table.random >= 0) text += fmt::format(" {:>10} {:>7}", "synthesis", "tuning");
  for (const auto& [family, score] : standings.front().family_scores) {
    text += fmt::format("  {}", family);
  }
  text += "\n";
  for (const Standing& each : standings) {
    text += fmt::format("{:<22} {:>6.3f}", each.agent, each.rank_score);
    if (has_intervals) {
      text += fmt::format(" {:>16}", fmt::format("[{:.3f}, {:.3f}]", each.rank_interval->low,
                                                 each.rank_interval->high));
    }
    text += fmt::format(" {:>5} {:>6}", each.wins, each.top_two);
    if (has_clear_wins) text += fmt::format(" {:>10}", *each.clear_wins);
    if (!table.faults.empty()) {
      text += fmt::format(" {:>6} {:>8}", each.faults, each.without_score);
    }
    if (table.random >= 0) text += fmt::format(" {:>10.3f} {:>7.3f}", each.synthesis, each.tuning);
    for (const auto& [family, score] : each.family_scores) {
      text += fmt::format("  {:>{}.3f}", score, family.size());
    }
    text += "\n";
  }
  text += means_text(table) + leaders_text(table);
  if (!table.mixed_cases.empty()) {
    text += fmt::format(
        "\n--mixed-cases: the agents were given different cases in {}; ranks and means there may "
        "be "
        "those of easier cases\n",
        fmt::join(table.mixed_cases, ", "));
  }
  return text;
}

}  // namespace redqueen::arena
