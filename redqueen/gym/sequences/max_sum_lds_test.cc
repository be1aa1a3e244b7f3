#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Lengths of the longest increasing subsequences that end at each place, by pairs.
List rises(const List& values) {
  List lengths;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t length = 1;
    for (std::size_t j = 0; j < i; ++j) {
      if (values[j] < values[i]) length = std::max(length, lengths[j] + 1);
    }
    lengths.push_back(length);
  }
  return lengths;
}

TEST(MaxSumLDS, KnowsTheBestOfAllPermutations) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem = make_problem("MaxSumLDS", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    const auto given = parameter["A"].get<List>();
    List order(given.size() - 1);
    std::iota(order.begin(), order.end(), 1);
    std::int64_t best = 0;
    do {
      if (!std::ranges::equal(rises(order), std::span(given).subspan(1))) continue;
      const List falls = rises(List(order.rbegin(), order.rend()));
      best = std::max(best, std::accumulate(falls.begin(), falls.end(), std::int64_t{0}));
    } while (std::ranges::next_permutation(order).found);
    EXPECT_EQ(parameter["gold_answer"], best) << problem->prompt();
  }
}

TEST(MaxSumLDS, TellsWrongLengthsFromWrongNumbers) {
  const auto problem =
      restore_problem("MaxSumLDS", R"({"N": 3, "A": [0, 1, 1, 2], "gold_answer": 4})");
  EXPECT_TRUE(problem->score("2 1 3").solved);
  EXPECT_TRUE(problem->score("3 1 2").solved);
  EXPECT_EQ(problem->score("1 2 3").reward, -0.2);
  EXPECT_EQ(problem->score("2 1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 2 1 3").reward, kInvalidReward);
}

TEST(MaxSumLDS, RefusesLengthsThatNoPermutationHas) {
  for (const char* text : {R"({"N": 3, "A": [0, 2, 1, 1], "gold_answer": 4})",
                           R"({"N": 3, "A": [0, 1, 3, 1], "gold_answer": 4})",
                           R"({"N": 3, "A": [0, 1, 1, 2], "gold_answer": 3})"}) {
    EXPECT_FALSE(Registry::native().find("MaxSumLDS")->restore(*parse_json(text))) << text;
  }
}

}  // namespace
}  // namespace redqueen
