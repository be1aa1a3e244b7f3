#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Edges = std::vector<std::pair<int, int>>;

// The edges and the vertices between `at` and `to`, as sets.
struct Path {
  unsigned edges;
  unsigned vertices;
};

bool find_path(const Edges& edges, int at, int to, int from, Path& path) {
  path.vertices |= 1U << at;
  if (at == to) return true;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto& [u, v] = edges[i];
    if ((u != at && v != at) || u + v - at == from) continue;
    Path longer{path.edges | 1U << i, path.vertices};
    if (find_path(edges, u + v - at, to, at, longer)) {
      path = longer;
      return true;
    }
  }
  return false;
}

// By joining the vertices that are left along the edges that are left.
int components(int n, const Edges& edges, unsigned removed) {
  std::vector<int> component(static_cast<std::size_t>(n) + 1);
  for (int v = 1; v <= n; ++v) component[v] = v;
  int count = 0;
  for (int v = 1; v <= n; ++v) count += (removed >> v & 1) == 0;
  for (const auto& [u, v] : edges) {
    if ((removed >> u & 1) != 0 || (removed >> v & 1) != 0) continue;
    const int old = component[u];
    for (int& c : component) c = c == old ? component[v] : c;
    --count;
  }
  return count;
}

TEST(MostComponentTreeRemovingTwoPaths, AgreesWithAllPairsOfPaths) {
  for (int level = 0; level <= 6; ++level) {
    for (std::uint64_t seed = 0; seed < (level < 5 ? 25 : 6); ++seed) {
      const auto problem = make_problem("MostComponentTreeRemovingTwoPaths", level, seed);
      const Json parameter = problem->parameter();
      const auto edges = parameter["edges"].get<Edges>();
      const int n = parameter["N"];
      std::vector<Path> paths;
      for (int a = 1; a <= n; ++a) {
        for (int b = a; b <= n; ++b) {
          paths.push_back({0, 0});
          ASSERT_TRUE(find_path(edges, a, b, 0, paths.back()));
        }
      }
      int best = 0;
      for (const Path& first : paths) {
        for (const Path& second : paths) {
          if ((first.edges & second.edges) != 0) continue;
          best = std::max(best, components(n, edges, first.vertices | second.vertices));
        }
      }
      EXPECT_EQ(problem->reference(), std::to_string(best)) << problem->prompt();
    }
  }
}

}  // namespace
}  // namespace redqueen
