#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/spanning_tree_count.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MinimumSpanningTreeCounting : StoredResidue {
  static constexpr Card card{
      .name = "MinimumSpanningTreeCounting",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Count the spanning trees of least weight, modulo a number.",
      .levels =
          "From 4 vertices, a tenth more and one a level, with half as many edges again as "
          "vertices or more. Beyond level 32 the list of edges would be too long to read.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "Of the published ratios, those from 1.5 on are drawn, on the first level from 1.4 on. "
          "The modulus is above 5000. Problems of fewer than 20 vertices are spread so that rare "
          "counts come as often as frequent ones. From 6 vertices on, there are at least four such "
          "trees, and not all spanning trees are among them.",
      .slow_reason = SlowReason::kStricter,
      .version = 2,
      .max_level = 32,
  };

  static constexpr int kFewVertices = 6;
  static constexpr int kManyVertices = 20;  // counts are many as well, and seldom equal
  static constexpr int kDraws = 12;
  static constexpr int kMostVertices = 300;
  static constexpr std::int64_t kMaxModulus = 10'000;

  struct Config {
    int N = 0;
    double edge_ratio = 0;
    REDQUEEN_FIELDS(N, edge_ratio)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, edges, MOD, reference_answer)
  };

  static Config at_level(int level, Rng& rng) {
    return draw_level(level, level == 0 ? 14 : 15, rng);
  }

  static Config published_level(int level, Rng& rng) { return draw_level(level, 10, rng); }

  // `least`: tenths of the lowest ratio.
  static Config draw_level(int level, int least, Rng& rng) {
    const int n = grow_by_tenth(4, level);
    int most = 50;
    while (edges_at(n, most) > n * (n - 1) / 2) --most;
    return {.N = n, .edge_ratio = static_cast<double>(rng.integer(least, most)) / 10.0};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto count = static_cast<std::int64_t>(config.edge_ratio * n);
    const std::int64_t heaviest = std::max<std::int64_t>(1, count / 10) + 1;
    return draw_spread(
        n < kManyVertices ? kDraws : 1, rng,
        [&]() -> std::optional<std::pair<std::int64_t, Problem>> {
          const auto edges = draw_connected_edges(n, static_cast<std::size_t>(count), rng);
          Problem problem{.N = n,
                          .edges = weigh_edges(edges, 1, heaviest, rng),
                          .MOD = rng.integer(kMaxModulus / 2, kMaxModulus),
                          .reference_answer = 0};
          problem.reference_answer = lightest_trees(problem);
          const std::int64_t trees = problem.reference_answer;
          if (trees < (n < kFewVertices ? 2 : 4)) return std::nullopt;
          if (n >= kFewVertices && trees == count_spanning_trees(n, edges, problem.MOD)) {
            return std::nullopt;
          }
          return std::pair(trees, std::move(problem));
        });
  }

  static Problem published(const Config& config, Rng& rng) {
    const auto count = static_cast<std::int64_t>(config.edge_ratio * config.N);
    const auto edges = draw_connected_edges(config.N, static_cast<std::size_t>(count), rng);
    const std::int64_t heaviest = std::max<std::int64_t>(1, count / 10) + 1;
    Problem problem{.N = config.N,
                    .edges = weigh_edges(edges, 1, heaviest, rng),
                    .MOD = rng.integer(2, kMaxModulus),
                    .reference_answer = 0};
    problem.reference_answer = lightest_trees(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected, 1));
    if (!is_connected(problem.N, problem.edges)) return failure("\"edges\": they join not all");
    RETURN_IF_ERROR(within("MOD", problem.MOD, 2, std::int64_t{1} << 60));
    return reference_is("reference_answer", problem.reference_answer, lightest_trees(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A connected graph has {0} vertices, 0 to {1}. Each of these lines gives an edge by its "
        "two ends and its weight:\n"
        "{2}\n"
        "A spanning tree is a set of {1} edges that makes a tree on all vertices; its weight is "
        "the sum of their weights. How many spanning trees have the least weight that a spanning "
        "tree of this graph can have? Two trees are different if their sets of edges are.\n"
        "{3}",
        problem.N, problem.N - 1, format_edges(problem.edges), ask_for_count_residue(problem.MOD));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::vector<Edge> plain;
    std::int64_t ties = 1;
    const std::vector<int> order = places_by_weight(problem.edges);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto& [u, v, weight] = problem.edges[order[i]];
      plain.emplace_back(u, v);
      ties += i > 0 && weight == std::get<2>(problem.edges[order[i - 1]]);
    }
    return {
        {"all spanning trees", format_answer(count_spanning_trees(problem.N, plain, problem.MOD))},
        {"edges as heavy as the one before, and one", format_answer(ties)},
        {"four", "4"}};
  }

 private:
  static int edges_at(int n, int tenths) { return static_cast<int>(tenths / 10.0 * n); }

  // Edges of each weight in turn, between what lighter ones have joined: whatever spanning forest
  // they make there, the same vertices hang together after it.
  static std::int64_t lightest_trees(const Problem& problem) {
    const std::vector<WeightedEdge>& edges = problem.edges;
    const std::vector<int> order = places_by_weight(edges);
    DisjointSets joined(problem.N);  // by edges that are lighter
    DisjointSets with(problem.N);    // and by those of this weight
    std::int64_t product = 1 % problem.MOD;
    std::vector<int> name(static_cast<std::size_t>(problem.N), -1);
    std::vector<char> counted;
    std::vector<Edge> between;
    for (std::size_t begin = 0, end = 0; begin < order.size() && joined.sets() > 1; begin = end) {
      const std::int64_t weight = std::get<2>(edges[order[begin]]);
      between.clear();
      for (; end < order.size() && std::get<2>(edges[order[end]]) == weight; ++end) {
        const auto& [u, v, w] = edges[order[end]];
        const Edge parts(joined.find(u), joined.find(v));
        if (parts.first == parts.second) continue;
        between.push_back(parts);
        with.join(u, v);
      }
      counted.assign(between.size(), 0);
      for (std::size_t i = 0; i < between.size(); ++i) {
        if (counted[i] != 0) continue;
        std::vector<Edge> part;
        int size = 0;
        const int here = with.find(between[i].first);
        for (std::size_t k = i; k < between.size(); ++k) {
          const auto [u, v] = between[k];
          if (with.find(u) != here) continue;
          counted[k] = 1;
          for (const int vertex : {u, v}) {
            if (name[vertex] < 0) name[vertex] = size++;
          }
          part.emplace_back(name[u], name[v]);
        }
        for (const auto& [u, v] : between) name[u] = name[v] = -1;
        product = mul_mod(product, count_spanning_trees(size, part, problem.MOD), problem.MOD);
      }
      joined = with;
    }
    return product;
  }
};
REDQUEEN_ENVIRONMENT(MinimumSpanningTreeCounting);

}  // namespace
}  // namespace redqueen
