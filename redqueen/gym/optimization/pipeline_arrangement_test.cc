#include <algorithm>
#include <limits>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Tries every order; the time is the longest path: A up to some job, B from it on.
std::int64_t least_time(const List& a, const List& b) {
  std::vector<std::size_t> order(a.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  do {
    std::int64_t time = 0;
    for (std::size_t turn = 0; turn < order.size(); ++turn) {
      std::int64_t path = 0;
      for (std::size_t i = 0; i <= turn; ++i) path += a[order[i]];
      for (std::size_t i = turn; i < order.size(); ++i) path += b[order[i]];
      time = std::max(time, path);
    }
    least = std::min(least, time);
  } while (std::ranges::next_permutation(order).found);
  return least;
}

TEST(PipelineArrangement, AgreesWithAllOrders) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem = make_problem("PipelineArrangement", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(parameter["gold_answer"],
              least_time(parameter["A"].get<List>(), parameter["B"].get<List>()))
        << problem->prompt();
  }
}

TEST(PipelineArrangement, PaysByTheTime) {
  const auto problem = restore_problem(
      "PipelineArrangement", R"({"N": 3, "A": [3, 1, 2], "B": [3, 3, 2], "gold_answer": 9})");
  EXPECT_TRUE(problem->score("1 0 2").solved);
  EXPECT_DOUBLE_EQ(problem->score("0 1 2").reward, std::pow(9.0 / 11.0, 5));
  for (const char* answer : {"", "0 1", "0 1 1", "1 2 3", "0 1 2 0"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
}

}  // namespace
}  // namespace redqueen
