#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(SetCover, ScoresEveryChoiceOfSets) {
  for (int level = 0; level <= 4; ++level) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const auto problem = make_problem("SetCover", level, seed);
      const Json parameter = problem->parameter();
      const int n = parameter["N"];
      std::vector<unsigned> sets;
      for (const auto& set : parameter["Sets"]) {
        sets.push_back(0);
        for (const int item : set.get<std::vector<int>>()) sets.back() |= 1U << item;
        EXPECT_LT(std::popcount(sets.back()), n);
      }
      int solutions = 0;
      for (unsigned choice = 0; choice < 1U << sets.size(); ++choice) {
        std::vector<int> answer;
        unsigned covered = 0;
        bool apart = true;
        for (std::size_t i = 0; i < sets.size(); ++i) {
          if ((choice >> i & 1) == 0) continue;
          answer.push_back(static_cast<int>(i));
          apart = apart && (covered & sets[i]) == 0;
          covered |= sets[i];
        }
        const double share = std::popcount(covered) / static_cast<double>(n);
        const Verdict verdict = problem->score(format_answer(answer));
        EXPECT_NEAR(verdict.reward, apart ? std::pow(share, 10) : kInvalidReward, 1e-12);
        EXPECT_EQ(verdict.solved, apart && std::popcount(covered) == n);
        solutions += verdict.solved;
      }
      EXPECT_GT(solutions, 0);
      EXPECT_TRUE(problem->score(problem->reference()).solved);
    }
  }
}

TEST(SetCover, TakesASetNamedTwiceOnce) {
  const auto problem = restore_problem(
      "SetCover", R"({"N": 3, "Sets": [[0, 1], [2], [1, 2]], "reference_answer": "0 1"})");
  EXPECT_TRUE(problem->score("1 0 1").solved);
  EXPECT_EQ(problem->score("0 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("").reward, 0.0);
}

}  // namespace
}  // namespace redqueen
