#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;
constexpr std::string_view kName = "Max_TreeConstrainedPermutation_Weight";

TEST(Max_TreeConstrainedPermutation_Weight, AgreesWithAllOrders) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const auto problem = make_problem(kName, static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    const auto weights = parameter["W"].get<List>();
    const auto before = parameter["A"].get<List>();
    List order(weights.size());
    std::iota(order.begin(), order.end(), 1);
    std::int64_t most = 0;
    int count = 0;
    do {
      const auto place = [&](std::int64_t i) {
        return std::ranges::find(order, i) - order.begin();
      };
      bool is_allowed = true;
      std::int64_t value = 0;
      for (std::size_t i = 0; i < order.size(); ++i) {
        const std::int64_t first = before[order[i] - 1];
        if (first != 0 && place(first) > place(order[i])) is_allowed = false;
        value += static_cast<std::int64_t>(i + 1) * weights[order[i] - 1];
      }
      if (is_allowed) most = std::max(most, value);
      if (++count % 50 == 0) {
        EXPECT_EQ(problem->score(format_answer(order)).reward == kInvalidReward, !is_allowed);
      }
    } while (std::ranges::next_permutation(order).found);
    EXPECT_EQ(parameter["gold_answer"], most) << problem->prompt();
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
}

TEST(Max_TreeConstrainedPermutation_Weight, PaysByTheValue) {
  const auto problem =
      restore_problem(kName, R"({"N": 3, "W": [3, 1, 2], "A": [0, 1, 0], "gold_answer": 11})");
  EXPECT_TRUE(problem->score("1 2 3").solved);  // 3 + 2 + 6
  EXPECT_TRUE(problem->score("3 1 2").solved);  // 2 + 6 + 3
  EXPECT_DOUBLE_EQ(problem->score("1 3 2").reward, std::pow(10.0 / 11.0, 5));
  EXPECT_EQ(problem->score("2 1 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2").reward, kInvalidReward);
}

TEST(Max_TreeConstrainedPermutation_Weight, RefusesConditionsInACircle) {
  const auto parameter = parse_json(R"({"N": 2, "W": [1, 1], "A": [2, 1], "gold_answer": 3})");
  EXPECT_FALSE(Registry::native().find(kName)->restore(*parameter).has_value());
}

}  // namespace
}  // namespace redqueen
