#include <algorithm>
#include <limits>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Tries every cut.
std::int64_t greatest_value(const List& xs, std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t best = std::numeric_limits<std::int64_t>::min();
  for (std::uint32_t cut = 0; cut < std::uint32_t{1} << (xs.size() - 1); ++cut) {
    std::int64_t value = 0;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      sum += xs[i];
      if (i + 1 == xs.size() || (cut >> i & 1) != 0) {
        value += a * sum * sum + b * sum + c;
        sum = 0;
      }
    }
    best = std::max(best, value);
  }
  return best;
}

TEST(QuadraticFunctionSegmentation, AgreesWithAllCuts) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem =
        make_problem("QuadraticFunctionSegmentation", static_cast<int>(seed % 8), seed);
    const Json p = problem->parameter();
    EXPECT_EQ(p["gold_answer"],
              greatest_value(p["xs"].get<List>(), p["A_coef"], p["B_coef"], p["C_coef"]))
        << problem->prompt();
  }
}

TEST(QuadraticFunctionSegmentation, PaysByTheValue) {
  const auto problem = restore_problem("QuadraticFunctionSegmentation",
                                       R"({"N": 4, "xs": [2, 1, 4, 2], "A_coef": -1, "B_coef": 8,
                                           "C_coef": -11, "gold_answer": 10})");
  EXPECT_TRUE(problem->score("2 3 4").solved);
  EXPECT_EQ(problem->score("4").reward, 0.0);
  EXPECT_DOUBLE_EQ(problem->score("1 3 4").reward, std::pow(6.0 / 10.0, 5));
  EXPECT_EQ(problem->score("").reward, kMalformedReward);
  for (const char* answer : {"3", "1 1 4", "2 1 4", "0 4", "4 5", "1 2 3"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
}

}  // namespace
}  // namespace redqueen
