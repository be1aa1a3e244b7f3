#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

// All solutions, by the rule that the two least sums are x1 + x2 and x1 + x3 and some other one is
// x2 + x3; the rest follows by taking away what is explained.
std::vector<Numbers> solutions(const Numbers& sums, int n) {
  const std::multiset<std::int64_t> all(sums.begin(), sums.end());
  std::vector<Numbers> found;
  const std::int64_t a = *all.begin();
  const std::int64_t b = *std::next(all.begin());
  for (const std::int64_t c : std::set(all.begin(), all.end())) {
    if ((a + b - c) % 2 != 0) continue;
    const std::int64_t least = (a + b - c) / 2;
    Numbers numbers{least, a - least, b - least};
    std::multiset<std::int64_t> open = all;
    const auto take = [&](std::int64_t sum) {
      const auto place = open.find(sum);
      if (place == open.end()) return false;
      open.erase(place);
      return true;
    };
    bool good = least >= 1 && numbers[1] < numbers[2] && take(a) && take(b) && take(c);
    while (good && numbers.size() < static_cast<std::size_t>(n)) {
      const std::int64_t next = *open.begin() - least;
      for (const std::int64_t number : numbers) good = good && number < next && take(number + next);
      numbers.push_back(next);
    }
    if (good && open.empty()) found.push_back(numbers);
  }
  return found;
}

TEST(SquSquarks, AcceptsEverySolution) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("SquSquarks", static_cast<int>(seed % 10), seed);
    const Json parameter = problem->parameter();
    const auto found = solutions(parameter["sums"].get<Numbers>(), parameter["N"].get<int>());
    EXPECT_FALSE(found.empty());
    for (const Numbers& numbers : found) {
      EXPECT_TRUE(problem->score(format_answer(numbers)).solved) << problem->prompt();
    }
  }
  // Half the total less each of four numbers has the same sums.
  EXPECT_EQ(solutions({5, 6, 7, 9, 10, 11}, 4).size(), 2u);
  const auto twofold = restore_problem(
      "SquSquarks", R"({"N": 4, "sums": [5, 6, 7, 9, 10, 11], "reference_answer": "1 4 5 6"})");
  EXPECT_TRUE(twofold->score("6 5 4 1").solved);
  EXPECT_TRUE(twofold->score("2 3 4 7").solved);
}

TEST(SquSquarks, ComparesMultisetsOfSums) {
  const auto problem =
      restore_problem("SquSquarks", R"({"N": 3, "sums": [8, 5, 7], "reference_answer": "2 3 5"})");
  EXPECT_NEAR(problem->score("2 3 9").reward, std::pow(1.0 / 5.0, 5), 1e-12);
  EXPECT_EQ(problem->score("2 2 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 2 3").reward, kInvalidReward);
  EXPECT_NEAR(problem->score("2 3 99999999999999999999999999").reward, std::pow(1.0 / 5.0, 5),
              1e-12);
  EXPECT_EQ(problem->score("1 99999999999999999999999998 99999999999999999999999999").reward, 0.0);
}

}  // namespace
}  // namespace redqueen
