#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/graph/vertex_sets.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct Minimum_VertexCover {
  static constexpr Card card{
      .name = "Minimum_VertexCover",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Choose vertices of a graph, as cheap as possible together, such that each edge has "
          "a chosen end.",
      .levels =
          "From 4 vertices, one more a level, with one to three edges a vertex where so many can "
          "be. Beyond level 36 the best choice would take long to find.",
      .rewards =
          "-1 malformed, -0.5 a vertex that does not exist or comes twice, or an edge without a "
          "chosen end, else (least cost / cost)^5.",
      .differences =
          "Of the published densities, those that leave only a few edges or few pairs without one "
          "are not drawn. From 6 vertices on, a problem is drawn again that is solved by taking "
          "the vertices with most edges for their cost, by leaving out the dearest that can be, or "
          "by paying for edges one after another.",
      .slow_reason = SlowReason::kStricter,
      .source = "R. Karp, Reducibility among combinatorial problems, 1972: node cover",
      .max_level = 36,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::array kDensities{0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35,
                                         0.4,  0.45, 0.5, 0.6,  0.7, 0.8,  0.9};
  static constexpr int kFewVertices = 6;
  static constexpr int kDraws = 300;
  static constexpr std::int64_t kMostCost = 10;
  static constexpr std::int64_t kMaxN = 40;

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
    std::vector<double> densities;
    for (const double density : kDensities) {
      const int edges = edges_at(n, density);
      if (edges >= n && (edges <= 3 * n || density <= 0.15) && density <= 0.8) {
        densities.push_back(density);
      }
    }
    return {.N = n, .edge_density = rng.choice(densities)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    std::vector<Edge> pairs;
    for (int u = 0; u < n; ++u) {
      for (int v = u + 1; v < n; ++v) pairs.emplace_back(u, v);
    }
    const auto count = static_cast<std::size_t>(edges_at(n, config.edge_density));
    for (int draw = 0; draw < kDraws; ++draw) {
      rng.shuffle(pairs);
      Problem problem{.N = n,
                      .edges = {pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(count)},
                      .C = draw_numbers(n, 1, kMostCost, rng),
                      .gold_answer = 0};
      problem.gold_answer = Search(problem).least;
      if (n < kFewVertices || !some_rule_solves<Minimum_VertexCover>(problem)) return problem;
    }
    throw Retry();
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 4 + level;
    return {.N = n, .edge_density = draw_density(kDensities, n, 1, n * n, rng)};
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .edges = draw_edges(n, edges_at(n, config.edge_density), rng),
                    .C = draw_numbers(n, 1, kMostCost, rng),
                    .gold_answer = 0};
    problem.gold_answer = Search(problem).least;
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxN));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected));
    RETURN_IF_ERROR(within("edges", std::ssize(problem.edges), 1, kMaxN * kMaxN));
    RETURN_IF_ERROR(check_numbers("C", problem.C, problem.N, 1, kMaxWeight));
    return reference_is("gold_answer", problem.gold_answer, Search(problem).least);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A graph has {} vertices, 0 to {}. Each of these lines gives an edge by its two ends:\n"
        "{}\n"
        "Choosing a vertex costs:\n"
        "{}\n"
        "Choose different vertices such that every edge has at least one chosen end, and the sum "
        "of the costs of the chosen vertices is as small as possible.\n"
        "Answer with the chosen vertices in any order on one line, separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges), with_indices("C", problem.C));
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::uint64_t chosen = 0;
    for (const std::int64_t vertex : answer) {
      if (vertex < 0 || vertex >= problem.N || (chosen >> vertex & 1) != 0) return kInvalidReward;
      chosen |= std::uint64_t{1} << vertex;
    }
    for (const auto& [u, v] : problem.edges) {
      if ((chosen >> u & 1) == 0 && (chosen >> v & 1) == 0) return kInvalidReward;
    }
    return minimise_reward(cost_of(problem, answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return members(Search(problem).best); }

  // Edges in random order choose an end, where they have none yet.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<Edge> edges = problem.edges;
    rng.shuffle(edges);
    std::uint64_t chosen = 0;
    for (const auto& [u, v] : edges) {
      if ((chosen >> u & 1) == 0 && (chosen >> v & 1) == 0) {
        chosen |= std::uint64_t{1} << (rng.chance(0.5) ? u : v);
      }
    }
    return members(chosen);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"the vertex with most edges for its cost, again and again", by_edges(problem)},
            {"all but the dearest that can be left out", without_dearest(problem)},
            {"each edge pays what its ends still cost", by_payments(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    Answer all(problem.C.size());
    std::iota(all.begin(), all.end(), 0);
    named.push_back({"all vertices", format_answer(all)});
    return named;
  }

 private:
  static int edges_at(int n, double density) { return static_cast<int>(density * n * (n - 1) / 2); }

  static Answer members(std::uint64_t set) {
    Answer vertices;
    for (; set != 0; set &= set - 1) vertices.push_back(std::countr_zero(set));
    return vertices;
  }

  static std::int64_t cost_of(const Problem& problem, const Answer& vertices) {
    std::int64_t cost = 0;
    for (const std::int64_t vertex : vertices) cost += problem.C[vertex];
    return cost;
  }

  static std::vector<std::uint64_t> neighbours(const Problem& problem) {
    std::vector<std::uint64_t> near(problem.C.size());
    for (const auto& [u, v] : problem.edges) {
      near[u] |= std::uint64_t{1} << v;
      near[v] |= std::uint64_t{1} << u;
    }
    return near;
  }

  // Branch and bound: the vertex with most open edges for its cost is taken, or all its neighbours
  // are. What edges can pay, each from the costs of both ends that no other edge has used, is a
  // lower bound (R. Bar-Yehuda and S. Even, "A linear-time approximation algorithm for the weighted
  // vertex cover problem", 1981).
  struct Search {
    const std::vector<std::int64_t>& costs;
    std::vector<std::uint64_t> near;
    std::int64_t least = std::int64_t{1} << 60;
    std::uint64_t best = 0;

    explicit Search(const Problem& problem) : costs(problem.C), near(neighbours(problem)) {
      std::uint64_t open = 0;
      for (std::size_t v = 0; v < near.size(); ++v) open |= std::uint64_t{near[v] != 0} << v;
      visit(open, 0, 0);
    }

    // `open`: vertices not decided upon.
    void visit(std::uint64_t open, std::uint64_t chosen, std::int64_t cost) {
      int branch = -1;
      int most = 0;  // open edges of it
      for (std::uint64_t rest = open; rest != 0; rest &= rest - 1) {
        const int v = std::countr_zero(rest);
        const int degree = std::popcount(near[v] & open);
        if (degree == 0) continue;
        if (branch < 0 || degree * costs[branch] > most * costs[v]) {
          branch = v;
          most = degree;
        }
      }
      if (branch < 0) {
        if (cost < least) {
          least = cost;
          best = chosen;
        }
        return;
      }
      if (cost + payable(open) >= least) return;
      const std::uint64_t bit = std::uint64_t{1} << branch;
      visit(open & ~bit, chosen | bit, cost + costs[branch]);
      const std::uint64_t taken = near[branch] & open;
      std::int64_t more = 0;
      for (const std::int64_t v : members(taken)) more += costs[v];
      visit(open & ~taken & ~bit, chosen | taken, cost + more);
    }

    std::int64_t payable(std::uint64_t open) const {
      std::vector<std::int64_t> left = costs;
      std::int64_t paid = 0;
      for (std::uint64_t rest = open; rest != 0; rest &= rest - 1) {
        const int u = std::countr_zero(rest);
        for (std::uint64_t ends = near[u] & rest; ends != 0 && left[u] > 0; ends &= ends - 1) {
          const int v = std::countr_zero(ends);
          const std::int64_t payment = std::min(left[u], left[v]);
          left[u] -= payment;
          left[v] -= payment;
          paid += payment;
        }
      }
      return paid;
    }
  };

  static Answer by_edges(const Problem& problem) {
    const std::vector<std::uint64_t> near = neighbours(problem);
    std::uint64_t open = (std::uint64_t{1} << problem.N) - 1;
    std::uint64_t chosen = 0;
    while (true) {
      int best = -1;
      int most = 0;
      for (int v = 0; v < problem.N; ++v) {
        const int degree = (open >> v & 1) != 0 ? std::popcount(near[v] & open) : 0;
        if (degree == 0) continue;
        if (best < 0 || degree * problem.C[best] > most * problem.C[v]) {
          best = v;
          most = degree;
        }
      }
      if (best < 0) return members(chosen);
      open &= ~(std::uint64_t{1} << best);
      chosen |= std::uint64_t{1} << best;
    }
  }

  static Answer without_dearest(const Problem& problem) {
    const std::vector<std::uint64_t> near = neighbours(problem);
    std::vector<int> order(problem.C.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater(), [&](int v) { return problem.C[v]; });
    std::uint64_t left_out = 0;
    for (const int v : order) {
      if ((near[v] & left_out) == 0) left_out |= std::uint64_t{1} << v;
    }
    return members(~left_out & ((std::uint64_t{1} << problem.N) - 1));
  }

  static Answer by_payments(const Problem& problem) {
    std::vector<std::int64_t> left = problem.C;
    for (const auto& [u, v] : problem.edges) {
      const std::int64_t payment = std::min(left[u], left[v]);
      left[u] -= payment;
      left[v] -= payment;
    }
    Answer paid;
    for (int v = 0; v < problem.N; ++v) {
      if (left[v] == 0) paid.push_back(v);
    }
    return paid;
  }
};
REDQUEEN_ENVIRONMENT(Minimum_VertexCover);

}  // namespace
}  // namespace redqueen
