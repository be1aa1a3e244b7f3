#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Marks what is at most `left` edges from `v`.
void spread(const std::vector<List>& edges, std::int64_t v, std::int64_t left, unsigned& reached) {
  reached |= 1u << v;
  if (left == 0) return;
  for (const List& edge : edges) {
    if (edge[0] == v || edge[1] == v) spread(edges, edge[0] + edge[1] - v, left - 1, reached);
  }
}

// The fewest extinguishers that serve the vertices of `left`: each serves any S of those near it.
struct Cover {
  std::vector<unsigned> near;
  int capacity;
  std::vector<int> known;

  int fewest(unsigned left) {
    if (left == 0) return 0;
    int& best = known[left];
    if (best >= 0) return best;
    best = std::popcount(left);
    const unsigned lowest = left & -left;
    for (const unsigned ball : near) {
      if ((ball & lowest) == 0) continue;
      const unsigned others = ball & left & ~lowest;
      for (unsigned part = others;; part = (part - 1) & others) {
        if (std::popcount(part) < capacity) {
          best = std::min(best, 1 + fewest(left & ~(part | lowest)));
        }
        if (part == 0) break;
      }
    }
    return best;
  }
};

TEST(GasFireExtinguishers, NeedsAsFewAsAnyAssignment) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("GasFireExtinguishers", static_cast<int>(seed % 10), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto n = parameter["N"].get<int>();
    Cover cover{std::vector<unsigned>(n), parameter["S"].get<int>(), std::vector<int>(1 << n, -1)};
    for (int v = 0; v < n; ++v) {
      spread(edges, v, parameter["K"].get<std::int64_t>(), cover.near[v]);
    }
    EXPECT_EQ(parameter["gold_answer"], cover.fewest((1u << n) - 1)) << problem->prompt();
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
}

TEST(GasFireExtinguishers, PaysByTheNumber) {
  const auto problem = restore_problem(
      "GasFireExtinguishers",
      R"({"N": 4, "edges": [[0, 1], [1, 2], [2, 3]], "K": 1, "S": 2, "gold_answer": 2})");
  EXPECT_TRUE(problem->score("0 0 3 3").solved);
  EXPECT_DOUBLE_EQ(problem->score("1 1 1 3").reward, std::pow(2.0 / 3.0, 3));
  EXPECT_DOUBLE_EQ(problem->score("0 1 2 3").reward, 0.125);
  EXPECT_EQ(problem->score("0 0 3 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 0 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 0 3 4").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
