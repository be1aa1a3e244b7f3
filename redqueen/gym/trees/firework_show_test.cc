#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// For each common distance of the leaves below v, up to `most`, the least cost.
List costs_below(const std::vector<List>& parents, std::int64_t v, std::int64_t most) {
  List costs(most + 1, 0);
  bool is_leaf = true;
  for (std::size_t i = 0; i < parents.size(); ++i) {
    if (parents[i][0] != v) continue;
    is_leaf = false;
    const List below = costs_below(parents, static_cast<std::int64_t>(i) + 2, most);
    for (std::int64_t distance = 0; distance <= most; ++distance) {
      std::int64_t least = std::int64_t{1} << 40;
      for (std::int64_t length = 0; length <= distance; ++length) {
        least = std::min(least, std::abs(length - parents[i][1]) + below[distance - length]);
      }
      costs[distance] += least;
    }
  }
  if (is_leaf) std::fill(costs.begin() + 1, costs.end(), std::int64_t{1} << 40);
  return costs;
}

TEST(FireworkShow, AgreesWithAllLengths) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem = make_problem("FireworkShow", static_cast<int>(seed % 9), seed);
    const auto parents = problem->parameter()["parents"].get<std::vector<List>>();
    std::int64_t sum = 0;
    for (const List& parent : parents) sum += parent[1];
    EXPECT_EQ(problem->reference(), format_answer(std::ranges::min(costs_below(parents, 1, sum))))
        << problem->prompt();
  }
}

TEST(FireworkShow, TakesTheExampleOfTheContest) {
  const auto problem = restore_problem(
      "FireworkShow",
      R"({"N": 10, "parents": [[1, 5], [2, 5], [2, 8], [3, 3], [3, 2], [3, 3], [2, 9], [4, 4],
          [4, 3]], "reference_answer": 5})");
  EXPECT_TRUE(problem->score("5").solved);
  EXPECT_EQ(problem->score("4").reward, 0.0);
}

}  // namespace
}  // namespace redqueen
