#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Over all sets S but none and all.
int divisions(int n, const std::vector<std::pair<int, int>>& edges) {
  int count = 0;
  for (int s = 1; s + 1 < 1 << n; ++s) {
    int inside = 0;
    int outside = 0;
    int size = 0;
    for (int v = 0; v < n; ++v) size += s >> v & 1;
    for (const auto& [u, v] : edges) {
      inside += (s >> u & 1) == 1 && (s >> v & 1) == 1;
      outside += (s >> u & 1) == 0 && (s >> v & 1) == 0;
    }
    count += outside == 0 && inside == size * (size - 1) / 2;
  }
  return count;
}

TEST(Clique_IndependentSet_Partitioning_Counting, AgreesWithAllSetsOnAllSmallGraphs) {
  for (int n = 2; n <= 5; ++n) {
    std::vector<std::pair<int, int>> pairs;
    for (int u = 0; u < n; ++u) {
      for (int v = u + 1; v < n; ++v) pairs.emplace_back(u, v);
    }
    for (unsigned graph = 0; graph < 1u << pairs.size(); ++graph) {
      std::vector<std::pair<int, int>> edges;
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        if ((graph >> i & 1) != 0) edges.push_back(pairs[i]);
      }
      const Json parameter{{"N", n}, {"edges", edges}, {"reference_answer", divisions(n, edges)}};
      restore_problem("Clique_IndependentSet_Partitioning_Counting", parameter.dump());
    }
  }
}

TEST(Clique_IndependentSet_Partitioning_Counting, AgreesWithAllSetsAndSpreadsItsCounts) {
  std::map<int, int> counts;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto problem = make_problem("Clique_IndependentSet_Partitioning_Counting", 7, seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<std::pair<int, int>>>();
    const int count = parameter["reference_answer"].get<int>();
    EXPECT_EQ(count, divisions(parameter["N"].get<int>(), edges));
    ++counts[count];
  }
  EXPECT_GE(counts.size(), 8u);
  for (const auto& [count, times] : counts) EXPECT_LT(times, 90) << count;
}

}  // namespace
}  // namespace redqueen
