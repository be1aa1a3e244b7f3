#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

int points_by_search(const Json& p) {
  int count = 0;
  for (int x = p["X1"].get<int>(); x <= p["X2"].get<int>(); ++x) {
    for (int y = p["Y1"].get<int>(); y <= p["Y2"].get<int>(); ++y) {
      count += p["A"].get<int>() * x + p["B"].get<int>() * y + p["C"].get<int>() == 0;
    }
  }
  return count;
}

TEST(BinaryLinearEquation_SolutionCounting, AgreesWithAllPoints) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem =
        make_problem("BinaryLinearEquation_SolutionCounting", static_cast<int>(seed % 3), seed);
    EXPECT_EQ(problem->reference(), format_answer(points_by_search(problem->parameter())));
  }
}

// Coefficients of every sign and zero, constants that leave no solution.
TEST(BinaryLinearEquation_SolutionCounting, AgreesWithAllPointsOfAnyLine) {
  Rng rng({.seed = 1, .purpose = hash_name("lines"), .step = 0, .index = 0, .salt = 0});
  for (int i = 0; i < 500; ++i) {
    const std::int64_t x = rng.integer(-6, 6);
    const std::int64_t y = rng.integer(-6, 6);
    const Json parameter{{"MAX_RANGE", 8},
                         {"A", rng.integer(-4, 4)},
                         {"B", rng.integer(-4, 4)},
                         {"C", rng.integer(-12, 12)},
                         {"X1", x},
                         {"X2", x + rng.integer(0, 9)},
                         {"Y1", y},
                         {"Y2", y + rng.integer(0, 9)}};
    const auto problem = restore_problem("BinaryLinearEquation_SolutionCounting", parameter.dump());
    EXPECT_EQ(problem->reference(), format_answer(points_by_search(parameter))) << parameter.dump();
  }
}

TEST(BinaryLinearEquation_SolutionCounting, CountsTheLargestRectangle) {
  const auto problem = restore_problem(
      "BinaryLinearEquation_SolutionCounting",
      R"({"MAX_RANGE": 8, "A": 0, "B": 0, "C": 0, "X1": -2147483648, "X2": 2147483648,
          "Y1": -2147483648, "Y2": 2147483648})");
  EXPECT_EQ(problem->reference(), "18446744082299486209");  // (2^32 + 1)^2
}

}  // namespace
}  // namespace redqueen
