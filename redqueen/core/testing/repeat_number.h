// The simplest environment that asks once, for tests: repeat a number. Tests that need a variation
// derive from it and hide what differs.
#pragma once

#include "redqueen/core/contract.h"

namespace redqueen {

struct RepeatNumber {
  static constexpr Card card{.name = "RepeatNumber",
                             .family = Family::kArithmetic,
                             .answer = AnswerKind::kInteger,
                             .scoring = Scoring::kExact,
                             .task = "Repeat a number.",
                             .levels = "A digit a level.",
                             .rewards = "-1 malformed, 0 wrong, 1 right.",
                             .max_level = 5};
  struct Config {
    int level = 0;
    REDQUEEN_FIELDS(level)
  };
  struct Problem {
    std::int64_t x = 0;
    REDQUEEN_FIELDS(x)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {level}; }

  // A number of level + 1 digits.
  static Problem generate(const Config& config, Rng& rng) {
    std::int64_t low = 1;
    for (int i = 0; i < config.level; ++i) low *= 10;
    return {rng.integer(low, 10 * low - 1)};
  }

  static Status check(const Problem& problem) {
    if (problem.x < 0) return failure("\"x\": expected a number from 0 on, found {}", problem.x);
    return {};
  }

  static std::string prompt(const Problem& problem) { return fmt::format("Repeat {}", problem.x); }
  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.x);
  }
  static Answer solve(const Problem& problem) { return problem.x; }
  static Answer random_answer(const Problem&, Rng& rng) { return rng.integer(0, 9); }
};

}  // namespace redqueen
