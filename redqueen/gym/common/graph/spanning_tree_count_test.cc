#include "redqueen/gym/common/graph/spanning_tree_count.h"

#include <gtest/gtest.h>

#include "redqueen/gym/common/graph/tree.h"

namespace redqueen {
namespace {

TEST(CountSpanningTrees, CountsWhatTryingAllSetsCounts) {
  Rng rng({.seed = 1, .purpose = hash_name("spanning trees"), .step = 0, .index = 0, .salt = 0});
  for (int round = 0; round < 100; ++round) {
    const int n = static_cast<int>(rng.integer(1, 6));
    const std::int64_t modulus = rng.integer(1, 100);
    std::vector<Edge> edges;
    for (std::int64_t i = rng.integer(0, 10); i > 0; --i) {
      edges.emplace_back(rng.integer(0, n - 1), rng.integer(0, n - 1));
    }
    std::int64_t trees = 0;
    for (unsigned set = 0; set < 1u << edges.size(); ++set) {
      std::vector<Edge> chosen;
      for (std::size_t i = 0; i < edges.size(); ++i) {
        if ((set >> i & 1) != 0) chosen.push_back(edges[i]);
      }
      trees += root_tree(n, chosen, 0).has_value();
    }
    EXPECT_EQ(count_spanning_trees(n, edges, modulus), trees % modulus);
  }
}

TEST(CountSpanningTrees, KnowsCompleteGraphs) {
  std::vector<Edge> edges;
  for (int a = 0; a < 12; ++a) {
    for (int b = 0; b < a; ++b) edges.emplace_back(a, b);
  }
  EXPECT_EQ(count_spanning_trees(12, edges, std::int64_t{1} << 62), 61'917'364'224);  // 12^10
}

}  // namespace
}  // namespace redqueen
