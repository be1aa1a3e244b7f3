#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Whether a walk of exactly `length` edges leads from u to v, edge by edge.
bool walk_leads(const std::vector<List>& edges, std::int64_t u, std::int64_t v, int length,
                std::size_t n) {
  std::vector<char> at(n);
  at[u] = 1;
  for (int step = 0; step < length; ++step) {
    std::vector<char> next(n);
    for (const List& edge : edges) next[edge[1]] |= at[edge[0]];
    at = next;
  }
  return at[v] != 0;
}

TEST(PowerShortcut, PaysEachShortSequenceByTheShortest) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = make_problem("PowerShortcut", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto n = parameter["N"].get<std::size_t>();
    std::vector<std::vector<char>> jump(n, std::vector<char>(n));
    for (std::size_t u = 0; u < n; ++u) {
      for (std::size_t v = 0; v < n; ++v) {
        for (int k = 0; k <= parameter["K"].get<int>(); ++k) {
          jump[u][v] |= walk_leads(edges, static_cast<std::int64_t>(u),
                                   static_cast<std::int64_t>(v), 1 << k, n);
        }
      }
    }
    // All sequences of up to four vertices.
    const auto last = static_cast<std::int64_t>(n) - 1;
    std::vector<List> level{{0}};
    std::size_t shortest = 0;
    std::vector<List> complete;
    for (int size = 2; size <= 4; ++size) {
      std::vector<List> longer;
      for (const List& sequence : level) {
        for (std::int64_t v = 0; v <= last; ++v) {
          if (jump[sequence.back()][v] == 0) continue;
          longer.push_back(sequence);
          longer.back().push_back(v);
          if (v == last) complete.push_back(longer.back());
        }
      }
      if (shortest == 0 && !complete.empty()) shortest = complete.front().size();
      level = longer;
    }
    for (const List& sequence : complete) {
      const double share = static_cast<double>(shortest) / static_cast<double>(sequence.size());
      EXPECT_NEAR(problem->score(format_answer(sequence)).reward, std::pow(share, 5), 1e-9);
    }
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
}

TEST(PowerShortcut, JumpsPowersOfTwo) {
  const auto problem = restore_problem(
      "PowerShortcut",
      R"({"N": 5, "K": 1, "edges": [[0, 1], [1, 2], [2, 3], [3, 4], [3, 2]], "gold_answer": 3})");
  EXPECT_TRUE(problem->score("0 2 4").solved);
  EXPECT_NEAR(problem->score("0 2 2 4").reward, std::pow(0.75, 5), 1e-12);
  EXPECT_EQ(problem->score("0 1 4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2 4").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("").well_formed);
}

}  // namespace
}  // namespace redqueen
