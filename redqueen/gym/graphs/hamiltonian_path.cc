#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/asymmetric_tsp.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct HamiltonianPath {
  static constexpr Card card{
      .name = "HamiltonianPath",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Find a walk of least total weight that visits every vertex of a weighted directed "
          "graph; vertices and edges may repeat.",
      .levels = "From 3 vertices, one more a level, with 5 % to 95 % of all edges.",
      .rewards =
          "-1 malformed, -0.5 not a walk along edges that visits all vertices, else (least "
          "weight / weight)^5.",
      .differences =
          "Graphs in which the ascending order is best, or always going to the nearest new "
          "vertex, are drawn again.",
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kSearchBudget = 40'000;  // nodes; a graph that needs more is drawn again
  static constexpr int kMaxSearched = 200;      // all shortest ways take N^3 steps
  static constexpr std::size_t kMaxWalk = 100'000;

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;
    std::string reference_answer;  // a walk of least weight
    std::int64_t reference_answer_weight = 0;
    REDQUEEN_FIELDS(N, edges, reference_answer, reference_answer_weight)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const std::vector<double> densities = hamiltonian_densities(3 + level);
    return {.N = 3 + level, .edge_density = rng.choice(densities)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = drawn(config, rng);
    const Closure closure(problem);
    set_reference(problem, closure);
    const std::int64_t least = problem.reference_answer_weight;
    const bool simple = visiting_weight(problem, ascending_order(config.N)) == least ||
                        closure.cost(closure.nearest_first(0)) == least ||
                        closure.cost(closure.best_nearest_first()) == least;
    if (simple) throw Retry();
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem = drawn(config, rng);
    set_reference(problem, Closure(problem));
    return problem;
  }

  static Problem drawn(const Config& config, Rng& rng) {
    Problem problem{
        .N = config.N, .edges = {}, .reference_answer = {}, .reference_answer_weight = 0};
    const std::size_t planted = static_cast<std::size_t>(config.N) - 1;
    for (const auto& [from, to] : edges_on_path(
             rng.permutation(config.N), edges_at_density(config.N, config.edge_density), rng)) {
      const int highest = problem.edges.size() < planted ? config.N : std::max(1, config.N / 2);
      problem.edges.emplace_back(from, to, rng.integer(1, highest));
    }
    rng.shuffle(problem.edges);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = check_edges(problem.N, problem.edges); !sound) return sound;
    if (problem.N > kMaxSearched) {
      return failure("\"N\": expected at most {} vertices", kMaxSearched);
    }
    const auto walk = parse_int_list(problem.reference_answer);
    if (!walk || walk->size() > kMaxWalk ||
        visiting_weight(problem, *walk) != problem.reference_answer_weight) {
      return failure(
          "\"reference_answer\" is not a walk through all vertices of \"reference_answer_weight\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A directed graph has {} vertices, 0 to {}, and these edges, one per line, \"s t w\" for "
        "an edge from s to t of weight w:\n"
        "{}\n"
        "Find a walk along edges, in their direction, that visits every vertex at least once and "
        "has the least total weight. It may start and end anywhere, and may use vertices and "
        "edges again; an edge's weight counts each time it is used.\n"
        "Answer with the vertices in the order of the walk, separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges));
  }

  static double score(const Problem& problem, const Answer& answer) {
    const std::optional<std::int64_t> weight = visiting_weight(problem, answer);
    if (!weight) return kInvalidReward;
    return minimise_reward(*weight, problem.reference_answer_weight, kBeta);
  }

  static Answer solve(const Problem& problem) { return *parse_int_list(problem.reference_answer); }

  // A walk to random new vertices, by shortest ways where they can be reached.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    return Closure(problem).walk(rng.permutation(problem.N));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const Closure closure(problem);
    return {{"ascending order", format_answer(ascending_order(problem.N))},
            {"nearest new vertex from 0", format_answer(closure.walk(closure.nearest_first(0)))},
            {"nearest new vertex from the best start",
             format_answer(closure.walk(closure.best_nearest_first()))}};
  }

 private:
  // All shortest ways: a cheapest order of the vertices at these costs is a cheapest walk.
  struct Closure {
    explicit Closure(const Problem& problem) : costs{.n = problem.N, .costs = {}} {
      const auto n = static_cast<std::size_t>(problem.N);
      costs.costs.assign(n * n, kNoStep);
      first_step.assign(n * n, -1);
      for (const auto& [from, to, weight] : problem.edges) {
        costs(from, to) = weight;
        step(from, to) = to;
      }
      for (int via = 0; via < costs.n; ++via) {
        for (int from = 0; from < costs.n; ++from) {
          for (int to = 0; to < costs.n; ++to) {
            const std::int64_t around = costs(from, via) + costs(via, to);
            if (from != to && around < costs(from, to)) {
              costs(from, to) = around;
              step(from, to) = step(from, via);
            }
          }
        }
      }
    }

    int& step(int from, int to) { return first_step[from * costs.n + to]; }
    int step(int from, int to) const { return first_step[from * costs.n + to]; }

    // Goes straight to what cannot be reached.
    Answer walk(const std::vector<int>& order) const {
      Answer walk{order.front()};
      for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        int here = order[i];
        while (here != order[i + 1]) {
          here = step(here, order[i + 1]) < 0 ? order[i + 1] : step(here, order[i + 1]);
          walk.push_back(here);
        }
      }
      return walk;
    }

    std::int64_t cost(const std::vector<int>& order) const {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i + 1 < order.size(); ++i) sum += costs(order[i], order[i + 1]);
      return sum;
    }

    std::vector<int> nearest_first(int start) const {
      std::vector<int> order{start};
      std::vector<bool> seen(costs.n);
      seen[start] = true;
      while (order.size() < seen.size()) {
        int nearest = -1;
        for (int next = 0; next < costs.n; ++next) {
          if (seen[next]) continue;
          if (nearest < 0 || costs(order.back(), next) < costs(order.back(), nearest)) {
            nearest = next;
          }
        }
        order.push_back(nearest);
        seen[nearest] = true;
      }
      return order;
    }

    std::vector<int> best_nearest_first() const {
      std::vector<int> best;
      std::int64_t least = 0;
      for (int start = 0; start < costs.n; ++start) {
        std::vector<int> order = nearest_first(start);
        const std::int64_t weight = cost(order);
        if (best.empty() || weight < least) {
          best = std::move(order);
          least = weight;
        }
      }
      return best;
    }

    CityCosts costs;
    std::vector<int> first_step;  // n × n: the vertex after `from` on the way to `to`
  };

  // Throws Retry where the search takes too long.
  static void set_reference(Problem& problem, const Closure& closure) {
    const OpenTour tour = cheapest_open_tour(closure.costs, kSearchBudget);
    if (tour.outcome != TourOutcome::kOptimal) throw Retry();
    problem.reference_answer = format_answer(closure.walk(tour.order));
    problem.reference_answer_weight = tour.cost;
  }

  static std::optional<std::int64_t> visiting_weight(const Problem& problem, const Answer& walk) {
    std::vector<bool> seen(problem.N);
    for (const std::int64_t vertex : walk) {
      if (vertex < 0 || vertex >= problem.N) return std::nullopt;
      seen[vertex] = true;
    }
    if (std::ranges::find(seen, false) != seen.end()) return std::nullopt;
    return WeightTable(problem.N, problem.edges).walk_weight(walk);
  }
};
REDQUEEN_ENVIRONMENT(HamiltonianPath);

}  // namespace
}  // namespace redqueen
