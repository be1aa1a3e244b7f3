#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MinimumSpanningTree {
  static constexpr Card card{
      .name = "MinimumSpanningTree",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task = "Find the lightest spanning tree of a connected graph with weights on its edges.",
      .levels =
          "From 4 vertices, a tenth more and one a level, with half as many edges again as a tree "
          "has or more. Beyond level 32 the list of edges would be too long to read.",
      .rewards =
          "-1 malformed or an odd number of integers, -0.5 not a spanning tree of edges, else "
          "(least weight / weight)^5.",
      .differences =
          "Of the published densities, one of the two lowest is drawn that give at least half as "
          "many edges again as the tree has. From 5 vertices on, a problem is drawn again that is "
          "solved by the lightest edges of all, by each vertex's lightest edge and the first ones "
          "that join these, by shortest paths from a vertex, or without regard to weights.",
      .slow_reason = SlowReason::kStricter,
      .source = "O. Borůvka, O jistém problému minimálním, 1926",
      .max_level = 32,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::array kDensities{0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9};
  static constexpr int kFewVertices = 5;
  static constexpr int kDraws = 200;
  static constexpr int kMostVertices = 300;

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, edges, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // both ends of each edge

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(4, level);
    const auto densities = sparsest(kDensities, 2, (3 * n - 1) / 2, [n](double density) {
      return undirected_edges_at(n, density);
    });
    return {.N = n, .edge_density = rng.choice(densities)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] { return published(config, rng); };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      return config.N < kFewVertices || !some_rule_solves<MinimumSpanningTree>(problem);
    });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(4, level);
    return {.N = n, .edge_density = draw_density(kDensities, n, n, n * n, rng)};
  }

  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t count = undirected_edges_at(config.N, config.edge_density);
    const auto edges = draw_connected_edges(config.N, static_cast<std::size_t>(count), rng);
    Problem problem{.N = config.N, .edges = weigh_edges(edges, 1, count, rng), .gold_answer = 0};
    problem.gold_answer = least_weight(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected, 1));
    if (!is_connected(problem.N, problem.edges)) return failure("\"edges\": they join not all");
    return reference_is("gold_answer", problem.gold_answer, least_weight(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A connected graph has {0} vertices, 0 to {1}. Each of these lines gives an edge by its "
        "two ends and its weight:\n"
        "{2}\n"
        "Choose {1} of the edges that make a tree on all vertices, such that the sum of their "
        "weights is as small as possible.\n"
        "Answer with the ends of the chosen edges, \"u1 v1 u2 v2 …\", {3} numbers on one line, "
        "separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges), 2 * (problem.N - 1));
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_edge_ends(text); }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != 2 * (std::int64_t{problem.N} - 1)) return kInvalidReward;
    const auto places = EdgePlaces(problem.N, problem.edges, EdgeKind::kUndirected).of(answer);
    if (!places || !is_spanning_tree(problem.N, problem.edges, *places)) return kInvalidReward;
    return minimise_reward(weight_of(problem.edges, *places), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    return edge_ends(problem.edges, lightest_tree(problem));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<int> order = all_places(problem.edges);
    rng.shuffle(order);
    return edge_ends(problem.edges, acyclic_places(problem.N, problem.edges, order));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto ends = [&](const std::vector<int>& places) {
      return edge_ends(problem.edges, places);
    };
    const std::vector<int> all = all_places(problem.edges);
    std::vector<int> lightest = places_by_weight(problem.edges);
    lightest.resize(static_cast<std::size_t>(problem.N) - 1);
    return {
        {"the lightest edges", ends(lightest)},
        {"the first edges that make a tree", ends(acyclic_places(problem.N, problem.edges, all))},
        {"the lightest edge of each vertex, then the first that join them",
         ends(from_each_vertex(problem))},
        {"shortest paths from vertex 0",
         ends(shortest_path_places(problem.N, problem.edges, EdgeKind::kUndirected, 0))},
        {"paths of fewest edges from vertex 0",
         ends(breadth_first_places(problem.N, problem.edges, EdgeKind::kUndirected, 0))}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static std::vector<int> lightest_tree(const Problem& problem) {
    return acyclic_places(problem.N, problem.edges, places_by_weight(problem.edges));
  }

  static std::int64_t least_weight(const Problem& problem) {
    return weight_of(problem.edges, lightest_tree(problem));
  }

  static std::vector<int> from_each_vertex(const Problem& problem) {
    std::vector<int> lightest(static_cast<std::size_t>(problem.N), -1);
    for (const int place : places_by_weight(problem.edges)) {
      const auto& [u, v, weight] = problem.edges[place];
      for (const int end : {u, v}) {
        if (lightest[end] < 0) lightest[end] = place;
      }
    }
    const std::vector<int> all = all_places(problem.edges);
    lightest.insert(lightest.end(), all.begin(), all.end());
    return acyclic_places(problem.N, problem.edges, lightest);
  }
};
REDQUEEN_ENVIRONMENT(MinimumSpanningTree);

}  // namespace
}  // namespace redqueen
