#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Rows = std::vector<std::vector<std::int64_t>>;
using Numbers = std::vector<std::int64_t>;

// Every point of a box around the origin, scored as the inequalities say.
TEST(IntegerProgramming, ScoresEveryPointOfABox) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto problem = make_problem("IntegerProgramming", 0, seed);
    const Json parameter = problem->parameter();
    const auto rows = parameter["inequations"].get<Rows>();
    const auto results = parameter["results"].get<Numbers>();
    int solutions = 0;
    for (std::int64_t a = -5; a <= 5; ++a) {
      for (std::int64_t b = -5; b <= 5; ++b) {
        for (std::int64_t c = -5; c <= 5; ++c) {
          double hold = 0;
          for (std::size_t m = 0; m < rows.size(); ++m) {
            hold += rows[m][0] * a + rows[m][1] * b + rows[m][2] * c >= results[m];
          }
          const Verdict verdict = problem->score(fmt::format("{} {} {}", a, b, c));
          EXPECT_NEAR(verdict.reward, std::pow(hold / static_cast<double>(rows.size()), 5), 1e-12);
          EXPECT_EQ(verdict.solved, hold == static_cast<double>(rows.size()));
          solutions += verdict.solved;
        }
      }
    }
    EXPECT_GT(solutions, 0);
    EXPECT_LT(solutions, 400) << "of 1331";
  }
}

TEST(IntegerProgramming, TakesAnswersOfAnySize) {
  const auto problem =
      restore_problem("IntegerProgramming",
                      R"({"N": 2, "M": 2, "x": [1, 1], "inequations": [[1, -1], [-1, 1]],
                                           "results": [0, 0]})");
  EXPECT_TRUE(problem->score("99999999999999999999999 99999999999999999999999").solved);
  EXPECT_NEAR(problem->score("99999999999999999999999 99999999999999999999998").reward,
              std::pow(0.5, 5), 1e-12);
  EXPECT_EQ(problem->score("").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
