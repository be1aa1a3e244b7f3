// Agents side by side: the paper's rank score (section 4.3), its families, wins, and how far from
// the random policy towards the best result each one came.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen::arena {

// Held-out means, as they are: scores[agent][environment].
struct ResultTable {
  struct Environment {
    std::string id;
    std::string family;
    bool is_synthesis = false;
  };
  std::vector<Environment> environments;
  std::vector<std::string> agents;
  std::vector<std::vector<double>> scores;
  int random = -1;  // the agent that is the random policy; −1: there is none
};

struct Standing {
  std::string agent;
  // Mean over the environments of 1 − (rank − 1)/(N − 1); equal means share the better rank, and N
  // counts the random policy.
  double rank_score = 0;
  std::map<std::string, double> family_scores;
  int wins = 0;     // environments with rank 1
  int top_two = 0;  // with rank 1 or 2
  // Means of (score − random)/(best − random), none below 0; absent without a random policy.
  double synthesis = 0;
  double tuning = 0;
};

// Returns the standings in the order of rank scores. Fails for fewer than two agents.
Expected<std::vector<Standing>> standings(const ResultTable& table);

// (score − random)/(best − random) of one agent in one environment; 0 where the best is no better.
double random_to_best(const ResultTable& table, std::size_t agent, std::size_t environment);

// Reads a file {"environments": [{"id", "family"}], "entries": {agent: {id: score}}}; the agent
// called Baseline, random or Random is the random policy. Environments of Core16 take the paper's
// families.
Expected<ResultTable> read_results(const std::filesystem::path& file);

// Reads finished runs, each FOLDER/AGENT/ENVIRONMENT/EXPERIMENT/run.json: the mean over an agent's
// experiments. Fails, naming the runs, where agents lack environments that others have, where runs
// of one environment have other versions of it, and where published cases meet drawn ones.
Expected<ResultTable> collect_results(const std::filesystem::path& folder);

// The table as text for people.
std::string leaderboard_text(const ResultTable& table, const std::vector<Standing>& standings);

}  // namespace redqueen::arena
