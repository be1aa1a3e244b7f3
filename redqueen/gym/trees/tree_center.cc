#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct TreeCenter {
  static constexpr Card card{
      .name = "TreeCenter",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kMinimise,
      .task =
          "Find a vertex of a tree to which all vertices, each as often as its number says, have "
          "the shortest way in sum.",
      .levels = "The tree has 4 vertices, and one more each level.",
      .rewards = "-1 malformed or not a vertex, else (least sum / sum of the vertex)^8.",
      .differences =
          "Trees are long or bushy to different degrees and small numbers are more frequent than "
          "great ones. From 6 vertices on, a problem is drawn again that is solved by the vertex "
          "with most edges, the one with the greatest number, the one that halves the tree, the "
          "middle of the longest path, or the one with the greatest numbers around it; of several "
          "such vertices, by one of them.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "The answer is one of the vertices, which are few up to level 6, so that a guess is "
          "often right.",
      .guess_until_level = 6,
  };

  static constexpr double kBeta = 8.0;
  static constexpr int kRulesFrom = 6;
  static constexpr int kDraws = 200;
  static constexpr std::int64_t kMaxNumber = 1'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> C;
    std::vector<WeightedEdge> edges;  // vertices from 0
    std::int64_t gold_answer = 0;     // the least sum
    REDQUEEN_FIELDS(N, C, edges, gold_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = draw_accepted(
        kDraws,
        [&] {
          Problem draft{.N = config.N};
          for (int v = 0; v < config.N; ++v) {
            draft.C.push_back(rng.integer(1, rng.integer(1, config.N)));
          }
          draft.edges =
              weigh_edges(random_shaped_tree(rng.permutation(config.N), rng), 1, config.N, rng);
          draft.gold_answer = std::ranges::min(sums(draft));
          return draft;
        },
        [&](const Problem& draft) {
          if (config.N < kRulesFrom) return true;
          const std::vector<std::int64_t> sum = sums(draft);
          return !some_rule_is_best<TreeCenter>(
              draft, [&](Answer vertex) { return sum[vertex] == draft.gold_answer; });
        });
    relabel(problem, rng.permutation(config.N));
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{
        .N = n,
        .C = draw_numbers(n, 1, n, rng),
        .edges = weigh_edges(random_recursive_tree(rng.permutation(n), rng), 1, n, rng)};
    problem.gold_answer = std::ranges::min(sums(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, ends_of(problem.edges)));
    RETURN_IF_ERROR(check_numbers("C", problem.C, problem.N, 1, kMaxNumber));
    for (const auto& [u, v, weight] : problem.edges) {
      RETURN_IF_ERROR(within("edges", weight, 1, kMaxNumber));
    }
    return reference_is("gold_answer", problem.gold_answer, std::ranges::min(sums(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 0 to {}. Each of these lines gives an edge: its two ends and its "
        "length.\n"
        "{}\n"
        "Each vertex has a number:\n"
        "{}\n"
        "The distance of two vertices is the sum of the lengths on the path between them, and 0 "
        "from a vertex to itself. Find a vertex r for which the sum of C[i] times the distance "
        "between i and r, over all vertices i, is as small as possible. If there are several, any "
        "of them will do.\n"
        "Answer with r, one integer.",
        problem.N - 1, format_edges(problem.edges), with_indices("C", problem.C));
  }

  static std::vector<std::int64_t> measure(const Problem& problem) { return sums(problem); }

  static double score(const Problem& problem, Answer answer, const std::vector<std::int64_t>& sum) {
    if (answer < 0 || answer >= problem.N) return kMalformedReward;
    return minimise_reward(sum[answer], problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return least(sums(problem)); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.N - 1);
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    if (visit("the vertex with the greatest number", greatest(problem.C))) return true;
    const std::vector<Edge> ends = ends_of(problem.edges);
    if (visit("the vertex with most edges", greatest(degrees(problem.N, ends)))) return true;
    std::vector<std::int64_t> around = problem.C;
    for (const auto& [u, v] : ends) {
      around[u] += problem.C[v];
      around[v] += problem.C[u];
    }
    if (visit("the vertex with the greatest numbers around it", greatest(around))) return true;
    const std::vector<std::int64_t> ones(problem.C.size(), 1);
    return visit("as if all numbers were equal", least(sums(problem.N, ones, problem.edges))) ||
           visit("the middle of the longest path", middle_of_longest_path(problem));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<TreeCenter>(problem));
  }

 private:
  // Of equal vertices, the rules take the first: what they do not solve would prefer late ones.
  static void relabel(Problem& problem, const std::vector<int>& label) {
    std::vector<std::int64_t> numbers(problem.C.size());
    for (std::size_t v = 0; v < label.size(); ++v) numbers[label[v]] = problem.C[v];
    problem.C = std::move(numbers);
    for (auto& [u, v, weight] : problem.edges) std::tie(u, v) = std::minmax({label[u], label[v]});
  }

  static Answer middle_of_longest_path(const Problem& problem) {
    const std::vector<int> path = longest_path(problem.N, problem.edges);
    const std::vector<std::int64_t> from_end =
        depths(*root_tree(problem.N, ends_of(problem.edges), path.front()), problem.edges);
    const std::int64_t length = from_end[path.back()];
    return *std::ranges::min_element(path, {},
                                     [&](int v) { return std::abs(2 * from_end[v] - length); });
  }

  template <typename Number>
  static Answer greatest(const std::vector<Number>& values) {
    return std::ranges::max_element(values) - values.begin();
  }
  static Answer least(const std::vector<std::int64_t>& values) {
    return std::ranges::min_element(values) - values.begin();
  }

  static std::vector<std::int64_t> sums(const Problem& problem) {
    return sums(problem.N, problem.C, problem.edges);
  }

  // For every vertex r. A step along an edge brings all that lies beyond it nearer by its length,
  // and takes the rest as far away.
  static std::vector<std::int64_t> sums(int n, std::vector<std::int64_t> numbers,
                                        const std::vector<WeightedEdge>& edges) {
    const RootedTree tree = *root_tree(n, ends_of(edges), 0);
    std::vector<std::int64_t> sums(numbers.size());
    const std::vector<std::int64_t> depth = depths(tree, edges);
    for (int v = 0; v < n; ++v) sums[0] += numbers[v] * depth[v];
    for (std::size_t i = tree.order.size() - 1; i > 0; --i) {  // numbers become sums of subtrees
      const int v = tree.order[i];
      numbers[tree.parent[v]] += numbers[v];
    }
    for (std::size_t i = 1; i < tree.order.size(); ++i) {
      const int v = tree.order[i];
      const std::int64_t length = std::get<2>(edges[tree.edge[v]]);
      sums[v] = sums[tree.parent[v]] + length * (numbers[0] - 2 * numbers[v]);
    }
    return sums;
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(TreeCenter);

}  // namespace
}  // namespace redqueen
