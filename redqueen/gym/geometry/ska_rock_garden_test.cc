#include <algorithm>
#include <limits>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Result = std::pair<std::int64_t, std::int64_t>;  // perimeter, price

Result exchanged(const Json& parameter, const std::string& digits) {
  std::vector<std::int64_t> x;
  std::vector<std::int64_t> y;
  std::int64_t price = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    x.push_back(parameter[digits[i] == '1' ? "Y" : "X"][i]);
    y.push_back(parameter[digits[i] == '1' ? "X" : "Y"][i]);
    if (digits[i] == '1') price += parameter["M"][i].get<std::int64_t>();
  }
  return {
      2 * (std::ranges::max(x) - std::ranges::min(x) + std::ranges::max(y) - std::ranges::min(y)),
      price};
}

TEST(SkaRockGarden, AgreesWithAllChoices) {
  for (int level = 0; level <= 5; ++level) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const auto problem = make_problem("SkaRockGarden", level, seed);
      const Json parameter = problem->parameter();
      const auto n = parameter["N"].get<std::size_t>();
      std::map<std::string, Result> results;
      Result best(std::numeric_limits<std::int64_t>::max(), 0);
      for (unsigned chosen = 0; chosen < 1U << n; ++chosen) {
        std::string digits;
        for (std::size_t i = 0; i < n; ++i) digits += (chosen >> i & 1) != 0 ? '1' : '0';
        best = std::min(best, results[digits] = exchanged(parameter, digits));
      }
      EXPECT_EQ(Result(parameter["gold_answer_perimeter"], parameter["gold_answer_cost"]), best)
          << problem->prompt();
      for (const auto& [digits, result] : results) {
        EXPECT_EQ(problem->score(digits).solved, result == best) << digits;
      }
    }
  }
}

TEST(SkaRockGarden, TakesDigitsOnly) {
  const auto problem = restore_problem("SkaRockGarden",
                                       R"({"N": 3, "X": [0, 5, 1], "Y": [4, 1, 5], "M": [1, 2, 3],
                                           "gold_answer_perimeter": 4, "gold_answer_cost": 2})");
  EXPECT_TRUE(problem->score("010").solved);
  EXPECT_NEAR(problem->score("101").reward, 0.5 + 0.5 / 32, 1e-12);
  EXPECT_EQ(problem->score("0 1 0").reward, kMalformedReward);
  EXPECT_EQ(problem->score("01").reward, kMalformedReward);
  EXPECT_EQ(problem->score("012").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
