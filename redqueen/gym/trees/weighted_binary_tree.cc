#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/sequence/indices.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct WeightedBinaryTree {
  static constexpr Card card{
      .name = "WeightedBinaryTree",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Find the binary tree with a given in-order in which products of the subtrees' values "
          "give the root the greatest value.",
      .levels =
          "The tree has 3 nodes; their number grows by a tenth and one each level. Beyond level "
          "35 the best tree takes long to find.",
      .rewards =
          "-1 malformed, -0.5 not every node once, 0 the pre-order of no such tree, else (value / "
          "greatest value)^5.",
      .differences =
          "A value a little below the greatest is not solved, however great it is. From 5 nodes "
          "on, a problem is drawn again that is solved by a chain, the most even tree, or the "
          "least score on top of each part, with two children or anyhow; of several draws of up to "
          "7 nodes every tree is as likely.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "There are 5 trees with 3 nodes and 132 with 6, at level 3, and many of them have a good "
          "part of the greatest value; up to level 5 one tree is best in a fifth of the problems.",
      .guess_until_level = 5,
      .source = "NOIP 2003: binary tree with bonus points",
      .max_level = 35,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kRulesFrom = 5;
  static constexpr int kDraws = 100;
  static constexpr int kSpreadBelow = 8;  // nodes: up to here, trees are drawn evenly
  static constexpr int kSpreadDraws = 16;
  static constexpr int kMaxNodes = 300;
  static constexpr std::int64_t kMaxScore = 1000;

  struct Config {
    int N = 0;
    std::int64_t MAX_SCORE = 0;
    REDQUEEN_FIELDS(N, MAX_SCORE)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> scores;
    BigInt gold;  // the greatest value
    REDQUEEN_FIELDS(N, scores, gold)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level), .MAX_SCORE = 5}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] { return published(config, rng); };
    if (config.N < kRulesFrom) return draw();
    const auto accept = [](const Problem& problem) {
      return !some_rule_solves<WeightedBinaryTree>(problem);
    };
    if (config.N >= kSpreadBelow) return draw_accepted(kDraws, draw, accept);
    return draw_spread(kSpreadDraws, rng, [&]() -> std::optional<std::pair<Answer, Problem>> {
      Problem problem = draw();
      if (!accept(problem)) return std::nullopt;
      Answer tree = solve(problem);
      return std::pair(std::move(tree), std::move(problem));
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .scores = draw_numbers(config.N, 1, config.MAX_SCORE, rng)};
    problem.gold = Best(problem).value();
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxNodes));
    RETURN_IF_ERROR(check_numbers("scores", problem.scores, problem.N, 1, kMaxScore));
    return reference_is("gold", problem.gold, Best(problem).value());
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A binary tree has the nodes 0 to {0}. Its in-order is 0, 1, ..., {0}: the nodes of the "
        "left subtree of a node are less than this node, those of its right subtree greater. Each "
        "node has a score:\n"
        "{1}\n"
        "A node without children has its score d as value. Any other node has the value L * R + d, "
        "where d is its score, L the value of its left child and R that of its right child; a "
        "child that is missing counts 1. Find a tree whose root has the greatest value that is "
        "possible. If there are several, any of them will do.\n"
        "Answer with the pre-order of the tree: its {2} nodes on one line, separated by spaces, "
        "where each node comes before its left subtree, and this before its right subtree.",
        problem.N - 1, with_indices("d", problem.scores), problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer)) return kInvalidReward;
    const std::optional<BigInt> value = value_of(problem, answer, 0, 0, problem.N);
    return value ? maximise_reward(*value, problem.gold, kBeta) : 0.0;
  }

  static Answer solve(const Problem& problem) {
    return preorder(problem.N,
                    [best = Best(problem)](int first, int end) { return best.root(first, end); });
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return preorder(problem.N, [&](int first, int end) { return rng.integer(first, end - 1); });
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::vector<std::int64_t>& d = problem.scores;
    const auto least = [&](int first, int end) {
      return std::min_element(d.begin() + first, d.begin() + end) - d.begin();
    };
    const auto least_within = [&](int first, int end) {
      if (end - first <= 2) return least(first, end);
      return std::min_element(d.begin() + first + 1, d.begin() + end - 1) - d.begin();
    };
    return {{"the chain 0 1 2 ...", ascending_order(problem.N)},
            {"the chain from the last node", descending_order(problem.N)},
            {"the most even tree",
             preorder(problem.N, [](int first, int end) { return (first + end) / 2; })},
            {"the least score on top", preorder(problem.N, least)},
            {"the least score with two children on top", preorder(problem.N, least_within)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // The tree whose part of the nodes first … end − 1 has the root root_of(first, end).
  template <typename RootOf>
  static Answer preorder(int n, const RootOf& root_of) {
    Answer order;
    order.reserve(n);
    std::vector<std::pair<int, int>> open{{0, n}};
    while (!open.empty()) {
      const auto [first, end] = open.back();
      open.pop_back();
      if (first == end) continue;
      const int root = static_cast<int>(root_of(first, end));
      order.push_back(root);
      open.emplace_back(root + 1, end);
      open.emplace_back(first, root);
    }
    return order;
  }

  // Of the part of the tree with the nodes first … end − 1, which begins at `place` of the
  // pre-order; nullopt if it is no pre-order of them.
  static std::optional<BigInt> value_of(const Problem& problem, const Answer& order, int place,
                                        int first, int end) {
    if (first == end) return BigInt(1);
    const std::int64_t root = order[place];
    if (root < first || root >= end) return std::nullopt;
    const std::int64_t own = problem.scores[root];
    if (end - first == 1) return BigInt(own);
    const int middle = static_cast<int>(root);
    const auto left = value_of(problem, order, place + 1, first, middle);
    if (!left) return std::nullopt;
    const auto right = value_of(problem, order, place + 1 + middle - first, middle + 1, end);
    if (!right) return std::nullopt;
    return BigInt(*left * *right + own);
  }

  // The best value and root of every part. Roots are compared by rounded values, and exactly only
  // where these are too close: O(N³) rounded steps, but few with large numbers.
  class Best {
   public:
    explicit Best(const Problem& problem)
        : n_(problem.N), cells_(static_cast<std::size_t>(n_ + 1) * (n_ + 1)) {
      for (int i = 0; i <= n_; ++i) at(i, i) = {.rounded = 1.0L, .exact = 1, .root = -1};
      for (int size = 1; size <= n_; ++size) {
        for (int first = 0; first + size <= n_; ++first) {
          fill(problem.scores, first, first + size);
        }
      }
    }

    BigInt value() const { return cells_[n_].exact; }
    int root(int first, int end) const {
      return cells_[static_cast<std::size_t>(first * (n_ + 1) + end)].root;
    }

   private:
    struct Cell {
      long double rounded = 0.0L;
      BigInt exact;
      int root = -1;
    };

    Cell& at(int first, int end) {
      return cells_[static_cast<std::size_t>(first * (n_ + 1) + end)];
    }

    void fill(const std::vector<std::int64_t>& scores, int first, int end) {
      if (end - first == 1) {
        at(first, end) = {.rounded = static_cast<long double>(scores[first]),
                          .exact = scores[first],
                          .root = first};
        return;
      }
      const auto rounded = [&](int root) {
        return at(first, root).rounded * at(root + 1, end).rounded +
               static_cast<long double>(scores[root]);
      };
      long double greatest = 0.0L;
      for (int root = first; root < end; ++root) greatest = std::max(greatest, rounded(root));
      constexpr long double kCloseness = 1e-12L;  // far beyond what rounding can do
      Cell best;
      for (int root = first; root < end; ++root) {
        if (rounded(root) < greatest * (1.0L - kCloseness)) continue;
        BigInt exact = at(first, root).exact * at(root + 1, end).exact + scores[root];
        if (best.root >= 0 && exact <= best.exact) continue;
        best = {.rounded = rounded(root), .exact = std::move(exact), .root = root};
      }
      at(first, end) = std::move(best);
    }

    int n_;
    std::vector<Cell> cells_;  // (n + 1)²: first, end
  };
};
REDQUEEN_ENVIRONMENT(WeightedBinaryTree);

}  // namespace
}  // namespace redqueen
