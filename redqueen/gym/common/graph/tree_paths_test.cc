#include "redqueen/gym/common/graph/tree_paths.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace redqueen {
namespace {

// Distances between all pairs, by relaxing until nothing changes.
std::vector<std::vector<std::int64_t>> all_distances(int n, std::span<const WeightedEdge> edges) {
  constexpr std::int64_t kFar = 1'000'000;
  const auto size = static_cast<std::size_t>(n);
  std::vector<std::vector<std::int64_t>> distance(size, std::vector<std::int64_t>(size, kFar));
  for (int v = 0; v < n; ++v) distance[v][v] = 0;
  for (const auto& [a, b, weight] : edges) distance[a][b] = distance[b][a] = weight;
  for (int middle = 0; middle < n; ++middle) {
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) {
        distance[a][b] = std::min(distance[a][b], distance[a][middle] + distance[middle][b]);
      }
    }
  }
  return distance;
}

void expect_longest(const std::vector<int>& path, std::span<const WeightedEdge> edges,
                    const std::vector<std::vector<std::int64_t>>& distance) {
  std::int64_t longest = 0;
  for (const auto& row : distance) longest = std::max(longest, std::ranges::max(row));
  std::int64_t length = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const auto step = std::ranges::find_if(edges, [&](const WeightedEdge& edge) {
      return std::minmax(std::get<0>(edge), std::get<1>(edge)) == std::minmax(path[i - 1], path[i]);
    });
    ASSERT_NE(step, edges.end());
    length += std::get<2>(*step);
  }
  EXPECT_EQ(length, longest);
  EXPECT_EQ(distance[path.front()][path.back()], longest);
}

TEST(TreePaths, AgreeWithDistancesBetweenAllPairs) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng({.seed = 1, .purpose = hash_name("tree paths"), .step = 0, .index = seed, .salt = 0});
    const int n = static_cast<int>(rng.integer(1, 12));
    const auto edges = weigh_edges(random_shaped_tree(rng.permutation(n), rng), 0, 5, rng);
    const auto ends = ends_of(edges);
    std::vector<WeightedEdge> units;
    for (const auto& [a, b] : ends) units.emplace_back(a, b, 1);
    const auto weighted = all_distances(n, edges);
    const auto plain = all_distances(n, units);
    const int root = static_cast<int>(rng.integer(0, n - 1));
    const RootedTree tree = *root_tree(n, ends, root);
    EXPECT_EQ(depths(tree, edges), weighted[root]);
    const auto depth = depths(tree);
    EXPECT_EQ(std::vector<std::int64_t>(depth.begin(), depth.end()), plain[root]);
    for (int v = 0; v < n; ++v) {
      EXPECT_EQ(std::ssize(path_to_root(tree, v)), depth[v] + 1);
      EXPECT_EQ(degrees(n, ends)[v], std::ranges::count(plain[v], 1));
    }
    const std::vector<std::int64_t> sources = rng.sample(0, n - 1, 1 + rng.below(n));
    const auto pairs = tree_distances(tree);
    const auto nearest = distances_to_nearest(tree, sources);
    for (int v = 0; v < n; ++v) {
      EXPECT_EQ(std::vector<std::int64_t>(pairs[v].begin(), pairs[v].end()), plain[v]);
      std::int64_t least = n;
      for (const std::int64_t source : sources) least = std::min(least, plain[v][source]);
      EXPECT_EQ(nearest[v], least);
    }
    expect_longest(longest_path(n, edges), edges, weighted);
    expect_longest(longest_path(n, ends), units, plain);
  }
}

}  // namespace
}  // namespace redqueen
