// Agents side by side: the paper's rank score (section 4.3), its families, wins, and how far from
// the random policy towards the best result each one came; and what of it the cases bear out, by
// differences case by case.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/run/report/statistics.h"

namespace redqueen::arena {

// Held-out means, as they are: scores[agent][environment]. None: the agent has no score there, for
// none of its submissions was sound or its held-out episodes failed.
struct ResultTable {
  struct Environment {
    std::string id;
    std::string family;
    bool is_synthesis = false;
  };
  std::vector<Environment> environments;
  std::vector<std::string> agents;
  std::vector<std::vector<std::optional<double>>> scores;
  int random = -1;  // the agent that is the random policy; −1: there is none
  // Held-out returns case by case, the mean over an agent's experiments:
  // returns[agent][environment],
  // all agents in the same order of cases. Empty where they are not known, or cases differ.
  std::vector<std::vector<std::vector<double>>> returns = {};
  // Held-out episodes in which the policy failed: faults[agent][environment]; may be empty.
  std::vector<std::vector<std::int64_t>> faults = {};
  std::vector<std::string> mixed_cases = {};  // environments whose runs have different cases
};

// The mean difference of two agents over the same held-out cases of one environment. The interval
// has 95 %: percentiles of the bootstrap over cases, 2,000 resamples that are the same every time.
struct PairedDifference {
  std::string env;
  std::string first;
  std::string second;
  std::size_t cases = 0;
  double mean = 0;  // first − second
  run::Interval interval;
};

// Fewer cases than this bear no interval.
inline constexpr std::size_t kLeastPairedCases = 8;

struct Standing {
  std::string agent;
  // Mean over the environments of 1 − (rank − 1)/(N − 1); equal means share the better rank, and N
  // counts the random policy. Without a score the rank is the last: 0.
  double rank_score = 0;
  // 95 % of the rank scores that resampled cases give; absent unless every environment has cases.
  std::optional<run::Interval> rank_interval;
  std::map<std::string, double> family_scores;
  int wins = 0;     // environments with rank 1: the paper's rule
  int top_two = 0;  // with rank 1 or 2
  // Environments where the paired difference to every other agent lies above 0 with its whole
  // interval; an agent without a score is beaten by every one that has one. Absent: no environment
  // has paired cases.
  std::optional<int> clear_wins;
  int without_score = 0;    // environments
  std::int64_t faults = 0;  // held-out episodes in which its policies failed
  // Means of (score − random)/(best − random), none below 0; absent without a random policy.
  double synthesis = 0;
  double tuning = 0;
};

// Returns the differences of all pairs, environment by environment, each pair once in the order of
// the table.
std::vector<PairedDifference> paired_differences(const ResultTable& table);

// Returns the standings in the order of rank scores. Fails for fewer than two agents.
Expected<std::vector<Standing>> standings(const ResultTable& table);

// (score − random)/(best − random) of one agent in one environment; 0 where the best is no better,
// and without a score.
double random_to_best(const ResultTable& table, std::size_t agent, std::size_t environment);

// Reads a file {"environments": [{"id", "family"}], "entries": {agent: {id: score}}}; the agent
// called Baseline, random or Random is the random policy. Environments of Core16 take the paper's
// families.
Expected<ResultTable> read_results(const std::filesystem::path& file);

// Reads finished runs, each FOLDER/AGENT/ENVIRONMENT/EXPERIMENT/run.json: the mean over an agent's
// experiments; one without a score leaves the agent without one in that environment, for the
// others'
// mean would be that of its successes. Fails, naming the runs, where agents lack environments that
// others have, where runs of one environment have other versions or rules, and where agents were
// not
// given the same cases. `mixed_cases` takes the last as it is: the table names those environments.
Expected<ResultTable> collect_results(const std::filesystem::path& folder,
                                      bool mixed_cases = false);

// The table as text for people: standings, raw means, and how each environment's best stands
// against the next.
std::string leaderboard_text(const ResultTable& table, const std::vector<Standing>& standings);

}  // namespace redqueen::arena
