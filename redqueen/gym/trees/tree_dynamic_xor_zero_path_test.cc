#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

struct Forest {
  std::vector<std::array<int, 3>> edges;
  std::vector<char> is_there;

  // Walks from `at` without turning back: the vertices above `start` that it reaches with XOR 0.
  int zeros(int start, int at, int from, int value) const {
    int count = at > start && value == 0 ? 1 : 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const auto& [u, v, weight] = edges[i];
      if (is_there[i] == 0 || (u != at && v != at)) continue;
      const int next = u + v - at;
      if (next != from) count += zeros(start, next, at, value ^ weight);
    }
    return count;
  }
};

TEST(TreeDynamicXORZeroPath, AgreesWithWalksFromAllVertices) {
  for (const int level : {0, 1, 2, 3, 5, 8, 12}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto problem = make_problem("TreeDynamic_XORZeroPath", level, seed);
      const Json parameter = problem->parameter();
      Forest forest{.edges = parameter["edges"], .is_there = {}};
      forest.is_there.assign(forest.edges.size(), 1);
      const int n = parameter["N"];
      std::vector<int> counts;
      for (std::size_t i = 0; i <= forest.edges.size(); ++i) {
        if (i > 0) forest.is_there[parameter["removes"][i - 1].get<std::size_t>()] = 0;
        counts.push_back(0);
        for (int v = 0; v < n; ++v) counts.back() += forest.zeros(v, v, -1, 0);
      }
      EXPECT_EQ(problem->reference(), format_answer(counts)) << problem->prompt();
      EXPECT_LE(2 * std::ranges::count(counts, 0), n + 1);
    }
  }
}

}  // namespace
}  // namespace redqueen
