#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Edges = std::vector<std::pair<int, int>>;

// Every choice of edges to add, and of edges of the tree to use twice: a walk exists if each vertex
// then has an even number of ends, for the graph is connected.
int shortest(int n, const Edges& edges, int added, std::vector<int>& odd, int from = 0) {
  if (added > 0) {
    int best = 3 * n;
    for (int pair = from; pair < n * n; ++pair) {
      const int u = pair / n;
      const int v = pair % n;
      if (u > v) continue;
      odd[u] ^= 1;
      odd[v] ^= 1;
      best = std::min(best, 1 + shortest(n, edges, added - 1, odd, pair));
      odd[u] ^= 1;
      odd[v] ^= 1;
    }
    return best;
  }
  int best = 3 * n;
  for (unsigned doubled = 0; doubled < 1U << edges.size(); ++doubled) {
    std::vector<int> ends = odd;
    int steps = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const int times = (doubled >> i & 1) != 0 ? 2 : 1;
      steps += times;
      ends[edges[i].first - 1] ^= times & 1;
      ends[edges[i].second - 1] ^= times & 1;
    }
    if (std::ranges::count(ends, 0) == n) best = std::min(best, steps);
  }
  return best;
}

TEST(Patrol, AgreesWithAllWaysToAddEdges) {
  std::set<int> seen;
  for (int level = 0; level <= 4; ++level) {
    for (std::uint64_t seed = 0; seed < (level < 4 ? 20 : 5); ++seed) {
      const auto problem = make_problem("Patrol", level, seed);
      const Json parameter = problem->parameter();
      const int n = parameter["N"];
      std::vector<int> odd(static_cast<std::size_t>(n));
      EXPECT_EQ(problem->reference(),
                std::to_string(shortest(n, parameter["edges"].get<Edges>(), parameter["K"], odd)))
          << problem->prompt();
      seen.insert(parameter["K"].get<int>());
    }
  }
  EXPECT_EQ(seen, (std::set<int>{1, 2}));
}

}  // namespace
}  // namespace redqueen
