#include <algorithm>
#include <limits>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(MinSumDistanceSquare, AgreesWithAScanOfAllPlaces) {
  for (int level = 0; level <= 9; ++level) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const auto problem = make_problem("MinSumDistanceSquare", level, seed);
      const Json parameter = problem->parameter();
      const auto n = parameter["N"].get<std::int64_t>();
      const auto m = parameter["M"].get<std::int64_t>();
      std::map<std::int64_t, std::int64_t> costs;
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (std::int64_t scaled = -n * m; scaled <= n * m; ++scaled) {
        std::int64_t cost = 0;
        for (const Json& group : parameter["points"]) {
          std::int64_t nearest = std::numeric_limits<std::int64_t>::max();
          for (const Json& point : group) {
            const std::int64_t distance = scaled - n * point.get<std::int64_t>();
            nearest = std::min(nearest, distance * distance);
          }
          cost += nearest;
        }
        costs[scaled] = cost;
        least = std::min(least, cost);
      }
      EXPECT_EQ(parameter["gold_answer"], least) << problem->prompt();
      for (const auto& [scaled, cost] : costs) {
        const Verdict verdict = problem->score(std::to_string(scaled));
        EXPECT_EQ(verdict.solved, cost == least) << scaled;
        EXPECT_NEAR(verdict.reward,
                    std::pow(static_cast<double>(least) / static_cast<double>(cost), 5), 1e-12);
      }
    }
  }
}

TEST(MinSumDistanceSquare, RefusesAForgedReference) {
  const Environment& environment = *Registry::native().find("MinSumDistanceSquare");
  EXPECT_TRUE(environment.restore(
      *parse_json(R"({"M": 2, "N": 2, "points": [[0], [3]], "gold_answer": 18})")));
  EXPECT_FALSE(environment.restore(
      *parse_json(R"({"M": 2, "N": 2, "points": [[0], [3]], "gold_answer": 19})")));
}

}  // namespace
}  // namespace redqueen
