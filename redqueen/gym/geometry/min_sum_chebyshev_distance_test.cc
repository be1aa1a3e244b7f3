#include <algorithm>
#include <limits>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::int64_t chebyshev_cost(const Json& parameter, std::int64_t x, std::int64_t y) {
  std::int64_t cost = 0;
  for (std::size_t i = 0; i < parameter["X"].size(); ++i) {
    cost += parameter["T"][i].get<std::int64_t>() *
            std::max(std::abs(x - parameter["X"][i].get<std::int64_t>()),
                     std::abs(y - parameter["Y"][i].get<std::int64_t>()));
  }
  return cost;
}

TEST(MinSumChebyshevDistance, AgreesWithAScanOfThePlane) {
  for (int level = 0; level <= 6; ++level) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const auto problem = make_problem("MinSumChebyshevDistance", level, seed);
      const Json parameter = problem->parameter();
      const auto n = parameter["N"].get<std::int64_t>();
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (std::int64_t x = -n; x <= 3 * n; ++x) {
        for (std::int64_t y = -n; y <= 3 * n; ++y) {
          least = std::min(least, chebyshev_cost(parameter, x, y));
        }
      }
      EXPECT_EQ(parameter["gold_answer"], least) << problem->prompt();
      EXPECT_TRUE(problem->score(problem->reference()).solved);
      const std::int64_t cost = chebyshev_cost(parameter, n, n + 1);
      EXPECT_NEAR(problem->score(fmt::format("{} {}", n, n + 1)).reward,
                  std::pow(static_cast<double>(least) / static_cast<double>(cost), 5), 1e-12);
    }
  }
}

TEST(MinSumChebyshevDistance, RefusesAForgedReferenceAndBearsHugeAnswers) {
  const Environment& environment = *Registry::native().find("MinSumChebyshevDistance");
  EXPECT_FALSE(environment.restore(
      *parse_json(R"({"N": 2, "X": [1, 3], "Y": [1, 2], "T": [1, 1], "gold_answer": 3})")));
  const auto problem =
      restore_problem("MinSumChebyshevDistance",
                      R"({"N": 2, "X": [1, 3], "Y": [1, 2], "T": [1, 1], "gold_answer": 2})");
  EXPECT_LT(problem->score("9223372036854775807 -9223372036854775808").reward, 1e-12);
  EXPECT_EQ(problem->score("2").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
