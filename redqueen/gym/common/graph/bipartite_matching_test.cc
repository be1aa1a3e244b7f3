#include "redqueen/gym/common/graph/bipartite_matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

using Graph = std::vector<std::vector<int>>;

int largest_by_trying(const Graph& graph, std::size_t left, unsigned taken) {
  if (left == graph.size()) return std::popcount(taken);
  int most = largest_by_trying(graph, left + 1, taken);
  for (const int right : graph[left]) {
    if ((taken >> right & 1) == 0) {
      most = std::max(most, largest_by_trying(graph, left + 1, taken | 1u << right));
    }
  }
  return most;
}

TEST(BipartiteMatching, AgreesWithTryingAllMatchings) {
  Rng rng({.purpose = hash_name("bipartite matching")});
  for (int round = 0; round < 300; ++round) {
    const int rights = static_cast<int>(rng.integer(1, 6));
    Graph graph(static_cast<std::size_t>(rng.integer(1, 6)));
    for (auto& neighbours : graph) {
      for (int right = 0; right < rights; ++right) {
        if (rng.chance(0.35)) neighbours.push_back(right);
      }
    }
    const BipartiteMatching matching(graph, rights);
    EXPECT_EQ(matching.size(), largest_by_trying(graph, 0, 0));
    std::set<int> used;
    for (std::size_t left = 0; left < graph.size(); ++left) {
      const int right = matching.partners()[left];
      if (right == BipartiteMatching::kNone) continue;
      EXPECT_TRUE(std::ranges::count(graph[left], right) == 1 && used.insert(right).second);
    }
    EXPECT_EQ(static_cast<int>(used.size()), matching.size());
  }
}

}  // namespace
}  // namespace redqueen
