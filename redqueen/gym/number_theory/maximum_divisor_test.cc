#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(MaximumDivisor, AgreesWithTryingEveryDivisor) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("MaximumDivisor", static_cast<int>(seed % 8), seed);
    const auto numbers = problem->parameter()["A"].get<std::vector<std::int64_t>>();
    const auto wanted = problem->parameter()["K"].get<std::int64_t>();
    std::int64_t divisor = std::ranges::max(numbers);
    const auto sum = [&] {
      std::int64_t total = 0;
      for (const std::int64_t number : numbers) total += number / divisor;
      return total;
    };
    while (sum() < wanted) --divisor;
    EXPECT_EQ(problem->reference(), format_answer(divisor));
  }
}

TEST(MaximumDivisor, PunishesOvershooting) {
  const auto problem = restore_problem("MaximumDivisor", R"({"N": 2, "K": 5, "A": [30, 20]})");
  EXPECT_EQ(problem->score("10").reward, 1.0);
  EXPECT_NEAR(problem->score("8").reward, std::pow(0.8, 5), 1e-12);
  EXPECT_EQ(problem->score("11").reward, kInvalidReward);
  EXPECT_EQ(problem->score(std::string(100, '9')).reward, kInvalidReward);
  EXPECT_FALSE(problem->score("0").well_formed);
}

}  // namespace
}  // namespace redqueen
