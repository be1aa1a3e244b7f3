#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(SetSplitting, CountsTheSetsThatEverySplitMeets) {
  for (int level = 0; level <= 6; ++level) {
    for (std::uint64_t seed = 0; seed < 15; ++seed) {
      const auto problem = make_problem("SetSplitting", level, seed);
      const Json parameter = problem->parameter();
      const int n = parameter["N"];
      std::vector<unsigned> sets;
      for (const auto& set : parameter["Sets"]) {
        sets.push_back(0);
        for (const int element : set.get<std::vector<int>>()) sets.back() |= 1U << element;
      }
      int solutions = 0;
      for (unsigned first = 0; first < 1U << n; ++first) {
        std::vector<int> answer;
        for (int i = 0; i < n; ++i) {
          if ((first >> i & 1) != 0) answer.push_back(i);
        }
        int split = 0;
        for (const unsigned set : sets) split += (set & first) != 0 && (set & ~first) != 0;
        const Verdict verdict = problem->score(format_answer(answer));
        EXPECT_EQ(verdict.solved, split == std::ssize(sets));
        EXPECT_NEAR(verdict.reward, std::pow(split / static_cast<double>(sets.size()), 10), 1e-12);
        solutions += verdict.solved;
      }
      EXPECT_GT(solutions, 0);
      EXPECT_TRUE(problem->score(problem->reference()).solved);
    }
  }
}

TEST(SetSplitting, WantsElementsOnce) {
  const auto problem = restore_problem(
      "SetSplitting", R"({"N": 3, "M": 2, "Sets": [[0, 1], [1, 2]], "reference_answer": "1"})");
  EXPECT_TRUE(problem->score("2 0").solved);
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("3").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
