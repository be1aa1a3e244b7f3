#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Order = std::vector<std::int64_t>;

// The pre-order and the value of every binary tree on the nodes first … end − 1.
std::vector<std::pair<Order, BigInt>> all_trees(const Order& scores, std::int64_t first,
                                                std::int64_t end) {
  if (first == end) return {{{}, 1}};
  std::vector<std::pair<Order, BigInt>> trees;
  for (std::int64_t root = first; root < end; ++root) {
    for (const auto& [left, left_value] : all_trees(scores, first, root)) {
      for (const auto& [right, right_value] : all_trees(scores, root + 1, end)) {
        Order order{root};
        order.insert(order.end(), left.begin(), left.end());
        order.insert(order.end(), right.begin(), right.end());
        const bool leaf = end - first == 1;
        trees.emplace_back(std::move(order), leaf
                                                 ? BigInt(scores[root])
                                                 : BigInt(left_value * right_value + scores[root]));
      }
    }
  }
  return trees;
}

TEST(WeightedBinaryTree, PaysEveryTreeByItsValue) {
  for (int level = 0; level <= 4; ++level) {
    for (std::uint64_t seed = 0; seed < 15; ++seed) {
      const auto problem = make_problem("WeightedBinaryTree", level, seed);
      const Json parameter = problem->parameter();
      const auto scores = parameter["scores"].get<Order>();
      const auto trees = all_trees(scores, 0, std::ssize(scores));
      BigInt greatest = 0;
      for (const auto& [order, value] : trees) greatest = std::max(greatest, value);
      std::map<Order, BigInt> values(trees.begin(), trees.end());
      Order order;
      for (std::size_t i = 0; i < scores.size(); ++i) order.push_back(std::ssize(order));
      do {
        const Verdict verdict = problem->score(format_answer(order));
        const auto tree = values.find(order);
        if (tree == values.end()) {
          EXPECT_EQ(verdict.reward, 0.0) << format_answer(order);
          continue;
        }
        EXPECT_EQ(verdict.solved, tree->second == greatest);
        EXPECT_NEAR(verdict.reward, std::pow(ratio(tree->second, greatest), 5), 1e-9);
      } while (std::ranges::next_permutation(order).found);
      EXPECT_TRUE(problem->score(problem->reference()).solved);
    }
  }
}

// With large numbers for every part, instead of rounded ones.
TEST(WeightedBinaryTree, IsExactForLongTrees) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto problem = make_problem("WeightedBinaryTree", 15, seed);
    const auto scores = problem->parameter()["scores"].get<Order>();
    std::map<std::pair<int, int>, BigInt> best;
    const int n = static_cast<int>(scores.size());
    for (int i = 0; i <= n; ++i) best[{i, i}] = 1;
    for (int size = 1; size <= n; ++size) {
      for (int first = 0; first + size <= n; ++first) {
        BigInt& greatest = best[{first, first + size}];
        for (int root = first; root < first + size; ++root) {
          BigInt value = best[{first, root}] * best[{root + 1, first + size}] + scores[root];
          if (size == 1) value = scores[root];
          greatest = std::max(greatest, value);
        }
      }
    }
    EXPECT_EQ(to_json(best[{0, n}]), problem->parameter()["gold"]);
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
}

TEST(WeightedBinaryTree, TellsNoTreeFromNoOrder) {
  const auto problem =
      restore_problem("WeightedBinaryTree", R"({"N": 3, "scores": [4, 1, 2], "gold": 9})");
  EXPECT_EQ(problem->score("1 0 2").reward, 1.0);
  EXPECT_EQ(problem->score("1 2 0").reward, 0.0);
  EXPECT_EQ(problem->score("1 1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 0").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
