#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

constexpr std::string_view kName = "TopologicalSort_MinimalLexicographicalOrder";

TEST(TopologicalSort_MinimalLexicographicalOrder, IsTheFirstOfAllListsOfPlaces) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem(kName, static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    const auto conditions = parameter["before_conditions"].get<std::vector<List>>();
    List place(parameter["N"].get<std::size_t>());  // of each item
    std::iota(place.begin(), place.end(), 0);
    const auto keeps = [&](const List& pair) { return place[pair[0]] < place[pair[1]]; };
    while (!std::ranges::all_of(conditions, keeps)) std::ranges::next_permutation(place);
    List order(place.size());
    for (std::size_t item = 0; item < place.size(); ++item) {
      order[place[item]] = static_cast<std::int64_t>(item);
    }
    EXPECT_EQ(problem->reference(), format_answer(order));
    EXPECT_TRUE(problem->score(format_answer(order)).solved);
  }
}

TEST(TopologicalSort_MinimalLexicographicalOrder, PaysHalfForKeepingTheConditions) {
  const auto problem = restore_problem(
      kName, R"({"N": 3, "before_conditions": [[2, 0]], "gold_answer": [2, 0, 1]})");
  EXPECT_DOUBLE_EQ(problem->score("1 2 0").reward, 0.5);
  EXPECT_DOUBLE_EQ(problem->score("2 1 0").reward, 0.5 + 0.5 / 243);
  EXPECT_DOUBLE_EQ(problem->score("0 1 2").reward, 0.0);
  EXPECT_TRUE(problem->score("2 0 1").solved);
}

}  // namespace
}  // namespace redqueen
