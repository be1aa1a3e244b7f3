#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Order = std::vector<std::int64_t>;

// Of every binary tree on an in-order: its post-order and its pre-order.
std::vector<std::pair<Order, Order>> trees_on(std::span<const std::int64_t> inorder) {
  if (inorder.empty()) return {{{}, {}}};
  std::vector<std::pair<Order, Order>> trees;
  for (std::size_t root = 0; root < inorder.size(); ++root) {
    for (const auto& [left_post, left_pre] : trees_on(inorder.first(root))) {
      for (const auto& [right_post, right_pre] : trees_on(inorder.subspan(root + 1))) {
        Order post = left_post;
        post.insert(post.end(), right_post.begin(), right_post.end());
        post.push_back(inorder[root]);
        Order pre{inorder[root]};
        pre.insert(pre.end(), left_pre.begin(), left_pre.end());
        pre.insert(pre.end(), right_pre.begin(), right_pre.end());
        trees.emplace_back(std::move(post), std::move(pre));
      }
    }
  }
  return trees;
}

TEST(PreorderTraversal, AgreesWithAllTreesOnTheInorder) {
  for (int level = 0; level <= 4; ++level) {
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
      const auto problem = make_problem("PreorderTraversal", level, seed);
      const Json parameter = problem->parameter();
      int found = 0;
      for (const auto& [post, pre] : trees_on(parameter["inorder_traversal"].get<Order>())) {
        if (post != parameter["postorder_traversal"].get<Order>()) continue;
        ++found;
        EXPECT_EQ(problem->reference(), format_answer(pre)) << problem->prompt();
      }
      EXPECT_EQ(found, 1);
    }
  }
}

TEST(PreorderTraversal, RefusesOrdersOfNoTree) {
  const std::vector<std::int64_t> inorder{0, 1, 2, 3};
  const auto trees = trees_on(inorder);
  Order post = inorder;
  int accepted = 0;
  do {
    const auto restored =
        Registry::native()
            .find("PreorderTraversal")
            ->restore(
                Json{{"N", 4}, {"inorder_traversal", inorder}, {"postorder_traversal", post}});
    accepted += restored.has_value();
    const bool is_tree =
        std::ranges::any_of(trees, [&](const auto& tree) { return tree.first == post; });
    EXPECT_EQ(restored.has_value(), is_tree) << format_answer(post);
  } while (std::ranges::next_permutation(post).found);
  EXPECT_EQ(accepted, 14);
}

}  // namespace
}  // namespace redqueen
