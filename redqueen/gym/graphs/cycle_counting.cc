#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/vertex_sets.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct CycleCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "CycleCounting",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the simple cycles of an undirected graph.",
      .levels =
          "From 4 vertices, one more a level; from level 2 on, at least as many edges as vertices. "
          "Beyond level 12 the count takes long.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the count.",
      .differences =
          "Only the exact count is solved. Densities that leave hardly a cycle are not drawn, and "
          "in small graphs all counts that come up are made equally likely: 0 was right in half of "
          "the problems.",
      .small_answer_space =
          "Four vertices have 0, 1, 3 or 7 cycles; from level 2 on counts are many.",
      .guess_until_level = 2,
      .max_level = 12,
  };

  static constexpr std::array kDensities{0.25, 0.45, 0.65, 0.85};
  static constexpr int kSmall = 8;  // vertices: up to here counts are spread
  static constexpr int kDraws = 6;
  static constexpr int kMaxN = 16;

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, edges, reference_answer)
  };

  static Config at_level(int level, Rng& rng) {
    const int n = 4 + level;
    const int fewest = level < 2 ? 3 : n;
    return {.N = n, .edge_density = draw_density(kDensities, n, fewest, n * n, rng)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_spread(config.N <= kSmall ? kDraws : 1, rng, [&] {
      Problem problem = published(config, rng);
      return std::optional(std::pair(problem.reference_answer, std::move(problem)));
    });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 4 + level;
    return {.N = n, .edge_density = draw_density(kDensities, n, 1, n * n, rng)};
  }

  static Problem published(const Config& config, Rng& rng) {
    const int count = undirected_edges_at(config.N, config.edge_density);
    Problem problem{
        .N = config.N, .edges = draw_edges(config.N, count, rng), .reference_answer = 0};
    problem.reference_answer = cycles(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxN));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected));
    return reference_is("reference_answer", problem.reference_answer, BigInt(cycles(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "An undirected graph has {} vertices, 0 to {}. Each of these lines gives an edge by its "
        "two ends:\n"
        "{}\n"
        "A cycle is a closed way along edges through three or more vertices, none of which it "
        "visits twice. Two cycles are the same if they consist of the same edges, wherever they "
        "begin and in whichever direction they go.\n"
        "Answer with the number of cycles, one integer.",
        problem.N, problem.N - 1, format_edges(problem.edges));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {
        {"edges less vertices plus one", format_answer(std::ssize(problem.edges) - problem.N + 1)},
        {"triangles", format_answer(triangles(problem))}};
  }

 private:
  static std::int64_t triangles(const Problem& problem) {
    const NeighbourSets near = neighbour_sets(problem.N, problem.edges);
    std::int64_t corners = 0;
    for (const auto& [u, v] : problem.edges) corners += std::popcount(near[u] & near[v]);
    return corners / 3;
  }

  // Cycles through one vertex, then those of the graph without it, and so on. Vertices on no cycle
  // go as soon as they have at most one neighbour.
  static std::int64_t cycles(const Problem& problem) {
    NeighbourSets near = neighbour_sets(problem.N, problem.edges);
    VertexSet left = first_vertices(problem.N);
    std::vector<std::int64_t> paths;
    std::int64_t twice = 0;
    while (true) {
      left = core_of(near, left);
      if (left == 0) return twice / 2;
      int hub = std::countr_zero(left);
      for (VertexSet set = left; set != 0; set &= set - 1) {
        const int v = std::countr_zero(set);
        if (std::popcount(near[v] & left) > std::popcount(near[hub] & left)) hub = v;
      }
      left &= ~single(hub);
      twice += closed_ways(near, hub, left, paths);
    }
  }

  static VertexSet core_of(const NeighbourSets& near, VertexSet left) {
    for (bool changed = true; changed;) {
      changed = false;
      for (VertexSet set = left; set != 0; set &= set - 1) {
        const int v = std::countr_zero(set);
        if (std::popcount(near[v] & left) > 1) continue;
        left &= ~single(v);
        changed = true;
      }
    }
    return left;
  }

  // Cycles through `hub` and two or more vertices of `others`, each counted in both directions.
  // paths[S·k + v]: the simple paths from the hub that visit just the set S and end at v. They are
  // zeroed once they have been used.
  static std::int64_t closed_ways(const NeighbourSets& near, int hub, VertexSet others,
                                  std::vector<std::int64_t>& paths) {
    const std::vector<std::int64_t> names = members_of(others);
    const std::size_t k = names.size();
    std::vector<std::size_t> ways(k);  // neighbours by their places among the names
    std::size_t to_hub = 0;
    for (std::size_t i = 0; i < k; ++i) {
      to_hub |= std::size_t{contains(near[hub], static_cast<int>(names[i]))} << i;
      for (std::size_t j = 0; j < k; ++j) {
        ways[i] |= std::size_t{contains(near[names[i]], static_cast<int>(names[j]))} << j;
      }
    }
    paths.resize(std::max(paths.size(), k << k));
    for (std::size_t i = 0; i < k; ++i) {
      if ((to_hub >> i & 1) != 0) paths[(k << i) + i] = 1;
    }
    std::int64_t closed = 0;
    for (std::size_t set = 1; set < std::size_t{1} << k; ++set) {
      const bool closes = !std::has_single_bit(set);
      for (std::size_t ends = set; ends != 0; ends &= ends - 1) {
        const auto end = static_cast<std::size_t>(std::countr_zero(ends));
        const std::int64_t count = std::exchange(paths[set * k + end], 0);
        if (count == 0) continue;
        if (closes && (to_hub >> end & 1) != 0) closed += count;
        for (std::size_t on = ways[end] & ~set; on != 0; on &= on - 1) {
          const auto next = static_cast<std::size_t>(std::countr_zero(on));
          paths[(set | std::size_t{1} << next) * k + next] += count;
        }
      }
    }
    return closed;
  }
};
REDQUEEN_ENVIRONMENT(CycleCounting);

}  // namespace
}  // namespace redqueen
