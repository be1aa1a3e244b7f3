// Audits an environment: measures what constants, examples, random answers and simple rules earn in
// it, and what its problems cost to make.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "redqueen/base/json.h"
#include "redqueen/core/environment.h"

namespace redqueen {

// The mean reward of one way of answering.
struct GuessAudit {
  std::string
      rule;  // "empty", "best constant", "example", "random", or the environment's own shortcut
  double mean_reward = 0.0;
  double solved = 0.0;  // share of the problems
};

struct LevelAudit {
  int level = 0;
  int problems = 0;
  int failures = 0;          // of generation
  int distinct = 0;          // different prompts
  double generate_us = 0.0;  // CPU microseconds, median
  double prompt_us = 0.0;
  double score_us = 0.0;  // of the reference
  std::vector<GuessAudit> guesses;

  // Returns the guess that solves most.
  const GuessAudit& worst() const;
};

struct AuditOptions {
  std::vector<int> levels{0, 2, 5, 10, 20};
  int problems = 500;
  double seconds = 5.0;  // a level; slow environments are audited on fewer problems
  AnswerReading reading = AnswerReading::kStrict;
};

// Levels beyond the environment's highest are left out.
std::vector<LevelAudit> audit(const Environment& environment, const AuditOptions& options);

Json to_json(const Environment& environment, const std::vector<LevelAudit>& levels);

// The share of the problems of a level that a guess may solve by the card: all of them up to
// `guess_until_level`, and `guess_bound` beyond.
double allowed_share(const Card& card, int level);

// The objection of the audit to the environment, or "": the rule that solves more than the card
// allows at its level.
std::string objection(const Environment& environment, const std::vector<LevelAudit>& levels);

}  // namespace redqueen
