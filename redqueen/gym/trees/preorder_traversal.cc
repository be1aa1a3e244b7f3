#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct PreorderTraversal {
  static constexpr Card card{
      .name = "PreorderTraversal",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task = "Find the pre-order of a binary tree from its in-order and its post-order.",
      .levels =
          "The tree has 3 nodes; their number grows by a tenth and one each level. Beyond level 50 "
          "it only gets longer.",
      .rewards = "-1 malformed, 0 not N numbers, else (places that are right / N)^10.",
      .differences =
          "From 4 nodes on, trees are drawn again where the post-order backwards, the in-order, or "
          "the root and the rest of the post-order is the answer.",
      .max_level = 50,
  };

  static constexpr int kMaxNodes = 5000;
  static constexpr int kRulesFrom = 4;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> inorder_traversal;
    std::vector<std::int64_t> postorder_traversal;
    REDQUEEN_FIELDS(N, inorder_traversal, postorder_traversal)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = published(config, rng);
    if (config.N >= kRulesFrom && some_rule_solves<PreorderTraversal>(problem)) throw Retry();
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .inorder_traversal = ascending_order(config.N)};
    rng.shuffle(problem.inorder_traversal);
    problem.postorder_traversal = draw_postorder(problem.inorder_traversal, rng);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxNodes));
    if (!is_order(problem.N, problem.inorder_traversal)) {
      return failure("\"inorder_traversal\": expected each of 0 to {} once", problem.N - 1);
    }
    if (!is_order(problem.N, problem.postorder_traversal) || !preorder(problem)) {
      return failure("\"postorder_traversal\": no binary tree has this and \"inorder_traversal\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A node of a binary tree has a left subtree and a right subtree, both of which may be "
        "empty. Three orders visit a tree: the in-order is the in-order of its left subtree, then "
        "its root, then the in-order of its right subtree; the post-order is the post-order of its "
        "left subtree, then that of its right subtree, then its root; the pre-order is its root, "
        "then the pre-order of its left subtree, then that of its right subtree. The order of an "
        "empty tree is empty.\n"
        "A binary tree with the nodes 0 to {} has the in-order\n{}\nand the post-order\n{}\n"
        "What is its pre-order?\n"
        "Answer with the {} nodes in this order on one line, separated by spaces.",
        problem.N - 1, format_answer(problem.inorder_traversal),
        format_answer(problem.postorder_traversal), problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != static_cast<std::size_t>(problem.N)) return 0.0;
    const Answer right = solve(problem);
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < right.size(); ++i) matches += answer[i] == right[i];
    return share_reward(matches, problem.N);
  }

  static Answer solve(const Problem& problem) { return *preorder(problem); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = ascending_order(problem.N);
    rng.shuffle(answer);
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const Answer& post = problem.postorder_traversal;
    Answer root_first{post.back()};
    root_first.insert(root_first.end(), post.begin(), post.end() - 1);
    return {{"the post-order backwards", Answer(post.rbegin(), post.rend())},
            {"the root and the rest of the post-order", std::move(root_first)},
            {"the in-order", problem.inorder_traversal}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // A part of the in-order, and the place in the post-order where the nodes of this part begin.
  struct Part {
    int first;
    int size;
    int first_in_post;
  };

  // The root of each part is uniform. Written from behind: a root, its right part, its left part.
  static Answer draw_postorder(const Answer& inorder, Rng& rng) {
    Answer post(inorder.size());
    std::size_t place = post.size();
    std::vector<Part> open{{0, static_cast<int>(inorder.size()), 0}};
    while (!open.empty()) {
      const Part part = open.back();
      open.pop_back();
      const int left = static_cast<int>(rng.below(part.size));
      post[--place] = inorder[part.first + left];
      if (left > 0) open.push_back({part.first, left, 0});
      const int right = part.size - 1 - left;
      if (right > 0) open.push_back({part.first + left + 1, right, 0});
    }
    return post;
  }

  // nullopt: no tree has these orders, each of which holds every node once.
  static std::optional<Answer> preorder(const Problem& problem) {
    std::vector<int> place(problem.N);  // in the in-order
    for (int i = 0; i < problem.N; ++i) place[problem.inorder_traversal[i]] = i;
    Answer order;
    order.reserve(problem.N);
    std::vector<Part> open{{0, problem.N, 0}};
    while (!open.empty()) {
      const Part part = open.back();
      open.pop_back();
      const std::int64_t root = problem.postorder_traversal[part.first_in_post + part.size - 1];
      const int left = place[root] - part.first;
      if (left < 0 || left >= part.size) return std::nullopt;
      order.push_back(root);
      const int right = part.size - 1 - left;
      if (right > 0) {
        open.push_back({part.first + left + 1, right, part.first_in_post + left});
      }
      if (left > 0) open.push_back({part.first, left, part.first_in_post});
    }
    return order;
  }
};
REDQUEEN_ENVIRONMENT(PreorderTraversal);

}  // namespace
}  // namespace redqueen
