#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct HamiltonianPathExistence {
  static constexpr Card card{
      .name = "HamiltonianPathExistence",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task = "Order all vertices of a directed graph so that every step follows an edge.",
      .levels = "From 3 vertices, one more a level; the edges are few, where such paths are rare.",
      .rewards =
          "-1 malformed, -0.5 not an order of all vertices, else (steps along edges / all "
          "steps)^5.",
      .differences =
          "Of the published densities only the three sparsest are drawn, because in denser "
          "graphs nearly any order will do. Graphs that the ascending or the descending order, "
          "one of three random orders, or greedy walks, or insertion solve are drawn again.",
      .slow_reason = SlowReason::kStricter,
      .source = "Karp, Reducibility among combinatorial problems, 1972",
      .version = 2,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::size_t kSparsest = 3;
  static constexpr int kGuesses = 3;
  static constexpr int kGreedyFrom = 5;  // in smaller graphs greedy walks seldom fail

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    std::string reference_answer;  // a path, planted
    REDQUEEN_FIELDS(N, edges, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    std::vector<double> densities = hamiltonian_densities(3 + level);
    densities.resize(std::min(densities.size(), kSparsest));
    return {.N = 3 + level, .edge_density = rng.choice(densities)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = drawn(config, rng);
    const WeightTable table(config.N, problem.edges);
    if (falls_to_a_simple_rule(table)) throw Retry();
    for (int guess = 0; guess < kGuesses; ++guess) {
      if (solves(table, random_answer(problem, rng))) throw Retry();
    }
    rng.shuffle(problem.edges);
    return problem;
  }

  static Config published_level(int level, Rng& rng) {
    const std::vector<double> densities = hamiltonian_densities(3 + level);
    return {.N = 3 + level, .edge_density = rng.choice(densities)};
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem = drawn(config, rng);
    rng.shuffle(problem.edges);
    return problem;
  }

  // The edges of the path come first.
  static Problem drawn(const Config& config, Rng& rng) {
    const std::vector<int> path = rng.permutation(config.N);
    return {.N = config.N,
            .edges = edges_on_path(path, edges_at_density(config.N, config.edge_density), rng),
            .reference_answer = format_answer(path)};
  }

  static Status check(const Problem& problem) {
    if (auto sound = check_edges(problem.N, problem.edges, EdgeKind::kDirected); !sound) {
      return sound;
    }
    const auto planted = parse_int_list(problem.reference_answer);
    if (!planted || score(problem, *planted) != 1.0) {
      return failure("\"reference_answer\" is not a path through all vertices");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A directed graph has {} vertices, 0 to {}, and these edges, one per line, \"s t\" for an "
        "edge from s to t:\n"
        "{}\n"
        "Find a path that visits every vertex exactly once, each step following an edge in its "
        "direction. It may start and end anywhere; at least one exists.\n"
        "Answer with the {} vertices in the order of the path, separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges), problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer)) return kInvalidReward;
    return share_reward(steps_along_edges(WeightTable(problem.N, problem.edges), answer),
                        problem.N - 1, kBeta);
  }

  static Answer solve(const Problem& problem) { return *parse_int_list(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::vector<int> order = rng.permutation(problem.N);
    return {order.begin(), order.end()};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const WeightTable table(problem.N, problem.edges);
    return {{"ascending order", format_answer(ascending_order(problem.N))},
            {"smallest unvisited successor", format_answer(greedy_walk(table, by_label))},
            {"successor with the fewest ways on", format_answer(greedy_walk(table, by_ways_on))},
            {"inserting vertices where edges allow it", format_answer(inserted(table))}};
  }

 private:
  static std::int64_t steps_along_edges(const WeightTable& table, const Answer& order) {
    std::int64_t steps = 0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      steps += table(static_cast<int>(order[i]), static_cast<int>(order[i + 1])) > 0;
    }
    return steps;
  }

  static bool solves(const WeightTable& table, const Answer& order) {
    return steps_along_edges(table, order) == table.size() - 1;
  }

  // What a greedy walk minimises in its next vertex.
  static int by_label(const WeightTable&, const std::vector<bool>&, int vertex) { return vertex; }
  static int by_ways_on(const WeightTable& table, const std::vector<bool>& seen, int vertex) {
    int ways = 0;
    for (int next = 0; next < table.size(); ++next) {
      ways += table(vertex, next) > 0 && !seen[next];
    }
    return ways;
  }

  // Starts where the fewest edges lead, and goes on as long as there is an edge to a vertex not
  // seen; the rest follows in ascending order.
  template <typename Cost>
  static Answer greedy_walk(const WeightTable& table, Cost cost) {
    const int n = table.size();
    std::vector<int> entries(n);
    for (int from = 0; from < n; ++from) {
      for (int to = 0; to < n; ++to) entries[to] += table(from, to) > 0;
    }
    std::vector<bool> seen(n);
    Answer walk;
    int here = static_cast<int>(std::ranges::min_element(entries) - entries.begin());
    while (here >= 0) {
      walk.push_back(here);
      seen[here] = true;
      int best = -1;
      int least = 0;
      for (int next = 0; next < n; ++next) {
        if (table(here, next) == 0 || seen[next]) continue;
        const int value = cost(table, seen, next);
        if (best < 0 || value < least) {
          best = next;
          least = value;
        }
      }
      here = best;
    }
    for (int vertex = 0; vertex < n; ++vertex) {
      if (!seen[vertex]) walk.push_back(vertex);
    }
    return walk;
  }

  // Puts vertices, smallest first, into a path at the first place where edges allow it, over and
  // over; what finds no place follows in ascending order.
  static Answer inserted(const WeightTable& table) {
    const int n = table.size();
    Answer path{0};
    std::vector<int> waiting;
    for (int vertex = 1; vertex < n; ++vertex) waiting.push_back(vertex);
    for (bool moved = true; moved;) {
      const std::size_t before = waiting.size();
      std::erase_if(waiting, [&](int vertex) { return insert(table, path, vertex); });
      moved = waiting.size() < before;
    }
    path.insert(path.end(), waiting.begin(), waiting.end());
    return path;
  }

  static bool insert(const WeightTable& table, Answer& path, int vertex) {
    for (std::size_t place = 0; place <= path.size(); ++place) {
      if (place > 0 && table(static_cast<int>(path[place - 1]), vertex) == 0) continue;
      if (place < path.size() && table(vertex, static_cast<int>(path[place])) == 0) continue;
      path.insert(path.begin() + static_cast<std::ptrdiff_t>(place), vertex);
      return true;
    }
    return false;
  }

  static bool falls_to_a_simple_rule(const WeightTable& table) {
    const int n = table.size();
    if (solves(table, ascending_order(n)) || solves(table, descending_order(n))) return true;
    return n >= kGreedyFrom &&
           (solves(table, greedy_walk(table, by_label)) ||
            solves(table, greedy_walk(table, by_ways_on)) || solves(table, inserted(table)));
  }
};
REDQUEEN_ENVIRONMENT(HamiltonianPathExistence);

}  // namespace
}  // namespace redqueen
