// Simple rules that a problem should not fall to: one list of them serves generation, which draws
// again, and the audit.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/core/contract.h"

namespace redqueen {

// A way to answer without thinking, and the answer that it gives to one problem.
template <typename Answer>
struct SimpleRule {
  std::string_view rule;
  Answer answer;
};

// True if one of the rules in E::rules(problem) solves it.
template <typename E>
bool some_rule_solves(const typename E::Problem& problem) {
  for (const auto& rule : E::rules(problem)) {
    if (E::score(problem, rule.answer) >= kSolvedReward) return true;
  }
  return false;
}

// True if one of so many random answers solves it.
template <typename E>
bool chance_solves(const typename E::Problem& problem, int tries, Rng& rng) {
  for (int i = 0; i < tries; ++i) {
    if (E::score(problem, E::random_answer(problem, rng)) >= kSolvedReward) return true;
  }
  return false;
}

// The rules as the contract's shortcuts() gives them.
template <typename Answer>
std::vector<NamedAnswer> as_shortcuts(const std::vector<SimpleRule<Answer>>& rules) {
  std::vector<NamedAnswer> named;
  for (const auto& rule : rules) {
    named.push_back({std::string(rule.rule), format_answer(rule.answer)});
  }
  return named;
}

// Calls draw() until accept(problem) holds; throws Retry after so many draws.
template <typename Draw, typename Accept>
auto draw_accepted(int draws, Draw draw, Accept accept) {
  for (int i = 0; i < draws; ++i) {
    auto problem = draw();
    if (accept(problem)) return problem;
  }
  throw Retry();
}

// The first of so many problems that accept(problem) takes, or else the last of them: for draws of
// which some must stay easy, as the smallest are. draws ≥ 1.
template <typename Draw, typename Accept>
auto draw_preferred(int draws, Draw draw, Accept accept) {
  auto problem = draw();
  for (int i = 1; i < draws && !accept(problem); ++i) problem = draw();
  return problem;
}

}  // namespace redqueen
