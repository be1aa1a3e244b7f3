#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/vertex_sets.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct GraphIsomorphism {
  static constexpr Card card{
      .name = "GraphIsomorphism",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task = "Map the vertices of a graph to those of another such that edges correspond.",
      .levels =
          "From 3 vertices, one more a level, up to 63, with about as many edges as vertices, or "
          "more, up to half of all pairs.",
      .rewards =
          "-1 malformed, -0.5 no order of the vertices, else (share of the edges that land on "
          "edges)^10.",
      .differences =
          "Of the published densities, those with few edges and those above one half are not "
          "drawn: most of the edges of a dense graph land on edges whatever the map. From 5 "
          "vertices on, a problem is drawn again that is solved by equal numbers, or by sorting "
          "the vertices by their degrees or by their neighbours' degrees.",
      .small_answer_space =
          "On three vertices, at level 0, each map is right in every third problem.",
      .guess_until_level = 0,
      .max_level = 60,
  };

  static constexpr double kBeta = 10.0;
  static constexpr int kFewVertices = 5;
  static constexpr int kDraws = 300;
  static constexpr int kMaxN = 63;

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> G1_edges;
    std::vector<Edge> G2_edges;
    std::string reference_answer;  // the planted map
    REDQUEEN_FIELDS(N, G1_edges, G2_edges, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = 3 + level;
    const int fewest = n < kFewVertices ? 1 : n - 1;
    const int most = std::max(2, 11 * n * (n - 1) / 40);
    return {.N = n,
            .edge_density =
                draw_density(std::span(kUndirectedDensities).subspan(1), n, fewest, most, rng)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return published(config, rng); },
        [&](const Problem& problem) {
          return config.N < kFewVertices || !some_rule_solves<GraphIsomorphism>(problem);
        });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 3 + level;
    return {
        .N = n,
        .edge_density = draw_density(std::span(kUndirectedDensities).subspan(1), n, 1, n * n, rng)};
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const int count = undirected_edges_at(n, config.edge_density);
    Problem problem{
        .N = n, .G1_edges = draw_edges(n, count, rng), .G2_edges = {}, .reference_answer = {}};
    const std::vector<int> map = rng.permutation(n);
    for (const auto& [u, v] : problem.G1_edges) problem.G2_edges.emplace_back(map[u], map[v]);
    disguise_edges(problem.G2_edges, rng);
    problem.reference_answer = format_answer(map);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxN));
    RETURN_IF_ERROR(check_edges(problem.N, problem.G1_edges, EdgeKind::kUndirected));
    RETURN_IF_ERROR(check_edges(problem.N, problem.G2_edges, EdgeKind::kUndirected));
    if (problem.G1_edges.empty() || problem.G1_edges.size() != problem.G2_edges.size()) {
      return failure("\"G2_edges\": expected as many edges as \"G1_edges\" has, and at least one");
    }
    const auto map = parse_int_list(problem.reference_answer);
    if (map && score(problem, *map) == kSolvedReward) return {};
    return failure("\"reference_answer\" does not map the graphs to each other");
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Two undirected graphs, G and H, have {0} vertices each, 0 to {1}. A line gives an edge by "
        "its two ends. The edges of G:\n"
        "{2}\n"
        "The edges of H:\n"
        "{3}\n"
        "The graphs differ only in the numbers of their vertices. Find a p that takes each of the "
        "numbers 0 to {1} once such that two vertices u and v are joined in G if and only if p(u) "
        "and p(v) are joined in H. Any such p will do.\n"
        "Answer with p(0), p(1), …, p({1}), {0} numbers on one line, separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.G1_edges), format_edges(problem.G2_edges));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer)) return kInvalidReward;
    const NeighbourSets near = neighbour_sets(problem.N, problem.G2_edges);
    std::int64_t met = 0;
    for (const auto& [u, v] : problem.G1_edges) {
      met += contains(near[answer[u]], static_cast<int>(answer[v]));
    }
    return share_reward(met, std::ssize(problem.G1_edges), kBeta);
  }

  static Answer solve(const Problem& problem) { return *parse_int_list(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::vector<int> order = rng.permutation(problem.N);
    return {order.begin(), order.end()};
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::vector<int> first = degrees_of(problem.N, problem.G1_edges);
    const std::vector<int> second = degrees_of(problem.N, problem.G2_edges);
    return {{"equal numbers", ascending_order(problem.N)},
            {"by degree", matched(first, second)},
            {"by degree, then by the degrees of the neighbours",
             matched(with_neighbours(first, problem.G1_edges),
                     with_neighbours(second, problem.G2_edges))}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Vertices of the same rank, equal ones in the order of their numbers.
  static Answer matched(std::span<const int> first, std::span<const int> second) {
    const std::vector<int> from = vertices_by_degree(first);
    const std::vector<int> to = vertices_by_degree(second);
    Answer map(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) map[from[i]] = to[i];
    return map;
  }

  // A number for each vertex: its degree, and below that the sum of its neighbours' squares.
  static std::vector<int> with_neighbours(std::span<const int> degrees,
                                          std::span<const Edge> edges) {
    constexpr int kAboveSums = kMaxN * kMaxN * kMaxN;
    std::vector<int> keys;
    for (const int degree : degrees) keys.push_back(kAboveSums * degree);
    for (const auto& [u, v] : edges) {
      keys[u] += degrees[v] * degrees[v];
      keys[v] += degrees[u] * degrees[u];
    }
    return keys;
  }
};
REDQUEEN_ENVIRONMENT(GraphIsomorphism);

}  // namespace
}  // namespace redqueen
