#include <algorithm>
#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// The vertices on the way from `at` to all others.
void walk(const std::vector<List>& edges, std::int64_t at, std::int64_t before, unsigned way,
          std::vector<unsigned>& ways) {
  way |= 1u << at;
  if (before >= 0) ways.push_back(way);
  for (const List& edge : edges) {
    if (edge[0] != at && edge[1] != at) continue;
    const std::int64_t next = edge[0] + edge[1] - at;
    if (next != before) walk(edges, next, at, way, ways);
  }
}

TEST(MaxTree_KPathCoverage, AgreesWithAllUnionsOfPaths) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem = make_problem("MaxTree_KPathCoverage", static_cast<int>(seed % 9), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto n = parameter["N"].get<int>();
    std::vector<unsigned> ways;
    for (int v = 0; v < n; ++v) walk(edges, v, -1, 0, ways);
    std::vector<char> unions(std::size_t{1} << n);
    unions[0] = 1;
    for (int k = 0; k < parameter["K"].get<int>(); ++k) {
      std::vector<char> more(unions.size());
      for (unsigned set = 0; set < unions.size(); ++set) {
        if (!unions[set]) continue;
        for (const unsigned way : ways) more[set | way] = 1;
      }
      unions = std::move(more);
    }
    int most = 0;
    for (unsigned set = 0; set < unions.size(); ++set) {
      if (unions[set]) most = std::max(most, std::popcount(set));
    }
    EXPECT_EQ(problem->reference(), format_answer(most)) << problem->prompt();
  }
}

}  // namespace
}  // namespace redqueen
