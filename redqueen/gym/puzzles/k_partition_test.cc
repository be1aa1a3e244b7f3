#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Groups = std::vector<std::vector<std::int64_t>>;

// Whether every group has the same sum, in all orders of the numbers cut into pieces.
TEST(KPartition, CallsExactlyEqualSumsRight) {
  for (const char* numbers : {"[1, 2, 3, 4, 5, 9]", "[1, 1, 2, 2, 3, 3]", "[2, 7, 3, 3, 8, 1]"}) {
    auto order = parse_json(numbers)->get<std::vector<std::int64_t>>();
    std::ranges::sort(order);
    std::vector<Groups> right;
    std::vector<Groups> wrong;
    do {
      const Groups groups{{order[0], order[1], order[2]}, {order[3], order[4], order[5]}};
      const bool equal = order[0] + order[1] + order[2] == order[3] + order[4] + order[5];
      (equal ? right : wrong).push_back(groups);
    } while (std::ranges::next_permutation(order).found);
    ASSERT_FALSE(right.empty());
    const auto problem =
        restore_problem("KPartition", Json{{"N", 6},
                                           {"K", 3},
                                           {"Multiset_S", order},
                                           {"reference_answer", format_answer(right.back())}}
                                          .dump());
    for (const Groups& groups : right) EXPECT_TRUE(problem->score(format_answer(groups)).solved);
    for (const Groups& groups : wrong) EXPECT_EQ(problem->score(format_answer(groups)).reward, 0.0);
  }
}

TEST(KPartition, WantsTheNumbersGiven) {
  const auto problem = restore_problem("KPartition", R"({"N": 4, "K": 2, "Multiset_S": [1, 2, 3, 4],
                                                         "reference_answer": "1 4\n2 3"})");
  EXPECT_EQ(problem->score("4 1\n\n3 2").reward, 1.0);
  EXPECT_EQ(problem->score("1 2\n3 4").reward, 0.0);
  for (const char* answer : {"1 4 2 3", "1 4\n2 2", "1 4\n2", "1 4\n1 4", "5 0\n2 3"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
  EXPECT_FALSE(problem->score("1, 4\n2, 3").well_formed);
}

TEST(KPartition, PlantsGroups) {
  for (int level = 0; level <= 12; level += 3) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto problem = make_problem("KPartition", level, seed);
      const Json parameter = problem->parameter();
      auto left = parameter["Multiset_S"].get<std::vector<std::int64_t>>();
      std::optional<std::int64_t> sum;
      const auto groups = *parse_int_matrix(problem->reference());
      for (const auto& group : groups) {
        EXPECT_EQ(std::ssize(group), parameter["K"].get<int>());
        std::int64_t own = 0;
        for (const std::int64_t number : group) {
          own += number;
          const auto place = std::ranges::find(left, number);
          ASSERT_NE(place, left.end());
          left.erase(place);
        }
        EXPECT_EQ(own, sum.value_or(own));
        sum = own;
      }
      EXPECT_TRUE(left.empty());
    }
  }
}

}  // namespace
}  // namespace redqueen
