#include <algorithm>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

std::int64_t cost_of(const Numbers& values, const Numbers& ends) {
  std::int64_t sum = 0;
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    const std::set<std::int64_t> different(values.begin() + begin, values.begin() + end);
    sum += std::ssize(different) * std::ssize(different);
    begin = end;
  }
  return sum;
}

// Tries every cut.
std::int64_t least_cost(const Numbers& values) {
  const auto n = std::ssize(values);
  std::int64_t best = n;
  for (std::uint32_t set = 0; set < std::uint32_t{1} << (n - 1); ++set) {
    Numbers ends;
    for (std::int64_t i = 1; i < n; ++i) {
      if ((set >> (i - 1) & 1) != 0) ends.push_back(i);
    }
    ends.push_back(n);
    best = std::min(best, cost_of(values, ends));
  }
  return best;
}

TEST(CleaningUp, AgreesWithAllCuts) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("CleaningUp", static_cast<int>(seed % 10), seed);
    const Json parameter = problem->parameter();
    const auto values = parameter["A"].get<Numbers>();
    EXPECT_EQ(parameter["gold_answer"].get<std::int64_t>(), least_cost(values));
    EXPECT_EQ(cost_of(values, *parse_int_list(problem->reference())), least_cost(values));
  }
}

TEST(CleaningUp, PaysByCostAndAsksForACut) {
  const auto problem =
      restore_problem("CleaningUp", R"({"N": 7, "A": [1, 2, 1, 2, 1, 2, 3], "gold_answer": 5})");
  EXPECT_EQ(problem->score("6 7").reward, 1.0);
  EXPECT_NEAR(problem->score("1 2 3 4 5 6 7").reward, std::pow(5.0 / 7, 5), 1e-12);
  EXPECT_EQ(problem->score("6").reward, kInvalidReward);
  EXPECT_EQ(problem->score("6 6 7").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 7").reward, kInvalidReward);
  EXPECT_EQ(problem->score("7 8").reward, kInvalidReward);
  EXPECT_EQ(problem->score("").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
