#include "redqueen/gym/common/graph/weighted_matching.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

// The weight of a matching; the test fails if it is none.
std::int64_t weight_of_matching(const std::vector<int>& partner,
                                const std::vector<WeightedEdge>& edges) {
  std::int64_t weight = 0;
  std::size_t matched = 0;
  for (const auto& [u, v, w] : edges) {
    if (partner[u] != v) continue;
    EXPECT_EQ(partner[v], u);
    weight += w;
    matched += 2;
  }
  EXPECT_EQ(matched, partner.size() - std::ranges::count(partner, -1));
  return weight;
}

TEST(HeaviestMatching, AgreesWithATableOverSetsOfVertices) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng({.seed = 1, .purpose = hash_name("matching"), .step = 0, .index = seed, .salt = 0});
    const int n = static_cast<int>(rng.integer(1, 10));
    const double density = rng.real(0.1, 1.0);
    const std::int64_t heaviest = rng.chance(0.5) ? 4 : 1000;
    std::vector<WeightedEdge> edges;
    for (int u = 0; u < n; ++u) {
      for (int v = u + 1; v < n; ++v) {
        if (rng.chance(density)) edges.emplace_back(u, v, rng.integer(1, heaviest));
      }
    }
    std::vector<std::int64_t> best(std::size_t{1} << n);
    for (unsigned set = 1; set < 1u << n; ++set) {
      for (const auto& [u, v, w] : edges) {
        const unsigned ends = 1u << u | 1u << v;
        if ((set & ends) == ends) best[set] = std::max(best[set], best[set & ~ends] + w);
      }
      for (int v = 0; v < n; ++v) {
        if ((set >> v & 1) != 0) best[set] = std::max(best[set], best[set & ~(1u << v)]);
      }
    }
    EXPECT_EQ(weight_of_matching(heaviest_matching(n, edges), edges), best.back());
  }
}

TEST(HeaviestMatching, MatchesManyVertices) {
  Rng rng({.seed = 1, .purpose = hash_name("matching"), .step = 1, .index = 0, .salt = 0});
  std::vector<WeightedEdge> edges;
  for (int u = 0; u < 150; ++u) {
    for (int v = u + 1; v < 150; ++v) {
      // A heavy edge between partners, so that the answer is known, and lighter ones around it.
      const bool partners = u % 2 == 0 && v == u + 1;
      if (partners || rng.chance(0.1))
        edges.emplace_back(u, v, partners ? 100 : rng.integer(1, 99));
    }
  }
  EXPECT_EQ(weight_of_matching(heaviest_matching(150, edges), edges), 7500);
}

}  // namespace
}  // namespace redqueen
