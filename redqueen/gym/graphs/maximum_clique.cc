#include <algorithm>
#include <numeric>
#include <span>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/clique.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/vertex_sets.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MaximumClique {
  static constexpr Card card{
      .name = "MaximumClique",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task = "Choose as many vertices of a graph as possible, each two of them joined.",
      .levels =
          "From 4 vertices, two more a level, up to 64; about a third to three quarters of all "
          "pairs are joined, more in large graphs.",
      .rewards =
          "-1 malformed, -0.5 a vertex that does not exist or comes twice, or two that are not "
          "joined, else (chosen / most)^5.",
      .differences =
          "Of the published densities, those are not drawn where an edge or a triangle is nearly "
          "as good as the best, or where few pairs are missing. From 8 vertices on, a problem is "
          "drawn again that is solved by taking vertices in the order of their numbers or degrees, "
          "by taking the one with most candidates left, or by removing the one with fewest "
          "neighbours.",
      .slow_reason = SlowReason::kStricter,
      .source = "R. Karp, Reducibility among combinatorial problems, 1972: clique",
      .max_level = 30,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewVertices = 8;
  static constexpr int kLargeGraph = 24;
  static constexpr int kDraws = 500;

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, edges, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = 4 + 2 * level;
    const int pairs = n * (n - 1) / 2;
    const int most = n < kLargeGraph ? pairs * 2 / 3 : pairs * 4 / 5;
    return {.N = n,
            .edge_density =
                draw_density(std::span(kUndirectedDensities).subspan(1), n, pairs / 3, most, rng)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    return draw_accepted(
        kDraws, [&] { return published(config, rng); },
        [&](const Problem& problem) {
          return n < kFewVertices ||
                 !some_rule_is_best<MaximumClique>(problem, [&](const Answer& clique) {
                   return std::ssize(clique) == problem.gold_answer;
                 });
        });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 4 + 2 * level;
    return {
        .N = n,
        .edge_density = draw_density(std::span(kUndirectedDensities).subspan(1), n, 1, n * n, rng)};
  }

  static Problem published(const Config& config, Rng& rng) {
    const int count = undirected_edges_at(config.N, config.edge_density);
    Problem problem{.N = config.N, .edges = draw_edges(config.N, count, rng), .gold_answer = 0};
    problem.gold_answer = most_vertices(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxSetVertices));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected));
    return reference_is("gold_answer", problem.gold_answer, most_vertices(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "An undirected graph has {} vertices, 0 to {}. Each of these lines gives an edge by its "
        "two ends:\n"
        "{}\n"
        "Choose different vertices such that each two of them are joined by an edge, as many as "
        "possible.\n"
        "Answer with the chosen vertices in any order on one line, separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges));
  }

  static double score(const Problem& problem, const Answer& answer) {
    const NeighbourSets near = neighbour_sets(problem.N, problem.edges);
    VertexSet chosen = 0;
    for (const std::int64_t vertex : answer) {
      if (vertex < 0 || vertex >= problem.N) return kInvalidReward;
      const int v = static_cast<int>(vertex);
      if ((chosen & ~near[v]) != 0) return kInvalidReward;
      if (contains(chosen, v)) return kInvalidReward;
      chosen |= single(v);
    }
    return maximise_reward(std::ssize(answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    return members_of(maximum_clique(neighbour_sets(problem.N, problem.edges)));
  }

  // Of the vertices in random order, the first half, each that fits.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<int> order = rng.permutation(problem.N);
    order.resize((order.size() + 1) / 2);
    return first_fit(neighbour_sets(problem.N, problem.edges), order);
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    const NeighbourSets near = neighbour_sets(problem.N, problem.edges);
    if (visit("what leaves the most candidates", most_candidates(near)) ||
        visit("removing what has the fewest neighbours", peeled(near))) {
      return true;
    }
    std::vector<int> order(static_cast<std::size_t>(problem.N));
    std::iota(order.begin(), order.end(), 0);
    if (visit("the first number that fits", first_fit(near, order))) return true;
    std::ranges::reverse(order);
    return visit("the last number that fits", first_fit(near, order)) ||
           visit("the highest degree that fits",
                 first_fit(near, vertices_by_degree(degrees_of(problem.N, problem.edges))));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(all_rules<MaximumClique>(problem));
    const auto& [u, v] = problem.edges.empty() ? Edge{0, 0} : problem.edges.front();
    named.push_back({"the ends of the first edge", format_answer(std::vector<int>{u, v})});
    return named;
  }

 private:
  static std::int64_t most_vertices(const Problem& problem) {
    return std::popcount(maximum_clique(neighbour_sets(problem.N, problem.edges)));
  }

  static Answer first_fit(const NeighbourSets& near, std::span<const int> order) {
    VertexSet chosen = 0;
    for (const int v : order) {
      if ((chosen & ~near[v]) == 0) chosen |= single(v);
    }
    return members_of(chosen);
  }

  // The vertex of `among` for which near & among is largest or smallest.
  template <typename Better>
  static int extreme(const NeighbourSets& near, VertexSet among, Better better) {
    int best = std::countr_zero(among);
    for (VertexSet set = among; set != 0; set &= set - 1) {
      const int v = std::countr_zero(set);
      if (better(std::popcount(near[v] & among), std::popcount(near[best] & among))) best = v;
    }
    return best;
  }

  static Answer most_candidates(const NeighbourSets& near) {
    VertexSet chosen = 0;
    VertexSet candidates = first_vertices(static_cast<int>(near.size()));
    while (candidates != 0) {
      const int v = extreme(near, candidates, std::greater());
      chosen |= single(v);
      candidates &= near[v];
    }
    return members_of(chosen);
  }

  static Answer peeled(const NeighbourSets& near) {
    VertexSet left = first_vertices(static_cast<int>(near.size()));
    while (true) {
      const int v = extreme(near, left, std::less());
      if (std::popcount(near[v] & left) + 1 == std::popcount(left)) return members_of(left);
      left &= ~single(v);
    }
  }
};
REDQUEEN_ENVIRONMENT(MaximumClique);

}  // namespace
}  // namespace redqueen
