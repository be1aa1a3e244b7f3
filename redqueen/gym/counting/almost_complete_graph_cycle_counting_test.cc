#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Walks on from the last vertex of a path that begins at its least vertex; every cycle is found
// twice, once in each direction.
int closed_walks(int n, std::vector<int>& path, std::vector<char>& visited) {
  const auto edge = [&](int a, int b) { return std::min(a, b) != 1 || std::max(a, b) != n; };
  int found = path.size() >= 3 && edge(path.back(), path.front());
  for (int next = path.front() + 1; next <= n; ++next) {
    if (visited[next] || !edge(path.back(), next)) continue;
    visited[next] = 1;
    path.push_back(next);
    found += closed_walks(n, path, visited);
    path.pop_back();
    visited[next] = 0;
  }
  return found;
}

int cycles_without_an_edge(int n) {
  int walks = 0;
  for (int first = 1; first <= n; ++first) {
    std::vector<int> path{first};
    std::vector<char> visited(static_cast<std::size_t>(n) + 1);
    walks += closed_walks(n, path, visited);
  }
  return walks / 2;
}

TEST(AlmostCompleteGraphCycleCounting, AgreesWithAWalkAlongAllCycles) {
  for (int n = 3; n <= 9; ++n) {
    const int cycles = cycles_without_an_edge(n);
    for (const int modulus : {1, 2, 7, 101, 999'999}) {
      const auto problem = restore_problem(
          "AlmostCompleteGraphCycleCounting",
          fmt::format(R"({{"MAX_N": 9, "N": {}, "MOD": {}, "reference_answer": {}}})", n, modulus,
                      cycles % modulus));
      ASSERT_NE(problem, nullptr) << n;
      EXPECT_TRUE(problem->score(format_answer(cycles % modulus)).solved);
    }
  }
}

TEST(AlmostCompleteGraphCycleCounting, DrawsAModulusThatMatters) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Json parameter = make_problem("AlmostCompleteGraphCycleCounting", 2, seed)->parameter();
    const int n = parameter["N"].get<int>();
    const int modulus = parameter["MOD"].get<int>();
    EXPECT_EQ(modulus % 2, 1);
    if (n <= 9) {
      EXPECT_LE(modulus, cycles_without_an_edge(n) + 1) << n;
    }
  }
}

}  // namespace
}  // namespace redqueen
