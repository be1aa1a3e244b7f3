#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct Maximum_IndependentSet_Tree {
  static constexpr Card card{
      .name = "Maximum_IndependentSet_Tree",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Choose vertices of a tree, no two of them neighbours, with the greatest total weight.",
      .levels =
          "From 4 vertices, a tenth and one more a level. Beyond level 49, the list of edges would "
          "be too long to read.",
      .rewards =
          "-1 malformed, -0.5 a vertex that does not exist or comes twice, or two neighbours, else "
          "(total / greatest total)^3.",
      .differences =
          "Trees are long, bushy or neither, and their edges come in random order. From 6 vertices "
          "on, a problem is drawn again that is solved by taking the heaviest vertex again and "
          "again, all leaves first, or every second vertex; from 8 vertices on, also one that is "
          "solved by taking the vertex with most weight for its neighbours.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "In trees of 6 and 7 vertices, at levels 2 and 3, taking the vertex with most weight for "
          "its neighbours again and again is mostly right.",
      .guess_until_level = 3,
      .max_level = 49,
  };

  static constexpr double kBeta = 3.0;
  static constexpr int kFewVertices = 6;
  static constexpr int kManyVertices = 8;  // from here on, the rule by shares can be avoided
  static constexpr int kDraws = 500;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    std::vector<std::int64_t> R;
    std::int64_t reference_weight = 0;
    REDQUEEN_FIELDS(N, edges, R, reference_weight)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = draw_accepted(
        kDraws,
        [&] {
          Problem draft{.N = config.N,
                        .edges = random_shaped_tree(rng.permutation(config.N), rng),
                        .R = draw_numbers(config.N, 1, config.N, rng),
                        .reference_weight = 0};
          draft.reference_weight = weight_of(draft, solve(draft));
          return draft;
        },
        [&](const Problem& draft) {
          return config.N < kFewVertices ||
                 !some_rule_is_best<Maximum_IndependentSet_Tree>(
                     draft, [&](const Answer& vertices) {
                       return weight_of(draft, vertices) == draft.reference_weight;
                     });
        });
    disguise_edges(problem.edges, rng);
    return problem;
  }

  // The edges stay in the order in which the tree grew.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .edges = random_recursive_tree(rng.permutation(n), rng),
                    .R = draw_numbers(n, 1, n, rng),
                    .reference_weight = 0};
    for (auto& [u, v] : problem.edges) {
      if (u > v) std::swap(u, v);
    }
    problem.reference_weight = weight_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, problem.edges));
    RETURN_IF_ERROR(check_numbers("R", problem.R, problem.N, 1, kMaxWeight));
    return reference_is("reference_weight", problem.reference_weight,
                        weight_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 0 to {} and these edges, each given by its two ends:\n"
        "{}\n"
        "The vertices have these weights:\n"
        "{}\n"
        "Choose different vertices, no two of them joined by an edge, such that the sum of their "
        "weights is as large as possible.\n"
        "Answer with the chosen vertices in any order on one line, separated by spaces.",
        problem.N - 1, format_edges(problem.edges), with_indices("R", problem.R));
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<char> chosen(problem.R.size());
    for (const std::int64_t v : answer) {
      if (v < 0 || v >= problem.N || std::exchange(chosen[v], 1) != 0) return kInvalidReward;
    }
    for (const auto& [a, b] : problem.edges) {
      if (chosen[a] && chosen[b]) return kInvalidReward;
    }
    return maximise_reward(weight_of(problem, answer), problem.reference_weight, kBeta);
  }

  // with[v], without[v]: the greatest weight below v if v is chosen, and if it is not.
  static Answer solve(const Problem& problem) {
    const RootedTree tree = *root_tree(problem.N, problem.edges, 0);
    std::vector<std::int64_t> with = problem.R;
    std::vector<std::int64_t> without(problem.R.size());
    for (std::size_t i = tree.order.size() - 1; i > 0; --i) {
      const int v = tree.order[i];
      with[tree.parent[v]] += without[v];
      without[tree.parent[v]] += std::max(with[v], without[v]);
    }
    Answer best;
    std::vector<char> chosen(problem.R.size());
    for (const int v : tree.order) {
      const bool is_free = v == 0 || !chosen[tree.parent[v]];
      if (!is_free || with[v] <= without[v]) continue;
      chosen[v] = 1;
      best.push_back(v);
    }
    return best;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return taken_in_order(*root_tree(problem.N, problem.edges, 0), rng.permutation(problem.N));
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    const RootedTree tree = *root_tree(problem.N, problem.edges, 0);
    if (problem.N >= kManyVertices && visit(kByShare, by_share(problem, tree))) return true;
    std::vector<int> order(problem.R.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater(), [&](int v) { return problem.R[v]; });
    if (visit("the heaviest vertex again and again", taken_in_order(tree, order))) return true;
    const std::vector<int> degree = degrees(problem.N, problem.edges);
    std::ranges::stable_partition(order, [&](int v) { return degree[v] == 1; });
    if (visit("all leaves, then the heaviest", taken_in_order(tree, order))) return true;
    std::vector<char> is_odd(problem.R.size());
    std::array<Answer, 2> layers;
    for (const int v : tree.order) {
      if (v != 0) is_odd[v] = !is_odd[tree.parent[v]];
      layers[is_odd[v]].push_back(v);
    }
    const bool odd = weight_of(problem, layers[1]) > weight_of(problem, layers[0]);
    return visit("the heavier half, of vertices an even way apart", layers[odd]);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto all = all_rules<Maximum_IndependentSet_Tree>(problem);
    if (problem.N < kManyVertices) {
      all.push_back({kByShare, by_share(problem, *root_tree(problem.N, problem.edges, 0))});
    }
    return as_shortcuts(all);
  }

 private:
  static constexpr std::string_view kByShare = "the most weight for its neighbours again and again";

  static Answer by_share(const Problem& problem, const RootedTree& tree) {
    const std::vector<int> degree = degrees(problem.N, problem.edges);
    std::vector<int> order(problem.R.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int u, int v) {
      return problem.R[u] * (degree[v] + 1) > problem.R[v] * (degree[u] + 1);
    });
    return taken_in_order(tree, order);
  }

  static std::int64_t weight_of(const Problem& problem, const Answer& vertices) {
    std::int64_t weight = 0;
    for (const std::int64_t v : vertices) weight += problem.R[v];
    return weight;
  }

  // Every vertex that is no neighbour of one before it.
  static Answer taken_in_order(const RootedTree& tree, const std::vector<int>& order) {
    std::vector<char> chosen(order.size());
    std::vector<char> has_chosen_child(order.size());
    Answer taken;
    for (const int v : order) {
      const int parent = tree.parent[v];
      if (has_chosen_child[v] || (parent >= 0 && chosen[parent])) continue;
      chosen[v] = 1;
      if (parent >= 0) has_chosen_child[parent] = 1;
      taken.push_back(v);
    }
    return taken;
  }
};
REDQUEEN_ENVIRONMENT(Maximum_IndependentSet_Tree);

}  // namespace
}  // namespace redqueen
