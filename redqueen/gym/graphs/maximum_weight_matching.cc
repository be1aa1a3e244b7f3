#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/vertex_sets.h"
#include "redqueen/gym/common/graph/weighted_matching.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MaximumWeightMatching {
  static constexpr Card card{
      .name = "MaximumWeightMatching",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Choose edges of a graph with weights, no two of which meet, that are as heavy as "
          "possible together.",
      .levels =
          "From 5 vertices, a tenth more and one a level, with up to 40 percent of all pairs as "
          "edges. Beyond level 28 the list of edges would be too long to read.",
      .rewards =
          "-1 malformed or an odd number of integers, -0.5 a pair that is no edge or edges that "
          "meet, else (weight / greatest weight)^5.",
      .differences =
          "Of the published densities, one of the two lowest is drawn that give five edges for "
          "four vertices, or the highest where none does. From 7 vertices on, a problem is drawn "
          "again that is solved by the heaviest edge that meets none before, by the edges in "
          "order, or by exchanging two edges for better ones as long as that helps.",
      .max_level = 28,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::array kDensities{0.1, 0.3, 0.4};
  static constexpr int kFewVertices = 7;
  static constexpr int kDraws = 300;
  static constexpr int kMostVertices = 200;

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;
    std::int64_t gold_weight = 0;
    REDQUEEN_FIELDS(N, edges, gold_weight)
  };
  using Answer = std::vector<std::int64_t>;  // both ends of each edge

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(5, level);
    const auto densities = sparsest(
        kDensities, 2, 5 * n / 4, [n](double density) { return undirected_edges_at(n, density); });
    return {.N = n, .edge_density = rng.choice(densities)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    std::vector<Edge> pairs;
    for (int u = 0; u < n; ++u) {
      for (int v = u + 1; v < n; ++v) pairs.emplace_back(u, v);
    }
    const std::int64_t count = undirected_edges_at(n, config.edge_density);
    const auto draw = [&] {
      rng.shuffle(pairs);
      return Problem{.N = n,
                     .edges = weigh_edges({pairs.begin(), pairs.begin() + count}, 1, n, rng),
                     .gold_weight = 0};
    };
    return draw_accepted(kDraws, draw, [&](Problem& problem) {
      problem.gold_weight = weight_of(problem.edges, heaviest(problem));
      return n < kFewVertices || !some_rule_solves<MaximumWeightMatching>(problem);
    });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(5, level);
    return {.N = n, .edge_density = draw_density(kDensities, n, 1, n * n, rng)};
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto edges = draw_edges(n, undirected_edges_at(n, config.edge_density), rng);
    Problem problem{.N = n, .edges = weigh_edges(edges, 1, n, rng), .gold_weight = 0};
    problem.gold_weight = weight_of(problem.edges, heaviest(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected, 1));
    RETURN_IF_ERROR(within("edges", std::ssize(problem.edges), 1, kMostVertices * kMostVertices));
    return reference_is("gold_weight", problem.gold_weight,
                        weight_of(problem.edges, heaviest(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A graph has {} vertices, 0 to {}. Each of these lines gives an edge by its two ends and "
        "its weight:\n"
        "{}\n"
        "Choose edges such that no two of them have an end in common, and the sum of their weights "
        "is as great as possible. How many you choose is up to you.\n"
        "Answer with the ends of the chosen edges, \"u1 v1 u2 v2 …\", on one line, separated by "
        "spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges));
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_edge_ends(text); }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<char> used(static_cast<std::size_t>(problem.N));
    for (const std::int64_t v : answer) {
      if (v < 0 || v >= problem.N || std::exchange(used[v], 1) != 0) return kInvalidReward;
    }
    const auto places = EdgePlaces(problem.N, problem.edges, EdgeKind::kUndirected).of(answer);
    if (!places) return kInvalidReward;
    return maximise_reward(weight_of(problem.edges, *places), problem.gold_weight, kBeta);
  }

  static Answer solve(const Problem& problem) {
    return edge_ends(problem.edges, heaviest(problem));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<int> order = all_places(problem.edges);
    rng.shuffle(order);
    return edge_ends(problem.edges, first_apart(problem, order));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto ends = [&](const std::vector<int>& places) {
      return edge_ends(problem.edges, places);
    };
    std::vector<int> heavy = places_by_weight(problem.edges);
    std::ranges::reverse(heavy);
    const std::vector<int> greedy = first_apart(problem, heavy);
    return {{"the heaviest edge that meets none before, again and again", ends(greedy)},
            {"the first edges that meet none before",
             ends(first_apart(problem, all_places(problem.edges)))},
            {"heavy edges, and one for those that it meets as long as that helps",
             ends(improved(problem, greedy))}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static std::vector<int> heaviest(const Problem& problem) {
    const std::vector<int> partner = heaviest_matching(problem.N, problem.edges);
    std::vector<int> places;
    for (int i = 0; i < static_cast<int>(problem.edges.size()); ++i) {
      const auto& [u, v, weight] = problem.edges[i];
      if (partner[u] == v) places.push_back(i);
    }
    return places;
  }

  static std::vector<int> first_apart(const Problem& problem, const std::vector<int>& order) {
    std::vector<char> used(static_cast<std::size_t>(problem.N));
    std::vector<int> places;
    for (const int place : order) {
      const auto& [u, v, weight] = problem.edges[place];
      if (used[u] != 0 || used[v] != 0) continue;
      used[u] = used[v] = 1;
      places.push_back(place);
    }
    return places;
  }

  // An edge instead of the chosen ones that it meets, where it is heavier than these.
  static std::vector<int> improved(const Problem& problem, std::vector<int> places) {
    const auto meet = [&](int i, int k) {
      const auto& [a, b, w] = problem.edges[i];
      const auto& [c, d, x] = problem.edges[k];
      return a == c || a == d || b == c || b == d;
    };
    for (bool better = true; better;) {
      better = false;
      for (int i = 0; i < static_cast<int>(problem.edges.size()); ++i) {
        std::int64_t lost = 0;
        for (const int k : places) lost += meet(i, k) ? std::get<2>(problem.edges[k]) : 0;
        if (lost >= std::get<2>(problem.edges[i])) continue;
        std::erase_if(places, [&](int k) { return meet(i, k); });
        places.push_back(i);
        better = true;
      }
    }
    return places;
  }
};
REDQUEEN_ENVIRONMENT(MaximumWeightMatching);

}  // namespace
}  // namespace redqueen
