#include <algorithm>
#include <cstdlib>
#include <limits>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Tries all places; with one bridge, both stand together.
std::int64_t least_sum(const List& s, const List& t, bool two) {
  const auto n = static_cast<std::int64_t>(s.size());
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t p = 0; p <= n; ++p) {
    for (std::int64_t q = p; q <= (two ? n : p); ++q) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < s.size(); ++i) {
        sum += std::min(std::abs(p - s[i]) + std::abs(p - t[i]),
                        std::abs(q - s[i]) + std::abs(q - t[i]));
      }
      least = std::min(least, sum);
    }
  }
  return least;
}

TEST(PalembangBridges, AgreesWithAllPlaces) {
  int with_two = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("PalembangBridges", static_cast<int>(seed % 16), seed);
    const Json parameter = problem->parameter();
    const bool two = parameter["K"] == 2;
    with_two += two;
    EXPECT_EQ(parameter["gold_answer"],
              least_sum(parameter["S"].get<List>(), parameter["T"].get<List>(), two))
        << problem->prompt();
  }
  EXPECT_GT(with_two, 100);
  EXPECT_LT(with_two, 200);
}

TEST(PalembangBridges, TakesAnyIntegers) {
  const auto problem = restore_problem(
      "PalembangBridges", R"({"N": 2, "K": 2, "S": [0, 7], "T": [1, 9], "gold_answer": 3})");
  EXPECT_TRUE(problem->score("0 8").solved);
  EXPECT_TRUE(problem->score("9 1").solved);
  EXPECT_DOUBLE_EQ(problem->score("0 10").reward, std::pow(3.0 / 5.0, 5));
  EXPECT_GE(problem->score("-9223372036854775808 9223372036854775807").reward, 0.0);
  EXPECT_EQ(problem->score("0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 8 9").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
