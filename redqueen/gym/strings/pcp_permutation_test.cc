#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Strings = std::vector<std::string>;

// Every order of the indices, one by one.
TEST(PCPPermutation, ScoresEveryOrderByAgreeingPlaces) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("PCPPermutation", static_cast<int>(seed % 4), seed);
    const auto a = problem->parameter()["A"].get<Strings>();
    const auto b = problem->parameter()["B"].get<Strings>();
    std::vector<int> order(a.size());
    std::iota(order.begin(), order.end(), 0);
    bool solvable = false;
    do {
      std::string left;
      std::string right;
      for (const int index : order) {
        left += a[index];
        right += b[index];
      }
      double agreeing = 0;
      for (std::size_t i = 0; i < left.size(); ++i) agreeing += left[i] == right[i] ? 1 : 0;
      const Verdict verdict = problem->score(format_answer(order));
      EXPECT_EQ(verdict.solved, left == right);
      EXPECT_NEAR(verdict.reward, std::pow(agreeing / static_cast<double>(left.size()), 10), 1e-12);
      solvable = solvable || left == right;
    } while (std::ranges::next_permutation(order).found);
    EXPECT_TRUE(solvable);
  }
}

TEST(PCPPermutation, AcceptsAnyOrderThatWorks) {
  const auto problem = restore_problem(
      "PCPPermutation",
      R"({"N": 3, "A": ["bb", "b", "b"], "B": ["b", "b", "bb"], "reference_answer": "2 0 1"})");
  EXPECT_TRUE(problem->score("0 1 2").solved);
  EXPECT_EQ(problem->score("0 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 1").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("bb b b").well_formed);
}

}  // namespace
}  // namespace redqueen
