#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/vertex_sets.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct Minimum_DominatingSet {
  static constexpr Card card{
      .name = "Minimum_DominatingSet",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Choose vertices of a graph, as cheap as possible together, such that each vertex is "
          "chosen or has a chosen neighbour.",
      .levels =
          "From 4 vertices, one more a level, with at least as many edges as vertices. Beyond "
          "level "
          "36 the best choice would take long to find.",
      .rewards =
          "-1 malformed, -0.5 a vertex that does not exist or comes twice, or one that is neither "
          "chosen nor beside a chosen one, else (least cost / cost)^5.",
      .differences =
          "Of the published densities, one of the three lowest is drawn that give at least as many "
          "edges as vertices. From 6 vertices on, a problem is drawn again that is solved by "
          "taking "
          "the vertex that does most for its cost, by leaving out the dearest that can be, or by "
          "the cheapest vertex at each one in turn.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 36,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::array kDensities{0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35,
                                         0.4,  0.45, 0.5, 0.6,  0.7, 0.8,  0.9};
  static constexpr int kFewVertices = 6;
  static constexpr int kDraws = 400;
  static constexpr std::int64_t kMostCost = 10;
  static constexpr int kMostVertices = 40;

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    std::vector<std::int64_t> C;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, edges, C, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = 4 + level;
    const auto densities =
        sparsest(kDensities, 3, n, [n](double density) { return undirected_edges_at(n, density); });
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
                     .edges = {pairs.begin(), pairs.begin() + count},
                     .C = draw_numbers(n, 1, kMostCost, rng),
                     .gold_answer = 0};
    };
    return draw_accepted(kDraws, draw, [&](Problem& problem) {
      problem.gold_answer = Search(problem).least;
      return n < kFewVertices || !some_rule_solves<Minimum_DominatingSet>(problem);
    });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 4 + level;
    return {.N = n, .edge_density = draw_density(kDensities, n, 1, n * n, rng)};
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .edges = draw_edges(n, undirected_edges_at(n, config.edge_density), rng),
                    .C = draw_numbers(n, 1, kMostCost, rng),
                    .gold_answer = 0};
    problem.gold_answer = Search(problem).least;
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected));
    RETURN_IF_ERROR(check_numbers("C", problem.C, problem.N, 1, kMaxWeight));
    return reference_is("gold_answer", problem.gold_answer, Search(problem).least);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A graph has {} vertices, 0 to {}. Each of these lines gives an edge by its two ends:\n"
        "{}\n"
        "Choosing a vertex costs:\n"
        "{}\n"
        "Choose different vertices such that every vertex that is not chosen has an edge to at "
        "least one that is, and the sum of the costs of the chosen vertices is as small as "
        "possible.\n"
        "Answer with the chosen vertices in any order on one line, separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges), with_indices("C", problem.C));
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::uint64_t chosen = 0;
    for (const std::int64_t v : answer) {
      if (v < 0 || v >= problem.N || (chosen & bit(v)) != 0) return kInvalidReward;
      chosen |= bit(v);
    }
    std::uint64_t served = chosen;
    for (const auto& [u, v] : problem.edges) {
      if ((chosen & bit(u)) != 0) served |= bit(v);
      if ((chosen & bit(v)) != 0) served |= bit(u);
    }
    if (served != all(problem)) return kInvalidReward;
    std::int64_t cost = 0;
    for (const std::int64_t v : answer) cost += problem.C[v];
    return minimise_reward(cost, problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return members(Search(problem).best); }

  // Vertices in random order, each chosen that serves another one.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    const auto near = neighbourhoods(problem);
    std::uint64_t open = all(problem);
    std::uint64_t chosen = 0;
    for (const int v : rng.permutation(problem.N)) {
      if ((open & near[v]) == 0) continue;
      chosen |= bit(v);
      open &= ~near[v];
    }
    return members(chosen);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto near = neighbourhoods(problem);
    return {{"the vertex that serves most for its cost, again and again", by_use(problem, near)},
            {"all but the dearest that can be left out", without_dearest(problem, near)},
            {"the cheapest vertex in reach of each in turn", one_by_one(problem, near)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"all vertices", format_answer(members(all(problem)))});
    return named;
  }

 private:
  using Sets = std::vector<std::uint64_t>;

  static std::uint64_t bit(std::int64_t v) { return std::uint64_t{1} << v; }

  static std::uint64_t all(const Problem& problem) { return bit(problem.N) - 1; }

  static Answer members(std::uint64_t set) {
    Answer vertices;
    for (; set != 0; set &= set - 1) vertices.push_back(std::countr_zero(set));
    return vertices;
  }

  // Of each vertex: itself and its neighbours.
  static Sets neighbourhoods(const Problem& problem) {
    Sets near(problem.C.size());
    for (int v = 0; v < problem.N; ++v) near[v] = bit(v);
    for (const auto& [u, v] : problem.edges) {
      near[u] |= bit(v);
      near[v] |= bit(u);
    }
    return near;
  }

  // Branch and bound: one of the vertices that can still serve the vertex with the fewest such is
  // chosen; after each branch that vertex is out. If a vertex shares its cost among all open ones
  // that it serves, each open one costs at least its cheapest share.
  struct Search {
    const std::vector<std::int64_t>& costs;
    Sets near;
    std::int64_t least = std::int64_t{1} << 60;
    std::uint64_t best = 0;

    explicit Search(const Problem& problem) : costs(problem.C), near(neighbourhoods(problem)) {
      visit(all(problem), all(problem), 0, 0);
    }

    // `open`: vertices not served; `free`: vertices that may be chosen.
    void visit(std::uint64_t open, std::uint64_t free, std::uint64_t chosen, std::int64_t cost) {
      if (open == 0) {
        if (cost < least) {
          least = cost;
          best = chosen;
        }
        return;
      }
      double more = 0;
      int branch = -1;
      int fewest = 65;
      for (std::uint64_t rest = open; rest != 0; rest &= rest - 1) {
        const int v = std::countr_zero(rest);
        const std::uint64_t servants = near[v] & free;
        const int count = std::popcount(servants);
        if (count == 0) return;
        if (count < fewest) {
          fewest = count;
          branch = v;
        }
        double share = 1e18;
        for (std::uint64_t s = servants; s != 0; s &= s - 1) {
          const int u = std::countr_zero(s);
          share = std::min(share, static_cast<double>(costs[u]) / std::popcount(near[u] & open));
        }
        more += share;
      }
      // Costs are integers; what rounding adds to the bound is far below one part in 10^9.
      if (static_cast<double>(cost) + std::ceil(more * (1 - 1e-9)) >= static_cast<double>(least)) {
        return;
      }
      for (std::uint64_t servants = near[branch] & free; servants != 0;) {
        int next = std::countr_zero(servants);
        for (std::uint64_t s = servants; s != 0; s &= s - 1) {
          const int u = std::countr_zero(s);
          const auto served = [&](int w) { return std::popcount(near[w] & open); };
          if (costs[u] * served(next) < costs[next] * served(u)) next = u;
        }
        servants &= ~bit(next);
        free &= ~bit(next);
        visit(open & ~near[next], free, chosen | bit(next), cost + costs[next]);
      }
    }
  };

  static Answer by_use(const Problem& problem, const Sets& near) {
    std::uint64_t open = all(problem);
    std::uint64_t chosen = 0;
    while (open != 0) {
      int best = 0;
      const auto served = [&](int v) { return std::popcount(near[v] & open); };
      for (int v = 1; v < problem.N; ++v) {
        if (problem.C[v] * served(best) < problem.C[best] * served(v)) best = v;
      }
      chosen |= bit(best);
      open &= ~near[best];
    }
    return members(chosen);
  }

  static Answer without_dearest(const Problem& problem, const Sets& near) {
    std::vector<int> order(problem.C.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater(), [&](int v) { return problem.C[v]; });
    std::uint64_t chosen = all(problem);
    for (const int v : order) {
      const std::uint64_t less = chosen & ~bit(v);
      if (std::ranges::all_of(near, [&](std::uint64_t set) { return (set & less) != 0; })) {
        chosen = less;
      }
    }
    return members(chosen);
  }

  static Answer one_by_one(const Problem& problem, const Sets& near) {
    std::uint64_t open = all(problem);
    std::uint64_t chosen = 0;
    while (open != 0) {
      const Answer servants = members(near[std::countr_zero(open)]);
      const auto cheapest =
          *std::ranges::min_element(servants, {}, [&](std::int64_t v) { return problem.C[v]; });
      chosen |= bit(cheapest);
      open &= ~near[cheapest];
    }
    return members(chosen);
  }
};
REDQUEEN_ENVIRONMENT(Minimum_DominatingSet);

}  // namespace
}  // namespace redqueen
