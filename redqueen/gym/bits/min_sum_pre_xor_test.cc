#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::int64_t sum_of_prefixes(const std::vector<std::int64_t>& p) {
  std::int64_t sum = 0;
  std::int64_t b = 0;
  for (const std::int64_t number : p) sum += b ^= number;
  return sum;
}

// The least sum over all values of B, place by place: a given number moves B, a
// gap sets it to anything.
std::int64_t least_sum(const std::vector<std::int64_t>& p) {
  std::size_t values = 1;
  for (const std::int64_t number : p) {
    while (static_cast<std::int64_t>(values) <= number) values *= 2;
  }
  constexpr std::int64_t kNever = 1'000'000'000;
  std::vector<std::int64_t> cost(values, kNever);
  cost[0] = 0;
  for (const std::int64_t number : p) {
    std::vector<std::int64_t> next(values);
    for (std::size_t b = 0; b < values; ++b) {
      next[b] = static_cast<std::int64_t>(b) + (number == -1
                                                    ? *std::ranges::min_element(cost)
                                                    : cost[b ^ static_cast<std::size_t>(number)]);
    }
    cost = next;
  }
  return *std::ranges::min_element(cost);
}

TEST(MinSumPreXor, AgreesWithBruteForce) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto problem = make_problem("MinSumPreXor", static_cast<int>(seed % 15), seed);
    const auto p = problem->parameter()["P"].get<std::vector<std::int64_t>>();
    EXPECT_EQ(sum_of_prefixes(*parse_int_list(problem->reference())), least_sum(p))
        << problem->prompt();
  }
}

TEST(MinSumPreXor, KeepsTheGivenNumbers) {
  const auto problem = restore_problem("MinSumPreXor", R"({"N": 3, "P": [-1, 6, 1]})");
  EXPECT_TRUE(problem->score("6 6 1").solved);
  EXPECT_NEAR(problem->score("0 6 1").reward, std::pow(7.0 / 13.0, 5), 1e-12);
  EXPECT_EQ(problem->score("6 6 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("-1 6 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("6 6").reward, kInvalidReward);
  EXPECT_LT(problem->score("99999999999999999999 6 1").reward, 1e-9);
}

}  // namespace
}  // namespace redqueen
