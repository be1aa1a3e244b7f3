#include <algorithm>
#include <limits>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Tries every cut and follows the clock.
std::int64_t least_cost(const List& times, const List& weights, std::int64_t set_up) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t cut = 0; cut < std::uint32_t{1} << (times.size() - 1); ++cut) {
    std::int64_t clock = set_up;
    std::int64_t cost = 0;
    std::int64_t waiting = 0;  // weight of the tasks of the batch
    for (std::size_t i = 0; i < times.size(); ++i) {
      clock += times[i];
      waiting += weights[i];
      if (i + 1 == times.size() || (cut >> i & 1) != 0) {
        cost += clock * waiting;
        waiting = 0;
        clock += set_up;
      }
    }
    least = std::min(least, cost);
  }
  return least;
}

TEST(TaskArrangement, AgreesWithAllCuts) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("TaskArrangement", static_cast<int>(seed % 8), seed);
    const Json p = problem->parameter();
    EXPECT_EQ(p["reference_answer_cost"],
              least_cost(p["T"].get<List>(), p["F"].get<List>(), p["S"]))
        << problem->prompt();
  }
}

TEST(TaskArrangement, PaysByTheCost) {
  const auto problem = restore_problem(
      "TaskArrangement",
      R"({"N": 4, "S": 8, "T": [4, 2, 4, 4], "F": [4, 1, 2, 4], "reference_answer_cost": 242})");
  EXPECT_TRUE(problem->score("4").solved);
  EXPECT_DOUBLE_EQ(problem->score("1 4").reward, std::pow(242.0 / 258.0, 3));
  EXPECT_EQ(problem->score("").reward, kMalformedReward);
  for (const char* answer : {"3", "1 1 4", "2 1 4", "0 4", "4 5"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
}

}  // namespace
}  // namespace redqueen
