#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All pairs, by the expression as it is stated.
struct Pairs {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  int count = 0;
};
Pairs best_of_all_pairs(const std::vector<std::int64_t>& a) {
  Pairs best;
  for (std::size_t j = 1; j < a.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const std::int64_t value = (a[i] & a[j]) ^ (a[i] | a[j]);
      if (value < best.least) best = {.least = value, .count = 0};
      best.count += value == best.least;
    }
  }
  return best;
}

TEST(MinXorPair, AgreesWithBruteForce) {
  std::set<std::int64_t> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto problem = make_problem("MinXorPair", static_cast<int>(seed % 15), seed);
    const auto numbers = problem->parameter()["A"].get<std::vector<std::int64_t>>();
    EXPECT_EQ(std::set(numbers.begin(), numbers.end()).size(), numbers.size());
    const auto pair = *parse_int_list(problem->reference());
    ASSERT_EQ(pair.size(), 2u);
    const Pairs best = best_of_all_pairs(numbers);
    EXPECT_EQ(numbers.at(pair[0]) ^ numbers.at(pair[1]), best.least);
    EXPECT_EQ(best.count, 1) << problem->prompt();
    seen.insert(best.least);
  }
  EXPECT_EQ(seen, (std::set<std::int64_t>{1, 2}));
}

TEST(MinXorPair, WantsTheSmallerIndexFirst) {
  const auto problem =
      restore_problem("MinXorPair", R"({"N": 3, "max_bit_length": 3, "A": [2, 6, 0]})");
  EXPECT_TRUE(problem->score("0 2").solved);
  EXPECT_EQ(problem->score("2 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 3").reward, kInvalidReward);
  EXPECT_NEAR(problem->score("0 1").reward, std::pow(0.5, 5), 1e-12);
  EXPECT_FALSE(problem->score("0").well_formed);
}

}  // namespace
}  // namespace redqueen
