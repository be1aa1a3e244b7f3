#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(ThreeVertexCycleCounting, AgreesWithAllTriples) {
  std::set<std::string> counts;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const int level = static_cast<int>(seed % 8) * 4;
    const auto problem = make_problem("ThreeVertexCycleCounting", level, seed);
    const Json parameter = problem->parameter();
    const int n = parameter["N"].get<int>();
    std::set<std::pair<int, int>> edges;
    for (const auto& edge : parameter["edges"]) {
      edges.insert(std::minmax(edge[0].get<int>(), edge[1].get<int>()));
    }
    int triangles = 0;
    for (const auto& [a, b] : edges) {
      for (int c = b + 1; c < n; ++c) triangles += edges.contains({a, c}) && edges.contains({b, c});
    }
    EXPECT_EQ(problem->reference(), std::to_string(triangles));
    counts.insert(problem->reference());
  }
  EXPECT_GT(counts.size(), 40u);
}

}  // namespace
}  // namespace redqueen
