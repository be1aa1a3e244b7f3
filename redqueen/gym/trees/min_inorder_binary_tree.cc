#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct MinInorderBinaryTree {
  static constexpr Card card{
      .name = "MinInorderBinaryTree",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task =
          "Choose the root and the left and right children of a tree such that its inorder "
          "traversal is lexicographically smallest.",
      .levels = "From 4 nodes, one more a level.",
      .rewards =
          "-1 malformed, -0.5 not an order of the nodes, else (places that are right / nodes)^10.",
      .differences =
          "Of several draws of 4 or 5 nodes, every answer is as likely. From 6 nodes on, a problem "
          "is drawn again that is solved by the ascending order, by a walk from the first node to "
          "its smaller neighbours first, or with the root at the first node of at most two "
          "neighbours.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "Trees of 4 nodes, at level 0, have few answers.",
      .guess_until_level = 0,
  };

  static constexpr int kFewNodes = 6;
  static constexpr int kDraws = 500;
  static constexpr int kSpread = 24;  // draws of few nodes, among which answers are as likely

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;  // nodes from 1
    std::vector<std::int64_t> gold_answer;
    REDQUEEN_FIELDS(N, edges, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    if (config.N < kFewNodes) {
      return draw_spread(kSpread, rng, [&] {
        Problem draft = drawn(config, rng);
        return std::optional(std::pair(draft.gold_answer, draft));
      });
    }
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [](const Problem& draft) { return !some_rule_solves<MinInorderBinaryTree>(draft); });
  }

  static Problem published(const Config& config, Rng& rng) { return drawn(config, rng); }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, problem.edges, 1));
    if (std::ranges::max(degrees(problem.N, relabelled(problem.edges, -1))) > 3) {
      return failure("\"edges\": a node of a binary tree has at most 3 neighbours");
    }
    return reference_is("gold_answer", problem.gold_answer, best_traversal(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the nodes 1 to {} and these edges, each given by its two ends:\n"
        "{}\n"
        "Make a binary tree of it: choose any node with at most two neighbours as the root, which "
        "makes the neighbours of each node its parent and its children, and choose for each child "
        "whether it is the left or the right one; a node has at most one left and at most one "
        "right child, and an only child may be either. The inorder traversal of a binary tree is "
        "that of the left subtree of the root, then the root, then that of the right subtree.\n"
        "Choose such that the inorder traversal is lexicographically smallest: its first number as "
        "small as possible, then its second, and so on.\n"
        "Answer with this traversal, {} numbers on one line, separated by spaces.",
        problem.N, format_edges(problem.edges), problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer, 1)) return kInvalidReward;
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) matches += answer[i] == problem.gold_answer[i];
    return share_reward(matches, problem.N);
  }

  static Answer solve(const Problem& problem) { return problem.gold_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer order = ascending_order(problem.N, 1);
    rng.shuffle(order);
    return order;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::vector<int> degree = degrees(problem.N, relabelled(problem.edges, -1));
    const auto first = std::ranges::find_if(degree, [](int d) { return d <= 2; });
    return {{"ascending", ascending_order(problem.N, 1)},
            {"a walk from the first node, smaller neighbours first", walk(problem)},
            {"the first node with at most two neighbours as the root",
             Rooting(problem, static_cast<int>(first - degree.begin())).traversal()}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem drawn(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .edges = {}, .gold_answer = {}};
    const std::vector<int> nodes = rng.permutation(config.N);
    grow(nodes, problem.edges, rng);
    disguise_edges(problem.edges, rng);
    problem.gold_answer = best_traversal(problem);
    return problem;
  }

  // The first node is the root; the size of its left subtree is uniform.
  static void grow(std::span<const int> nodes, std::vector<Edge>& edges, Rng& rng) {
    const std::size_t left = rng.below(nodes.size());
    const std::span<const int> rest = nodes.subspan(1);
    for (const auto& part : {rest.first(left), rest.subspan(left)}) {
      if (part.empty()) continue;
      edges.emplace_back(nodes[0] + 1, part[0] + 1);
      grow(part, edges, rng);
    }
  }

  // The smallest traversal with a given root. As all labels differ, the first numbers decide which
  // of two parts should come first.
  struct Rooting {
    RootedTree tree;
    std::vector<std::array<int, 2>> children;  // −1: none; that with the smaller start first
    std::vector<int> start;                    // the first number of the traversal of a subtree

    Rooting(const Problem& problem, int root)
        : tree(*root_tree(problem.N, relabelled(problem.edges, -1), root)),
          children(tree.order.size(), {-1, -1}),
          start(tree.order.size()) {
      for (std::size_t i = tree.order.size(); i-- > 0;) {
        const int v = tree.order[i];
        auto& [left, right] = children[v];
        if (right >= 0 && start[right] < start[left]) std::swap(left, right);
        start[v] = right >= 0 ? start[left] : left >= 0 ? std::min(start[left], v) : v;
        if (i > 0) {
          auto& siblings = children[tree.parent[v]];
          siblings[siblings[0] < 0 ? 0 : 1] = v;
        }
      }
    }

    Answer traversal() const {
      Answer order;
      visit(tree.order[0], order);
      return order;
    }

    void visit(int v, Answer& order) const {
      const auto [left, right] = children[v];
      const bool node_first = left < 0 || (right < 0 && v < start[left]);
      if (node_first) order.push_back(v + 1);
      if (left >= 0) visit(left, order);
      if (!node_first) order.push_back(v + 1);
      if (right >= 0) visit(right, order);
    }
  };

  static Answer best_traversal(const Problem& problem) {
    const std::vector<int> degree = degrees(problem.N, relabelled(problem.edges, -1));
    Answer best{problem.N + 1};
    for (int root = 0; root < problem.N; ++root) {
      if (degree[root] > 2) continue;
      const Rooting rooting(problem, root);
      if (rooting.start[root] + 1 <= best[0]) best = std::min(best, rooting.traversal());
    }
    return best;
  }

  // Depth first from node 1; each node is noted when it is entered.
  static Answer walk(const Problem& problem) {
    const RootedTree tree = *root_tree(problem.N, relabelled(problem.edges, -1), 0);
    std::vector<std::vector<int>> children(tree.order.size());
    for (int v = problem.N - 1; v > 0; --v)
      children[tree.parent[v]].push_back(v);  // last one first
    Answer order;
    std::vector<int> open{0};
    while (!open.empty()) {
      const int v = open.back();
      open.pop_back();
      order.push_back(v + 1);
      open.insert(open.end(), children[v].begin(), children[v].end());
    }
    return order;
  }
};
REDQUEEN_ENVIRONMENT(MinInorderBinaryTree);

}  // namespace
}  // namespace redqueen
