#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Sets of edges with an even number at every vertex are unions of cycles without a common edge, and
// every cycle is such a set.
bool all_are_zero(std::size_t n, const std::vector<List>& edges) {
  for (unsigned set = 1; set < 1u << edges.size(); ++set) {
    List parity(n + 1);
    std::int64_t value = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      parity[edges[i][0]] ^= 1;
      parity[edges[i][1]] ^= 1;
      value ^= edges[i][2];
    }
    if (parity == List(n + 1) && value != 0) return false;
  }
  return true;
}

TEST(CheckAllCycleXorZero, AgreesWithAllSetsOfEdges) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const auto problem = make_problem("CheckAllCycleXorZero", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    const bool zero = all_are_zero(parameter["N"].get<std::size_t>(),
                                   parameter["edges"].get<std::vector<List>>());
    EXPECT_EQ(problem->reference(), zero ? "YES" : "NO") << problem->prompt();
  }
}

TEST(CheckAllCycleXorZero, IsAsOftenTrueAsFalse) {
  int yes = 0;
  int by_triangles = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto problem = make_problem("CheckAllCycleXorZero", 6, seed);
    yes += problem->reference() == "YES";
    by_triangles += problem->score(problem->shortcuts()[0].answer).solved;
  }
  EXPECT_NEAR(yes, 200, 50);
  EXPECT_LT(by_triangles, 300);
}

TEST(CheckAllCycleXorZero, TakesTheTwoWordsOnly) {
  const auto problem = restore_problem("CheckAllCycleXorZero",
                                       R"({"N": 3, "edges": [[1, 2, 5], [2, 3, 6], [1, 3, 3]]})");
  EXPECT_TRUE(problem->score("YES").solved);
  EXPECT_EQ(problem->score("NO").reward, 0.0);
  EXPECT_EQ(problem->score("yes").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
