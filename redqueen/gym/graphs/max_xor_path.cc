#include <algorithm>
#include <array>
#include <bit>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/graph/arcs.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/vertex_sets.h"
#include "redqueen/gym/common/number/xor_basis.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MaxXorPath {
  static constexpr Card card{
      .name = "MaxXorPath",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Find the largest XOR of edge weights along a walk between two vertices that may use "
          "edges again.",
      .levels =
          "From 4 vertices, a tenth and one more a level; weights have as many bits as twice the "
          "vertices, or up to four more. Beyond level 35 the list of edges would be too long to "
          "read.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "The statement says that edges may be used again, which the published one left open. "
          "From 6 vertices on, there are at least three cycles, and a problem is drawn again that "
          "is solved by the path with the fewest edges, with or without one more cycle. Of the "
          "published densities, large graphs have the smallest.",
      .slow_reason = SlowReason::kStricter,
      .source = "WC 2011: Max XOR path",
      .max_level = 35,
  };

  static constexpr std::array kDensities{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  static constexpr int kFewVertices = 6;
  static constexpr int kDraws = 200;
  static constexpr std::int64_t kMaxEdges = 60'000;

  struct Config {
    int N = 0;
    double edge_density = 0;
    int MAX_bit_length = 0;
    REDQUEEN_FIELDS(N, edge_density, MAX_bit_length)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;
    REDQUEEN_FIELDS(N, edges)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(4, level);
    const int bits = std::bit_width(static_cast<unsigned>(2 * n - 1));
    const int fewest = n < kFewVertices ? n : n + 2;
    return {.N = n,
            .edge_density = draw_density(kDensities, n, fewest, 4 * n, rng),
            .MAX_bit_length = bits + static_cast<int>(rng.below(5))};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t all_bits = (std::int64_t{1} << config.MAX_bit_length) - 1;
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& problem) {
          if (problem.N == 0) return false;
          const Answer most = solve(problem);
          if (most == all_bits) return false;
          if (config.N < kFewVertices) return true;
          return std::ranges::none_of(
              rules(problem), [&](const SimpleRule<Answer>& rule) { return rule.answer == most; });
        });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(4, level);
    const int bits = std::bit_width(static_cast<unsigned>(2 * n - 1));
    return {.N = n,
            .edge_density = draw_density(kDensities, n, n, n * n, rng),
            .MAX_bit_length = bits + static_cast<int>(rng.below(5))};
  }

  // Weights that a depth-first search from vertex 0 draws in the part that it reaches: evenly,
  // until the cycles that it closed have a random rank, and then so that the rank stays.
  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t all_bits = (std::int64_t{1} << config.MAX_bit_length) - 1;
    return draw_accepted(
        kDraws, [&] { return drawn_in_depth(config, rng); },
        [&](const Problem& problem) { return problem.N != 0 && solve(problem) != all_bits; });
  }

  // Empty where the last vertex is not reached.
  static Problem drawn_in_depth(const Config& config, Rng& rng) {
    const int n = config.N;
    const std::vector<Edge> pairs = draw_edges(n, undirected_edges_at(n, config.edge_density), rng);
    const Arcs arcs(n, pairs);
    const std::uint64_t limit = std::uint64_t{1} << config.MAX_bit_length;
    const auto rank = static_cast<std::ptrdiff_t>(rng.integer(0, config.MAX_bit_length - 1));
    std::vector<std::uint64_t> independent;
    XorBasis basis;
    std::vector<char> weighed(pairs.size());
    std::vector<char> seen(static_cast<std::size_t>(n));
    std::vector<std::uint64_t> path(static_cast<std::size_t>(n));
    Problem problem{.N = n, .edges = {}};
    const auto visit = [&](const auto& self, int u) -> void {
      seen[u] = 1;
      for (const auto& [v, edge] : arcs.of(u)) {
        if (std::exchange(weighed[edge], 1) != 0) continue;
        std::uint64_t weight = 0;
        if (seen[v] == 0) {
          weight = rng.below(limit);
          path[v] = path[u] ^ weight;
        } else if (std::ssize(independent) < rank) {
          weight = rng.below(limit);
          const std::uint64_t cycle = path[u] ^ path[v] ^ weight;
          if (basis.insert(cycle)) independent.push_back(cycle);
        } else {
          weight = path[u] ^ path[v];
          for (const std::uint64_t other : independent) weight ^= rng.chance(0.5) ? other : 0;
        }
        problem.edges.emplace_back(pairs[edge].first, pairs[edge].second,
                                   static_cast<std::int64_t>(weight));
        if (seen[v] == 0) self(self, v);
      }
    };
    visit(visit, 0);
    if (seen[n - 1] == 0) return {};
    rng.shuffle(problem.edges);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("edges", std::ssize(problem.edges), 1, kMaxEdges));
    std::vector<Edge> plain;
    for (const auto& [u, v, weight] : problem.edges) {
      RETURN_IF_ERROR(within("edges", weight, 0, kMaxWeight));
      plain.emplace_back(u, v);
    }
    RETURN_IF_ERROR(check_edges(problem.N, plain, EdgeKind::kUndirected));
    if (Ways(problem.N, problem.edges).reached(problem.N - 1)) return {};
    return failure("\"edges\": vertex \"N\" - 1 = {} is not reached from 0", problem.N - 1);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "An undirected graph has {} vertices, 0 to {}. Each of these lines gives an edge by its "
        "two ends and its weight:\n"
        "{}\n"
        "A walk starts at vertex 0, follows edges in either direction and ends at vertex {}. It "
        "may visit vertices and use edges as often as it likes. Its value is the bitwise XOR of "
        "the weights of its steps; an edge counts as often as it is used.\n"
        "Answer with the largest value of a walk, one integer.",
        problem.N, problem.N - 1, format_edges(problem.edges), problem.N - 1);
  }

  static double score(const Problem&, const Answer& answer, Answer right) {
    return exact_reward(answer == right);
  }

  // Walks from 0 to N − 1 have the XORs of one path and any set of cycles.
  static Answer solve(const Problem& problem) {
    const Ways ways(problem.N, problem.edges);
    XorBasis cycles;
    for (const auto& [u, v, weight] : problem.edges) {
      if (ways.reached(u)) cycles.insert(ways.around(u, v, weight));
    }
    return static_cast<Answer>(cycles.largest_with(ways.path[problem.N - 1]));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return static_cast<Answer>(
        rng.below(std::bit_ceil(static_cast<std::uint64_t>(largest_weight(problem)) + 1)));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const Ways ways(problem.N, problem.edges);
    const std::uint64_t path = ways.path[problem.N - 1];
    std::uint64_t best = path;
    std::int64_t all = 0;
    for (const auto& [u, v, weight] : problem.edges) {
      if (ways.reached(u)) best = std::max(best, path ^ ways.around(u, v, weight));
      all ^= weight;
    }
    return {{"a path with the fewest edges", static_cast<Answer>(path)},
            {"this path and the one best cycle of its tree", static_cast<Answer>(best)},
            {"all edges", all},
            {"the largest weight", largest_weight(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // A breadth-first tree from vertex 0, and the XOR of the way to each vertex in it.
  struct Ways {
    std::vector<std::uint64_t> path;
    std::vector<char> seen;

    Ways(int n, const std::vector<WeightedEdge>& edges) : path(n), seen(n) {
      const Arcs arcs(n, edges);
      std::vector<int> queue{0};
      queue.reserve(static_cast<std::size_t>(n));
      seen[0] = 1;
      for (std::size_t i = 0; i < queue.size(); ++i) {
        const int u = queue[i];
        for (const auto& [v, edge] : arcs.of(u)) {
          if (seen[v] != 0) continue;
          seen[v] = 1;
          path[v] = path[u] ^ static_cast<std::uint64_t>(std::get<2>(edges[edge]));
          queue.push_back(v);
        }
      }
    }

    bool reached(int v) const { return seen[v] != 0; }
    std::uint64_t around(int u, int v, std::int64_t weight) const {
      return path[u] ^ path[v] ^ static_cast<std::uint64_t>(weight);
    }
  };

  static std::int64_t largest_weight(const Problem& problem) {
    std::int64_t largest = 0;
    for (const auto& [u, v, weight] : problem.edges) largest = std::max(largest, weight);
    return largest;
  }

  // Of all cycles together, at most `rank` are independent. N = 0 if vertex N − 1 is not reached.
  static Problem drawn(const Config& config, Rng& rng) {
    const int n = config.N;
    const std::uint64_t limit = std::uint64_t{1} << config.MAX_bit_length;
    std::vector<WeightedEdge> edges;
    for (const auto& [u, v] : draw_edges(n, undirected_edges_at(n, config.edge_density), rng)) {
      edges.emplace_back(u, v, static_cast<std::int64_t>(rng.below(limit)));
    }
    const Ways ways(n, edges);
    if (!ways.reached(n - 1)) return {};
    const int rank = static_cast<int>(rng.integer(1, config.MAX_bit_length - 1));
    std::vector<std::uint64_t> independent;
    XorBasis basis;
    Problem problem{.N = n, .edges = {}};
    for (auto& [u, v, weight] : edges) {
      if (!ways.reached(u)) continue;
      if (std::uint64_t cycle = ways.around(u, v, weight); cycle != 0) {
        if (std::ssize(independent) >= rank) {
          std::uint64_t sum = 0;
          for (const std::uint64_t other : independent) sum ^= rng.chance(0.5) ? other : 0;
          weight ^= static_cast<std::int64_t>(cycle ^ sum);
        } else if (basis.insert(cycle)) {
          independent.push_back(cycle);
        }
      }
      problem.edges.emplace_back(u, v, weight);
    }
    return problem;
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(MaxXorPath);

}  // namespace
}  // namespace redqueen
