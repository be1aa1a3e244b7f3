#include <algorithm>
#include <bit>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::int64_t most_edges(int n) {
  const auto problem =
      restore_problem("MostNumEdge_NonSelfIsomorphism", fmt::format(R"({{"N": {}}})", n));
  return std::stoll(problem->reference());
}

// Over all graphs and all permutations.
std::int64_t most_edges_of_all(int n) {
  std::vector<std::pair<int, int>> pairs;
  std::vector<std::vector<int>> place(n, std::vector<int>(n));
  for (int u = 0; u < n; ++u) {
    for (int v = u + 1; v < n; ++v) {
      place[u][v] = place[v][u] = static_cast<int>(pairs.size());
      pairs.emplace_back(u, v);
    }
  }
  std::vector<std::vector<int>> moves;  // of pairs
  std::vector<int> p(n);
  std::iota(p.begin(), p.end(), 0);
  while (std::ranges::next_permutation(p).found) {
    std::vector<int>& move = moves.emplace_back();
    for (const auto& [u, v] : pairs) move.push_back(place[p[u]][p[v]]);
  }
  std::int64_t most = 0;
  for (unsigned graph = 0; graph < 1u << pairs.size(); ++graph) {
    if (std::popcount(graph) <= most) continue;
    const bool asymmetric = std::ranges::none_of(moves, [&](const std::vector<int>& move) {
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        if ((graph >> i & 1) != (graph >> move[i] & 1)) return false;
      }
      return true;
    });
    if (asymmetric) most = std::popcount(graph);
  }
  return most;
}

TEST(MostNumEdge_NonSelfIsomorphism, AgreesWithAllGraphsOnSixVertices) {
  EXPECT_EQ(most_edges(6), most_edges_of_all(6));
}

// Asymmetric rooted trees: a root and a set of different asymmetric rooted trees. A tree has one
// class of roots more than of edges, or as many if an edge joins two equal halves; asymmetric trees
// have no such edge, so that of n vertices there are R(n) − Σ_{i<j, i+j=n} R(i) R(j) − C(R(n/2), 2)
// − R(n/2) of them, where the last term takes away the trees of two equal halves.
TEST(MostNumEdge_NonSelfIsomorphism, HasAsManyTreesAsThereAre) {
  constexpr int kSizes = 17;
  std::vector<std::int64_t> rooted(kSizes);
  std::vector<std::int64_t> forests(kSizes);  // sets of different rooted trees, by their vertices
  forests[0] = 1;
  for (int size = 1; size < kSizes; ++size) {
    rooted[size] = forests[size - 1];
    for (std::int64_t tree = 0; tree < rooted[size]; ++tree) {
      for (int total = kSizes - 1; total >= size; --total) forests[total] += forests[total - size];
    }
  }
  std::vector<std::int64_t> trees(kSizes);
  for (int n = 1; n < kSizes; ++n) {
    trees[n] = rooted[n];
    for (int i = 1; 2 * i < n; ++i) trees[n] -= rooted[i] * rooted[n - i];
    if (n % 2 == 0) trees[n] -= rooted[n / 2] * (rooted[n / 2] + 1) / 2;
  }
  // The most trees that have at most n vertices together, small ones first.
  for (const int n : {7, 8, 9, 14, 16, 25, 100, 999, 5000}) {
    std::int64_t left = n;
    std::int64_t count = 0;
    for (int size = 1; size < kSizes; ++size) {
      for (std::int64_t tree = 0; tree < trees[size] && left >= size; ++tree) {
        left -= size;
        ++count;
      }
    }
    EXPECT_EQ(most_edges(n), std::int64_t{n} * (n - 1) / 2 - n + count);
  }
}

TEST(MostNumEdge_NonSelfIsomorphism, KnowsTheValuesOfSmallGraphs) {
  const std::vector<std::int64_t> values{15, 22, 29, 37, 46, 56, 67, 79, 92, 107};
  for (int n = 7; n <= 16; ++n) EXPECT_EQ(most_edges(n), values[n - 7]);
}

}  // namespace
}  // namespace redqueen
