#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Edges = std::vector<std::array<std::int64_t, 3>>;

// Least weight over all paths without repetition.
std::int64_t least_weight(const Edges& edges, std::int64_t here, std::int64_t goal,
                          std::uint64_t seen) {
  if (here == goal) return 0;
  std::int64_t least = 1'000'000;
  for (const auto& [from, to, weight] : edges) {
    if (from != here || (seen >> to & 1) != 0) continue;
    least = std::min(least, weight + least_weight(edges, to, goal, seen | std::uint64_t{1} << to));
  }
  return least;
}

TEST(ShortestPath, AgreesWithAllSimplePaths) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem = make_problem("ShortestPath", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<Edges>();
    std::int64_t weight = 0;
    const auto path = *parse_int_list(problem->reference());
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      for (const auto& [from, to, w] : edges) {
        weight += from == path[i] && to == path[i + 1] ? w : 0;
      }
    }
    EXPECT_EQ(weight, least_weight(edges, 0, parameter["N"].get<std::int64_t>() - 1, 1));
  }
}

TEST(ShortestPath, PaysLessForLongerWays) {
  const auto problem = restore_problem(
      "ShortestPath", R"({"N": 3, "edges": [[0, 2, 5], [0, 1, 2], [1, 2, 2], [1, 0, 1]]})");
  EXPECT_TRUE(problem->score("0 1 2").solved);
  EXPECT_NEAR(problem->score("0 2").reward, std::pow(0.8, 5), 1e-12);
  EXPECT_NEAR(problem->score("0 1 0 1 2").reward, std::pow(4.0 / 7.0, 5), 1e-12);
  EXPECT_EQ(problem->score("0 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("").well_formed);
}

TEST(ShortestPath, RefusesAGraphWithoutARoute) {
  const auto parameter = parse_json(R"({"N": 3, "edges": [[0, 1, 2], [2, 1, 2]]})");
  EXPECT_FALSE(Registry::native().find("ShortestPath")->restore(*parameter));
}

}  // namespace
}  // namespace redqueen
