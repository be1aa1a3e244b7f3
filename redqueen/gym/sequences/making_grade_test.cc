#include <algorithm>
#include <cstdlib>
#include <limits>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// The least cost of sequences of the array's values that rise; some best one has no others.
std::int64_t least_rising(const List& a) {
  List values = a;
  std::ranges::sort(values);
  List least(values.size(), 0);  // by the last value, at most
  for (const std::int64_t wanted : a) {
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    for (std::size_t last = 0; last < values.size(); ++last) {
      before = std::min(before, least[last]);
      least[last] = before + std::abs(wanted - values[last]);
    }
  }
  return *std::ranges::min_element(least);
}

TEST(MakingGrade, KnowsTheLeastCost) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("MakingGrade", static_cast<int>(seed % 12), seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<List>();
    const List mirrored(a.rbegin(), a.rend());
    EXPECT_EQ(parameter["gold_answer"], std::min(least_rising(a), least_rising(mirrored)))
        << problem->prompt();
  }
}

TEST(MakingGrade, TakesAnyIntegers) {
  const auto problem =
      restore_problem("MakingGrade", R"({"N": 4, "A": [3, 1, 2, 5], "gold_answer": 2})");
  EXPECT_TRUE(problem->score("1 1 2 5").solved);
  EXPECT_TRUE(problem->score("2 2 2 5").solved);
  EXPECT_DOUBLE_EQ(problem->score("3 3 3 5").reward, std::pow(2.0 / 3.0, 5));
  EXPECT_GT(problem->score("-9223372036854775808 1 2 9223372036854775807").reward, 0.0 - 1e-12);
  EXPECT_EQ(problem->score("1 2 1 5").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 1 2").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
