// Hardens problems of environments whose simple rules solve nearly every draw: changes a drawn
// problem step by step until no rule solves it, or a planted one as long as none does. Elsewhere it
// is quicker to draw again (rules.h, lazy_rules.h), because a neighbour of an easy problem is
// mostly easy as well.
#pragma once

#include <limits>
#include <utility>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {

// Counts the rules in E::rules(problem) that solve it; counting may stop beyond `enough`.
template <typename E>
int solving_rules(const typename E::Problem& problem,
                  int enough = std::numeric_limits<int>::max()) {
  int solving = 0;
  for (const auto& rule : E::rules(problem)) {
    solving += E::score(problem, rule.answer) >= kSolvedReward ? 1 : 0;
    if (solving > enough) break;
  }
  return solving;
}

// Stands for a problem that cannot be hardened: no count of rules is as great.
inline constexpr int kHopelesslyEasy = 1'000'000;

// A drawn problem in as many small changes as it takes, of at most `steps`, until no easy way
// solves it. ways(problem, enough) counts easy ways, exactly up to `enough`; change(problem) makes
// a neighbour of it in place, which takes its place unless more ways solve it. After `draws`
// problems that could not be hardened, throws Retry.
template <typename Draw, typename Change, typename Ways>
auto draw_hardened(int draws, int steps, Draw draw, Change change, Ways ways) {
  for (int i = 0; i < draws; ++i) {
    auto problem = draw();
    int left = ways(problem, kHopelesslyEasy);
    for (int step = 0; step < steps && left > 0; ++step) {
      auto neighbour = problem;
      change(neighbour);
      const int solving = ways(neighbour, left);
      if (solving > left) continue;
      problem = std::move(neighbour);
      left = solving;
    }
    if (left == 0) return problem;
  }
  throw Retry();
}

// A problem that is hard by its making, in `steps` small changes that leave it so: what was planted
// is soon hard to see. change(problem) makes a neighbour of it in place, which takes its place
// unless is_easy(neighbour).
template <typename Problem, typename Change, typename IsEasy>
Problem vary_hard(Problem problem, int steps, Change change, IsEasy is_easy) {
  for (int step = 0; step < steps; ++step) {
    Problem neighbour = problem;
    change(neighbour);
    if (!is_easy(neighbour)) problem = std::move(neighbour);
  }
  return problem;
}

}  // namespace redqueen
