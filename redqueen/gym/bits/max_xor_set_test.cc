#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All subsets.
std::int64_t best_of_all_subsets(const std::vector<std::int64_t>& numbers) {
  std::int64_t best = 0;
  for (std::uint32_t subset = 0; subset < (1u << numbers.size()); ++subset) {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if ((subset >> i & 1) != 0) value ^= numbers[i];
    }
    best = std::max(best, value);
  }
  return best;
}

TEST(MaxXorSet, AgreesWithBruteForce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("MaxXorSet", static_cast<int>(seed % 7), seed);
    const auto numbers = problem->parameter()["A"].get<std::vector<std::int64_t>>();
    std::int64_t value = 0;
    const auto chosen = parse_int_list(problem->reference());
    ASSERT_TRUE(chosen.has_value());
    for (const std::int64_t index : *chosen) value ^= numbers.at(static_cast<std::size_t>(index));
    EXPECT_EQ(value, best_of_all_subsets(numbers));
  }
}

// The greatest XOR of up to three of the numbers.
std::int64_t best_of_three(const std::vector<std::int64_t>& numbers) {
  std::vector<std::int64_t> some = numbers;
  some.resize(numbers.size() + 2);  // two zeros stand for no number
  std::int64_t best = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t k = 0; k < j; ++k) best = std::max(best, some[i] ^ some[j] ^ some[k]);
    }
  }
  return best;
}

TEST(MaxXorSet, TakesFourNumbersFromEightOn) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("MaxXorSet", 5 + static_cast<int>(seed % 6), seed);
    const auto numbers = problem->parameter()["A"].get<std::vector<std::int64_t>>();
    ASSERT_GE(numbers.size(), 8u);
    std::int64_t value = 0;
    const auto chosen = *parse_int_list(problem->reference());
    for (const std::int64_t index : chosen) value ^= numbers.at(static_cast<std::size_t>(index));
    EXPECT_LT(best_of_three(numbers), value) << problem->prompt();
  }
}

TEST(MaxXorSet, PaysByTheXor) {
  const auto problem =
      restore_problem("MaxXorSet", R"({"N": 3, "MAX_bit_length": 3, "A": [6, 2, 1]})");
  EXPECT_TRUE(problem->score("2 0").solved);
  EXPECT_NEAR(problem->score("0").reward, std::pow(6.0 / 7.0, 5), 1e-12);
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("1 1").reward, 0.0);
  EXPECT_EQ(problem->score("3").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("0, 2").well_formed);
}

}  // namespace
}  // namespace redqueen
