#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

bool all_sums_differ(const List& a, const List& b) {
  for (std::uint32_t places = 1; places + 1 < 1u << a.size(); ++places) {
    std::int64_t difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if ((places >> i & 1) != 0) difference += a[i] - b[i];
    }
    if (difference == 0) return false;
  }
  return true;
}

TEST(DistinctArrayPermutation, JudgesEveryOrderAsAllSetsOfPlacesDo) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto problem = make_problem("DistinctArrayPermutation", static_cast<int>(seed % 4), seed);
    const auto a = problem->parameter()["array"].get<List>();
    List b = a;
    std::ranges::sort(b);
    int right = 0;
    do {
      const bool expected = all_sums_differ(a, b);
      EXPECT_EQ(problem->score(format_answer(b)).reward, expected ? 1.0 : 0.0)
          << format_answer(a) << " to " << format_answer(b);
      right += expected;
    } while (std::ranges::next_permutation(b).found);
    EXPECT_GE(right, 1);
  }
}

TEST(DistinctArrayPermutation, JudgesLongArraysAsAllSetsOfPlacesDo) {
  Rng rng({.purpose = hash_name("rearranged")});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = make_problem("DistinctArrayPermutation", 10, seed);
    const auto a = problem->parameter()["array"].get<List>();
    List b = *parse_int_list(problem->reference());
    EXPECT_TRUE(all_sums_differ(a, b));
    std::int64_t& one = rng.choice(b);
    std::swap(one, rng.choice(b));
    EXPECT_EQ(problem->score(format_answer(b)).solved, all_sums_differ(a, b));
  }
}

TEST(DistinctArrayPermutation, WantsTheNumbersOfTheArray) {
  const auto problem =
      restore_problem("DistinctArrayPermutation", R"({"N": 3, "array": [4, 0, 7]})");
  EXPECT_TRUE(problem->score("7 4 0").solved);
  EXPECT_EQ(problem->score("4 7 0").reward, 0.0);
  EXPECT_EQ(problem->score("7 4 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("7 4").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
