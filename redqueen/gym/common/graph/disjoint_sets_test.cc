#include "redqueen/gym/common/graph/disjoint_sets.h"

#include <gtest/gtest.h>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

TEST(DisjointSets, JoinsAsRelabellingDoes) {
  Rng rng({.seed = 1, .purpose = hash_name("disjoint sets"), .step = 0, .index = 0, .salt = 0});
  for (int round = 0; round < 50; ++round) {
    const int n = static_cast<int>(rng.integer(1, 20));
    DisjointSets sets(n);
    std::vector<int> label(static_cast<std::size_t>(n));
    for (int v = 0; v < n; ++v) label[v] = v;
    int count = n;
    for (int i = 0; i < n; ++i) {
      const int u = static_cast<int>(rng.integer(0, n - 1));
      const int v = static_cast<int>(rng.integer(0, n - 1));
      const int from = label[u];
      EXPECT_EQ(sets.join(u, v), from != label[v]);
      count -= from != label[v];
      for (int& l : label) {
        if (l == from) l = label[v];
      }
      EXPECT_EQ(sets.sets(), count);
    }
    for (int u = 0; u < n; ++u) {
      for (int v = 0; v < n; ++v) {
        EXPECT_EQ(sets.find(u) == sets.find(v), label[u] == label[v]);
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
