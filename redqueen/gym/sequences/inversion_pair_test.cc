#include <algorithm>
#include <limits>
#include <map>
#include <queue>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

std::int64_t sum_of_squares(const List& a, const List& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// Breadth-first search over the arrangements of both arrays, for the least sum that any of them
// has.
std::int64_t fewest_moves_by_search(const List& a, const List& b) {
  List sorted = a;
  std::ranges::sort(sorted);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  do {
    least = std::min(least, sum_of_squares(sorted, b));
  } while (std::ranges::next_permutation(sorted).found);
  std::map<std::pair<List, List>, std::int64_t> moves{{{a, b}, 0}};
  std::queue<std::pair<List, List>> queue({{a, b}});
  while (true) {
    const auto here = queue.front();
    queue.pop();
    if (sum_of_squares(here.first, here.second) == least) return moves[here];
    for (std::size_t i = 0; i + 1 < a.size(); ++i) {
      for (const bool in_a : {true, false}) {
        auto next = here;
        List& changed = in_a ? next.first : next.second;
        std::swap(changed[i], changed[i + 1]);
        if (moves.try_emplace(next, moves[here] + 1).second) queue.push(next);
      }
    }
  }
}

TEST(InversionPair, AgreesWithASearchOfAllMoves) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const auto problem = make_problem("InversionPair", static_cast<int>(seed % 2), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(), format_answer(fewest_moves_by_search(
                                        parameter["A"].get<List>(), parameter["B"].get<List>())));
  }
}

TEST(InversionPair, PaysByCloseness) {
  const auto problem = restore_problem(
      "InversionPair", R"({"N": 3, "A": [1, 2, 3], "B": [5, 4, 3], "reference_answer": 3})");
  EXPECT_TRUE(problem->score("3").solved);
  EXPECT_DOUBLE_EQ(problem->score("2").reward, std::pow(2.0 / 3.0, 10));
  EXPECT_FALSE(problem->score("-3").well_formed);
}

TEST(InversionPair, RefusesAForgedCount) {
  const auto json =
      parse_json(R"({"N": 3, "A": [1, 2, 3], "B": [5, 4, 3], "reference_answer": 2})");
  EXPECT_FALSE(Registry::native().find("InversionPair")->restore(*json));
}

}  // namespace
}  // namespace redqueen
