#include <algorithm>
#include <span>
#include <utility>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/vertex_sets.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct SubgraphIsomorphism {
  static constexpr Card card{
      .name = "SubgraphIsomorphism",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task =
          "Map the vertices of a graph to different vertices of a larger one such that edges "
          "correspond to edges and pairs without one to pairs without one.",
      .levels =
          "The larger graph has from 3 vertices, one more a level, up to 63, and joins about a "
          "third to two thirds of all pairs; the smaller one has two thirds of its vertices or "
          "more.",
      .rewards =
          "-1 malformed, -0.5 another number of vertices, one that does not exist or one that "
          "comes twice, else (share of the pairs that correspond)^10.",
      .differences =
          "Of the published densities and sizes, those are not drawn for which nearly any map is "
          "right: very sparse and very dense graphs, and small ones to be found in large ones. "
          "From 5 vertices on, a problem is drawn again that is solved by equal numbers, by "
          "sorting the vertices by their degrees, or by taking the first vertex that fits.",
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
    int N2 = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N2, edge_density)
  };
  struct Problem {
    int N2 = 0;
    std::vector<Edge> G2_edges;
    int N1 = 0;
    std::vector<Edge> G1_edges;
    std::string reference_answer;  // the planted map
    REDQUEEN_FIELDS(N2, G2_edges, N1, G1_edges, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = 3 + level;
    const int pairs = n * (n - 1) / 2;
    return {.N2 = n,
            .edge_density = draw_density(std::span(kUndirectedDensities).subspan(1), n,
                                         std::max(1, pairs * 3 / 10), pairs * 2 / 3, rng)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N2;
    const int count = undirected_edges_at(n, config.edge_density);
    return draw_accepted(
        kDraws, [&] { return drawn(n, count, std::max(3, (2 * n + 2) / 3), rng); },
        [&](const Problem& problem) {
          return !problem.G1_edges.empty() &&
                 (n < kFewVertices || !some_rule_solves<SubgraphIsomorphism>(problem));
        });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 3 + level;
    return {
        .N2 = n,
        .edge_density = draw_density(std::span(kUndirectedDensities).subspan(1), n, 1, n * n, rng)};
  }

  static Problem published(const Config& config, Rng& rng) {
    return drawn(config.N2, undirected_edges_at(config.N2, config.edge_density), 3, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N2", problem.N2, 2, kMaxN));
    RETURN_IF_ERROR(within("N1", problem.N1, 2, problem.N2));
    RETURN_IF_ERROR(check_edges(problem.N1, problem.G1_edges, EdgeKind::kUndirected));
    RETURN_IF_ERROR(check_edges(problem.N2, problem.G2_edges, EdgeKind::kUndirected));
    const auto map = parse_int_list(problem.reference_answer);
    if (map && score(problem, *map) == kSolvedReward) return {};
    return failure("\"reference_answer\" does not map one graph into the other");
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "In each of two undirected graphs, a line gives an edge by its two ends. Graph G has {0} "
        "vertices, 0 to {1}, and these edges:\n"
        "{2}\n"
        "Graph H has {3} vertices, 0 to {4}, and these edges:\n"
        "{5}\n"
        "Find different vertices p(0), p(1), …, p({1}) of H such that two vertices u and v are "
        "joined in G if and only if p(u) and p(v) are joined in H. They exist; any such choice "
        "will do.\n"
        "Answer with p(0), p(1), …, p({1}), {0} numbers on one line, separated by spaces.",
        problem.N1, problem.N1 - 1, format_edges(problem.G1_edges), problem.N2, problem.N2 - 1,
        format_edges(problem.G2_edges));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N1) return kInvalidReward;
    VertexSet taken = 0;
    for (const std::int64_t image : answer) {
      if (image < 0 || image >= problem.N2 || contains(taken, static_cast<int>(image))) {
        return kInvalidReward;
      }
      taken |= single(static_cast<int>(image));
    }
    const NeighbourSets small = neighbour_sets(problem.N1, problem.G1_edges);
    const NeighbourSets large = neighbour_sets(problem.N2, problem.G2_edges);
    std::int64_t alike = 0;
    for (int u = 0; u < problem.N1; ++u) {
      for (int v = 0; v < u; ++v) {
        alike += contains(small[u], v) == contains(large[answer[u]], static_cast<int>(answer[v]));
      }
    }
    return share_reward(alike, std::int64_t{problem.N1} * (problem.N1 - 1) / 2, kBeta);
  }

  static Answer solve(const Problem& problem) { return *parse_int_list(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.sample(0, problem.N2 - 1, static_cast<std::size_t>(problem.N1));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"equal numbers", ascending_order(problem.N1)},
            {"by degree", by_degree(problem)},
            {"the first vertex that fits", first_fit(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem drawn(int n, int count, int least, Rng& rng) {
    Problem problem{.N2 = n,
                    .G2_edges = draw_edges(n, count, rng),
                    .N1 = static_cast<int>(rng.integer(least, n)),
                    .G1_edges = {},
                    .reference_answer = {}};
    const std::vector<int> place = rng.permutation(n);
    Answer map(static_cast<std::size_t>(problem.N1));
    for (int v = 0; v < n; ++v) {
      if (place[v] < problem.N1) map[place[v]] = v;
    }
    for (const auto& [u, v] : problem.G2_edges) {
      const auto [a, b] = std::minmax(place[u], place[v]);
      if (b < problem.N1) problem.G1_edges.emplace_back(a, b);
    }
    rng.shuffle(problem.G1_edges);
    problem.reference_answer = format_answer(map);
    return problem;
  }

  static Answer by_degree(const Problem& problem) {
    const auto from = vertices_by_degree(degrees_of(problem.N1, problem.G1_edges));
    const auto to = vertices_by_degree(degrees_of(problem.N2, problem.G2_edges));
    Answer map(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) map[from[i]] = to[i];
    return map;
  }

  // Where no vertex fits, the first free one.
  static Answer first_fit(const Problem& problem) {
    const NeighbourSets small = neighbour_sets(problem.N1, problem.G1_edges);
    const NeighbourSets large = neighbour_sets(problem.N2, problem.G2_edges);
    Answer map;
    VertexSet free = first_vertices(problem.N2);
    for (int u = 0; u < problem.N1; ++u) {
      VertexSet fits = free;
      for (int v = 0; v < u; ++v) fits &= contains(small[u], v) ? large[map[v]] : ~large[map[v]];
      const int image = std::countr_zero(fits != 0 ? fits : free);
      map.push_back(image);
      free &= ~single(image);
    }
    return map;
  }
};
REDQUEEN_ENVIRONMENT(SubgraphIsomorphism);

}  // namespace
}  // namespace redqueen
