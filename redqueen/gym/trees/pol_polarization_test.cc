#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Edges = std::vector<std::pair<int, int>>;

// Pairs joined by a directed path, where the bits of `flipped` turn edges round.
int pairs(int n, const Edges& edges, unsigned flipped) {
  std::vector<unsigned> reach(n);
  for (int v = 0; v < n; ++v) reach[v] = 1U << v;
  for (int round = 0; round < n; ++round) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      auto [from, to] = edges[i];
      if ((flipped >> i & 1) != 0) std::swap(from, to);
      reach[from] |= reach[to];
    }
  }
  int count = -n;
  for (const unsigned set : reach) count += std::popcount(set);
  return count;
}

TEST(POLPolarization, AgreesWithAllDirections) {
  for (int level = 0; level <= 6; ++level) {
    for (std::uint64_t seed = 0; seed < 15; ++seed) {
      const auto problem = make_problem("POLPolarization", level, seed);
      const Json parameter = problem->parameter();
      const auto edges = parameter["edges"].get<Edges>();
      int best = 0;
      for (unsigned flipped = 0; flipped < 1U << edges.size(); ++flipped) {
        best = std::max(best, pairs(parameter["N"], edges, flipped));
      }
      EXPECT_EQ(problem->reference(), std::to_string(best)) << problem->prompt();
    }
  }
}

}  // namespace
}  // namespace redqueen
