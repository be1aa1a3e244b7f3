#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All trees of up to `most` nodes by their rank, each of them written down.
std::vector<std::string> ranked_trees(std::size_t most, char letter, bool right_first) {
  std::vector<std::string> trees{""};
  std::vector<std::size_t> first_rank{0, 1};  // of each size, and of the next
  const auto part = [](const std::string& tree) { return tree.empty() ? tree : "(" + tree + ")"; };
  for (std::size_t size = 1; size <= most; ++size) {
    for (std::size_t chief = 0; chief < size; ++chief) {
      const std::size_t other = size - 1 - chief;
      for (std::size_t i = first_rank[chief]; i < first_rank[chief + 1]; ++i) {
        for (std::size_t k = first_rank[other]; k < first_rank[other + 1]; ++k) {
          trees.push_back(part(trees[right_first ? k : i]) + letter +
                          part(trees[right_first ? i : k]));
        }
      }
    }
    first_rank.push_back(trees.size());
  }
  return trees;
}

TEST(Kth_BinaryTree, AgreesWithAListOfAllTrees) {
  for (const bool right_first : {false, true}) {
    const auto trees = ranked_trees(8, 'Q', right_first);
    ASSERT_EQ(trees.size(), 1u + 1 + 2 + 5 + 14 + 42 + 132 + 429 + 1430);
    for (std::size_t rank = 1; rank < trees.size(); ++rank) {
      const auto problem = restore_problem(
          "Kth_BinaryTree",
          fmt::format(R"({{"MAX_N": 4000, "N": {}, "letter": "Q", "right_first": {}}})", rank,
                      right_first));
      ASSERT_EQ(problem->reference(), trees[rank]) << rank;
    }
  }
}

TEST(Kth_BinaryTree, ReadsPublishedProblems) {
  const auto problem = restore_problem("Kth_BinaryTree", R"({"MAX_N": 30, "N": 20})");
  EXPECT_TRUE(problem->score("((X)X(X))X").solved);
  EXPECT_EQ(problem->score("(X(X)X(X))X").reward, 0.0);
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("((X)X(X)) X").reward, kInvalidReward);
  EXPECT_EQ(problem->score("((Y)Y(Y))Y").reward, kInvalidReward);
}

TEST(Kth_BinaryTree, HoldsTheHighestRanks) {
  const auto problem = restore_problem(
      "Kth_BinaryTree", R"({"MAX_N": 2305843009213693952, "N": 2305843009213693952})");
  EXPECT_EQ(std::ranges::count(problem->reference(), 'X'), 35);
}

}  // namespace
}  // namespace redqueen
