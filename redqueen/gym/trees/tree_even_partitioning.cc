#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct TreeEvenPartitioning {
  static constexpr Card card{
      .name = "TreeEvenPartitioning",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kFeasibility,
      .task = "Cut a tree into connected parts of equal size.",
      .levels =
          "There are at most 3 parts of 2 vertices; the bounds on the number and on the size of "
          "the parts grow by one, in turn, each level.",
      .rewards =
          "-1 malformed or not N lines of K numbers, -0.5 not every vertex once, else (connected "
          "parts / N)^5.",
      .differences =
          "Number and size of the parts lie in the upper halves of what a level allows, and parts "
          "are long or bushy to different degrees. After level 0, a problem is drawn again that "
          "is solved by cutting a breadth-first or depth-first order from vertex 1 into pieces of "
          "K vertices.",
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kMaxParts = 5000;  // or vertices
  static constexpr int kDraws = 100;

  struct Config {
    int MAX_N = 0;
    int MAX_K = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_K)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<Edge> edges;  // vertices from 1
    REDQUEEN_FIELDS(N, K, edges)
  };
  using Answer = std::vector<std::vector<std::int64_t>>;

  static Config at_level(int level, Rng&) {
    return {.MAX_N = 3 + level / 2, .MAX_K = 2 + (level + 1) / 2};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] {
          const auto n = static_cast<int>(draw_upper_half(2, config.MAX_N, rng));
          const auto k = static_cast<int>(draw_upper_half(2, config.MAX_K, rng));
          return drawn(n, k, random_shaped_tree, rng);
        },
        [&](const Problem& problem) {
          return config.MAX_K == 2 || !some_rule_solves<TreeEvenPartitioning>(problem);
        });
  }

  static Problem published(const Config& config, Rng& rng) {
    const auto n = static_cast<int>(rng.integer(2, config.MAX_N));
    const auto k = static_cast<int>(rng.integer(2, config.MAX_K));
    return drawn(n, k, random_recursive_tree, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxParts));
    RETURN_IF_ERROR(within("K", problem.K, 1, kMaxParts / problem.N));
    if (!root_tree(problem.N * problem.K, relabelled(problem.edges, -1), 0)) {
      return failure("\"edges\": not the edges of a tree on the vertices 1 to \"N\" * \"K\"");
    }
    if (std::ssize(solve(problem)) != problem.N) {
      return failure("\"edges\": this tree has no \"N\" connected parts of \"K\" vertices");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 1 to {0} and these edges, each given by its two ends:\n"
        "{1}\n"
        "Divide its vertices among {2} parts of {3} vertices each, such that every part is "
        "connected: between any two vertices of a part, all vertices on their path in the tree "
        "belong to the same part. This is possible.\n"
        "Answer with {2} lines, one for each part in any order: its {3} vertices in any order, "
        "separated by spaces.",
        problem.N * problem.K, format_edges(problem.edges), problem.N, problem.K);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kMalformedReward;
    std::vector<std::int64_t> all;
    all.reserve(problem.edges.size() + 1);
    for (const auto& part : answer) {
      if (std::ssize(part) != problem.K) return kMalformedReward;
      all.insert(all.end(), part.begin(), part.end());
    }
    if (!is_order(problem.N * problem.K, all, 1)) return kInvalidReward;
    std::vector<int> part_of(all.size() + 1);
    for (std::size_t i = 0; i < all.size(); ++i) {
      part_of[all[i]] = static_cast<int>(i) / problem.K;
    }
    std::vector<int> edges_within(answer.size());
    for (const auto& [u, v] : problem.edges) {
      if (part_of[u] == part_of[v]) ++edges_within[part_of[u]];
    }
    return share_reward(std::ranges::count(edges_within, problem.K - 1), problem.N, kBeta);
  }

  // An edge joins two parts exactly if K divides the number of vertices below it, so that there is
  // no more than one way. Where there is none, the number of rows differs from N.
  static Answer solve(const Problem& problem) {
    const RootedTree tree = *root_tree(problem.N * problem.K, relabelled(problem.edges, -1), 0);
    const std::vector<int> sizes = subtree_sizes(tree);
    Answer parts;
    std::vector<int> part_of(sizes.size());
    for (const int v : tree.order) {
      if (sizes[v] % problem.K == 0) {
        part_of[v] = static_cast<int>(parts.size());
        parts.emplace_back();
      } else {
        part_of[v] = part_of[tree.parent[v]];
      }
      parts[part_of[v]].push_back(v + 1);
    }
    return parts;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<std::int64_t> all = ascending_order(problem.N * problem.K, 1);
    rng.shuffle(all);
    return pieces(problem, all);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const int n = problem.N * problem.K;
    const RootedTree tree = *root_tree(n, relabelled(problem.edges, -1), 0);
    const std::vector<int> sizes = subtree_sizes(tree);
    std::vector<std::int64_t> breadth_first;
    std::vector<std::int64_t> depth_first(sizes.size());
    std::vector<int> place(sizes.size());  // of a vertex in depth_first, then of its next child
    for (const int v : tree.order) {
      breadth_first.push_back(v + 1);
      if (tree.parent[v] >= 0) {
        int& next = place[tree.parent[v]];
        place[v] = next;
        next += sizes[v];
      }
      depth_first[place[v]++] = v + 1;
    }
    std::vector<std::int64_t> from_below(breadth_first.rbegin(), breadth_first.rend());
    return {{"a breadth-first order in pieces", pieces(problem, breadth_first)},
            {"a depth-first order in pieces", pieces(problem, depth_first)},
            {"a breadth-first order in pieces from its end", pieces(problem, from_below)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"the labels in pieces",
                     format_answer(pieces(problem, ascending_order(problem.N * problem.K, 1)))});
    return named;
  }

 private:
  // A tree of n parts with k vertices each, which are trees themselves.
  template <typename DrawTree>
  static Problem drawn(int n, int k, DrawTree draw_tree, Rng& rng) {
    Problem problem{.N = n, .K = k};
    const std::vector<int> label = rng.permutation(problem.N * problem.K);
    const std::span<const int> labels(label);
    for (int part = 0; part < problem.N; ++part) {
      const auto members = labels.subspan(static_cast<std::size_t>(part * problem.K),
                                          static_cast<std::size_t>(problem.K));
      for (const Edge& edge : draw_tree(members, rng)) problem.edges.push_back(edge);
    }
    const auto member = [&](int part) {
      return label[part * problem.K + static_cast<int>(rng.below(problem.K))];
    };
    for (const auto& [a, b] : draw_tree(rng.permutation(problem.N), rng)) {
      problem.edges.emplace_back(member(a), member(b));
    }
    problem.edges = relabelled(problem.edges, 1);
    disguise_edges(problem.edges, rng);
    return problem;
  }

  static Answer pieces(const Problem& problem, const std::vector<std::int64_t>& all) {
    Answer parts;
    for (int part = 0; part < problem.N; ++part) {
      const auto first = all.begin() + part * problem.K;
      parts.emplace_back(first, first + problem.K);
    }
    return parts;
  }
};
REDQUEEN_ENVIRONMENT(TreeEvenPartitioning);

}  // namespace
}  // namespace redqueen
