#include <algorithm>
#include <bit>
#include <cstdlib>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

std::int64_t distance(const Numbers& positions, std::uint32_t chosen) {
  std::int64_t sum = 0;
  for (const std::int64_t x : positions) {
    std::int64_t nearest = std::int64_t{1} << 40;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if ((chosen >> i & 1) != 0) nearest = std::min(nearest, std::abs(positions[i] - x));
    }
    sum += nearest;
  }
  return sum;
}

TEST(AxisKCenter, AgreesWithAllChoices) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const auto problem = make_problem("Axis_KCenter", static_cast<int>(seed % 7), seed);
    const Json parameter = problem->parameter();
    const auto positions = parameter["X"].get<Numbers>();
    const auto k = parameter["K"].get<int>();
    std::int64_t best = std::int64_t{1} << 40;
    for (std::uint32_t set = 1; set < std::uint32_t{1} << positions.size(); ++set) {
      if (std::popcount(set) == k) best = std::min(best, distance(positions, set));
    }
    EXPECT_EQ(parameter["gold_answer"].get<std::int64_t>(), best);
    const auto answer = *parse_int_list(problem->reference());
    std::uint32_t chosen = 0;
    for (const auto point : answer) chosen |= 1U << point;
    EXPECT_EQ(std::popcount(chosen), k);
    EXPECT_EQ(distance(positions, chosen), best);
  }
}

TEST(AxisKCenter, PaysByDistance) {
  const auto problem = restore_problem(
      "Axis_KCenter", R"({"N": 5, "K": 2, "X": [-3, 0, 1, 10, 12], "gold_answer": 6})");
  EXPECT_EQ(problem->score("1 3").reward, 1.0);
  EXPECT_EQ(problem->score("4 1").reward, 1.0);
  EXPECT_NEAR(problem->score("3 2").reward, std::pow(6.0 / 7, 5), 1e-12);
  EXPECT_EQ(problem->score("1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 5").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2 3").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
