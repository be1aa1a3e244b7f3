#include "redqueen/gym/common/parameter/random_integer.h"

#include <gtest/gtest.h>

#include <map>

namespace redqueen {
namespace {

Rng test_rng() {
  return Rng({.seed = 5, .purpose = hash_name("random integer"), .step = 0, .index = 0, .salt = 0});
}

TEST(RandomInteger, CoversASmallRangeEvenly) {
  Rng rng = test_rng();
  std::map<BigInt, int> count;
  for (int i = 0; i < 6000; ++i) ++count[random_integer(-2, 3, rng)];
  ASSERT_EQ(count.size(), 6u);
  EXPECT_EQ(count.begin()->first, -2);
  for (const auto& [value, times] : count) EXPECT_NEAR(times, 1000, 150) << value;
}

// A range that starts and ends in the middle of a word: every residue of a small prime comes
// equally often.
TEST(RandomInteger, CoversAWideRangeEvenly) {
  Rng rng = test_rng();
  const BigInt low = power_of_ten(29) + 7;
  const BigInt high = 3 * power_of_ten(29);
  std::map<BigInt, int> residues;
  int upper_half = 0;
  for (int i = 0; i < 7000; ++i) {
    const BigInt value = random_integer(low, high, rng);
    ASSERT_GE(value, low);
    ASSERT_LE(value, high);
    ++residues[value % 7];
    upper_half += value > 2 * power_of_ten(29);
  }
  ASSERT_EQ(residues.size(), 7u);
  for (const auto& [residue, times] : residues) EXPECT_NEAR(times, 1000, 150) << residue;
  EXPECT_NEAR(upper_half, 3500, 250);
}

TEST(RandomInteger, KnowsARangeOfOne) {
  Rng rng = test_rng();
  EXPECT_EQ(random_integer(power_of_ten(40), power_of_ten(40), rng), power_of_ten(40));
}

TEST(PowerOfTen, HasThatManyZeros) {
  EXPECT_EQ(power_of_ten(0), 1);
  EXPECT_EQ(power_of_ten(30).str(), "1" + std::string(30, '0'));
}

}  // namespace
}  // namespace redqueen
