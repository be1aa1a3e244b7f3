#include "redqueen/gym/common/graph/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace redqueen {
namespace {

Rng test_rng(std::uint64_t index) {
  return Rng({.seed = 1, .purpose = hash_name("tree"), .step = 0, .index = index, .salt = 0});
}

// Whether `above` is v or one of its ancestors.
bool is_above(const RootedTree& tree, int above, int v) {
  while (v != -1 && v != above) v = tree.parent[v];
  return v == above;
}

TEST(RootTree, PutsParentsFirstAndCountsWhatIsBelow) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng = test_rng(seed);
    const int n = static_cast<int>(rng.integer(1, 20));
    const int root = static_cast<int>(rng.integer(0, n - 1));
    std::vector<Edge> edges = random_recursive_tree(rng.permutation(n), rng);
    rng.shuffle(edges);
    const auto tree = root_tree(n, edges, root);
    ASSERT_TRUE(tree.has_value());
    EXPECT_EQ(tree->order.front(), root);
    const auto sizes = subtree_sizes(*tree);
    std::vector<char> seen(static_cast<std::size_t>(n));
    for (const int v : tree->order) {
      seen[v] = 1;
      int below = 0;
      for (int w = 0; w < n; ++w) below += is_above(*tree, v, w);
      EXPECT_EQ(sizes[v], below);
      if (v == root) continue;
      EXPECT_TRUE(seen[tree->parent[v]]);
      const auto [a, b] = edges[tree->edge[v]];
      EXPECT_EQ(std::minmax(a, b), std::minmax(v, tree->parent[v]));
    }
  }
}

// Against joining components one edge after another.
TEST(RootTree, RefusesWhatIsNotATree) {
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng = test_rng(seed);
    const int n = static_cast<int>(rng.integer(2, 5));
    std::vector<Edge> edges;
    for (int i = 1; i < n; ++i) {
      const int a = static_cast<int>(rng.integer(0, n - 1));
      const int b = static_cast<int>(rng.integer(0, n - 1));
      edges.emplace_back(a, b);
    }
    std::vector<int> component(static_cast<std::size_t>(n));
    for (int v = 0; v < n; ++v) component[v] = v;
    bool is_tree = true;
    for (const auto& [a, b] : edges) {
      is_tree = is_tree && component[a] != component[b];
      const int old = component[b];
      for (int& c : component) c = c == old ? component[a] : c;
    }
    EXPECT_EQ(root_tree(n, edges, 0).has_value(), is_tree);
    refused += !is_tree;
  }
  EXPECT_GT(refused, 100);
  EXPECT_FALSE(root_tree(0, {}, 0).has_value());
  EXPECT_FALSE(root_tree(2, std::vector<Edge>{{0, 2}}, 0).has_value());
  EXPECT_FALSE(root_tree(2, std::vector<Edge>{{0, 1}}, 2).has_value());
  EXPECT_TRUE(root_tree(1, {}, 0).has_value());
}

// The longest distance from the root, in edges.
int depth_of(const RootedTree& tree) {
  std::vector<int> depth(tree.order.size());
  for (std::size_t i = 1; i < tree.order.size(); ++i) {
    depth[tree.order[i]] = depth[tree.parent[tree.order[i]]] + 1;
  }
  return std::ranges::max(depth);
}

TEST(RandomShapedTree, IsLongOrBushyOrNeither) {
  constexpr int kVertices = 40;
  int deep = 0;
  int shallow = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng = test_rng(seed);
    const std::vector<int> order = rng.permutation(kVertices);
    const auto edges = random_shaped_tree(order, rng);
    const auto tree = root_tree(kVertices, edges, order.front());
    ASSERT_TRUE(tree.has_value());
    deep += depth_of(*tree) > 15;
    shallow += depth_of(*tree) < 5;
  }
  EXPECT_GT(deep, 30);
  EXPECT_GT(shallow, 30);
  Rng rng = test_rng(0);
  EXPECT_TRUE(random_shaped_tree(std::vector<int>{0}, rng).empty());
}

TEST(WeighEdges, KeepsTheTreeAndDrawsWeightsInRange) {
  Rng rng = test_rng(0);
  const auto tree = random_recursive_tree(rng.permutation(30), rng);
  const auto weighted = weigh_edges(tree, 2, 4, rng);
  std::vector<int> frequency(5);
  for (const auto& [a, b, weight] : weighted) {
    EXPECT_LT(a, b);
    ASSERT_TRUE(weight >= 2 && weight <= 4);
    ++frequency[weight];
  }
  for (const int weight : {2, 3, 4}) EXPECT_GT(frequency[weight], 0);
  EXPECT_TRUE(root_tree(30, ends_of(weighted), 0).has_value());
}

TEST(CheckTree, TakesLabelsFromAnyFirst) {
  const std::vector<Edge> edges{{1, 2}, {2, 3}};
  EXPECT_TRUE(check_tree(3, edges, 1).has_value());
  EXPECT_FALSE(check_tree(3, edges, 0).has_value());
  EXPECT_TRUE(check_tree(3, relabelled(edges, -1)).has_value());
  EXPECT_FALSE(check_tree(4, edges, 1).has_value());
  EXPECT_FALSE(check_tree(3, edges, 1, 4).has_value());
  EXPECT_FALSE(check_tree(3, edges, 1, 2, 2).has_value());
  constexpr int kLowest = std::numeric_limits<int>::min();
  EXPECT_FALSE(check_tree(2, std::vector<Edge>{{kLowest, 2}}, 1).has_value());
}

}  // namespace
}  // namespace redqueen
