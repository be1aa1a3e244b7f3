#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Sets of edges that form one cycle: every vertex has none or two of them, and from one of them all
// are reached.
std::int64_t cycles_among_sets(int n, const std::vector<List>& edges) {
  std::int64_t cycles = 0;
  for (unsigned set = 1; set < 1u << edges.size(); ++set) {
    std::vector<int> degree(n);
    std::vector<int> part(n);
    for (int v = 0; v < n; ++v) part[v] = v;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      ++degree[edges[i][0]];
      ++degree[edges[i][1]];
      const int from = part[edges[i][0]];
      for (int& p : part) p = p == from ? part[edges[i][1]] : p;
    }
    int parts = 0;
    bool even = true;
    for (int v = 0; v < n; ++v) {
      parts += degree[v] > 0 && part[v] == v;
      even &= degree[v] == 0 || degree[v] == 2;
    }
    cycles += even && parts == 1;
  }
  return cycles;
}

TEST(CycleCounting, AgreesWithAllSetsOfEdges) {
  int tried = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("CycleCounting", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    if (edges.size() > 15) continue;
    ++tried;
    EXPECT_EQ(parameter["reference_answer"], cycles_among_sets(parameter["N"].get<int>(), edges))
        << problem->prompt();
  }
  EXPECT_GT(tried, 30);
}

// The complete graph has Σ C(n, k) (k − 1)! / 2 cycles.
TEST(CycleCounting, CountsThoseOfCompleteGraphs) {
  for (const int n : {4, 9, 12}) {
    std::int64_t count = 0;
    for (int k = 3; k <= n; ++k) {
      std::int64_t ordered = 1;  // n (n − 1) … (n − k + 1)
      for (int i = 0; i < k; ++i) ordered *= n - i;
      count += ordered / (2 * k);
    }
    Json edges = Json::array();
    for (int u = 0; u < n; ++u) {
      for (int v = u + 1; v < n; ++v) edges.push_back({u, v});
    }
    restore_problem("CycleCounting",
                    Json{{"N", n}, {"edges", edges}, {"reference_answer", count}}.dump());
  }
}

}  // namespace
}  // namespace redqueen
