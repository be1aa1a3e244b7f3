#include "redqueen/gym/common/answer/fraction_answer.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The number of leaves of every tree of n nodes, one tree after another.
std::vector<int> leaves_of_all_trees(int n) {
  if (n <= 1) return {n};
  std::vector<int> all;
  for (int left = 0; left < n; ++left) {
    const auto rights = leaves_of_all_trees(n - 1 - left);
    for (const int a : leaves_of_all_trees(left)) {
      for (const int b : rights) all.push_back(a + b);
    }
  }
  return all;
}

TEST(BinaryTreeLeafNumExpectation, AgreesWithAllTrees) {
  for (int n = 1; n <= 9; ++n) {
    const auto problem = restore_problem("BinaryTreeLeafNumExpectation",
                                         fmt::format(R"({{"MAX_N": 9, "N": {}}})", n));
    std::int64_t leaves = 0;
    const auto trees = leaves_of_all_trees(n);
    for (const int count : trees) leaves += count;
    const std::string sum = fmt::format("{}/{}", leaves, trees.size());
    EXPECT_TRUE(problem->score(sum).solved) << sum;
    EXPECT_EQ(problem->reference(),
              format_fraction(reduced_fraction(leaves, static_cast<std::int64_t>(trees.size()))));
    EXPECT_EQ(problem->score(fmt::format("{}/{}", leaves + 1, trees.size())).reward, 0.0);
  }
}

TEST(BinaryTreeLeafNumExpectation, WantsAPositiveFraction) {
  const auto problem = restore_problem("BinaryTreeLeafNumExpectation", R"({"MAX_N": 5, "N": 2})");
  EXPECT_EQ(problem->reference(), "1/1");
  EXPECT_TRUE(problem->score("3/3").solved);
  EXPECT_FALSE(problem->score("1").well_formed);
  EXPECT_FALSE(problem->score("-1/-1").well_formed);
  EXPECT_FALSE(problem->score("1/0").well_formed);
}

}  // namespace
}  // namespace redqueen
