#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/graph/min_cost_flow.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct MinPathCover_DAG {
  static constexpr Card card{
      .name = "MinPathCover_DAG",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kMinimise,
      .task =
          "Cover all edges of an acyclic weighted graph by paths from vertex 1 of the least total "
          "weight.",
      .levels =
          "From 4 vertices, one more each level, with about a quarter of as many edges as squares "
          "of vertices. Beyond level 50 the answers would be too long to write.",
      .rewards =
          "-1 malformed, -0.5 a path that does not begin at 1 or leaves the edges, -0.2 an edge is "
          "left out, else (least weight / weight)^5. Walks that follow unused edges earn about "
          "0.8.",
      .differences =
          "The numbers of the vertices say nothing about the directions of edges. From 6 vertices "
          "on, a problem is drawn again that is solved by a path of its own for each edge, or by "
          "walks that follow edges not yet used and begin with the lightest way to the next.",
      .max_level = 50,
  };

  static constexpr double kUncovered = -0.2;
  static constexpr double kBeta = 5.0;
  static constexpr int kFewVertices = 6;
  static constexpr int kDraws = 200;
  static constexpr int kMostVertices = 100;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;  // of vertices 1 … N
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, edges, gold_answer)
  };
  using Answer = std::vector<std::vector<std::int64_t>>;  // paths

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    for (int draw = 0; draw < kDraws; ++draw) {
      Problem problem = drawn(drawn_order(config.N, rng), rng);
      problem.gold_answer = least_weight(problem);
      if (config.N < kFewVertices) return problem;
      const WeightTable table = weights(problem);
      const bool easy = weight_of(table, unused_edges(problem)) == problem.gold_answer ||
                        weight_of(table, single_edges(problem)) == problem.gold_answer;
      if (!easy) return problem;
    }
    throw Retry();
  }

  // All edges lead to greater numbers: the published generator means to shuffle the order, but
  // shuffles a copy.
  static Problem published(const Config& config, Rng& rng) {
    std::vector<int> order(static_cast<std::size_t>(config.N));
    std::iota(order.begin(), order.end(), 1);
    Problem problem = drawn(order, rng);
    problem.gold_answer = least_weight(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    std::vector<WeightedEdge> shifted;
    for (const auto& [from, to, weight] : problem.edges) {
      RETURN_IF_ERROR(within("edges", from, 1, problem.N));
      RETURN_IF_ERROR(within("edges", to, 2, problem.N));
      shifted.emplace_back(from - 1, to - 1, weight);
    }
    RETURN_IF_ERROR(check_edges(problem.N, shifted));
    if (order_of(problem).size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"edges\": they go round in a circle, or leave a vertex out of reach of 1");
    }
    return reference_is("gold_answer", problem.gold_answer, least_weight(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A directed graph without cycles has {} vertices, 1 to {}, and these edges, one per line, "
        "\"s t w\" for an edge from s to t of weight w:\n"
        "{}\n"
        "Every vertex can be reached from vertex 1. Give paths along edges, in their direction, "
        "that all begin at vertex 1, such that every edge lies on at least one of the paths. A "
        "path may end anywhere, and paths may share edges; the weight of an edge counts each time "
        "that a path uses it. The weights of all paths together shall add up to as little as "
        "possible.\n"
        "Answer with one path per line: its vertices in order, beginning with 1, separated by "
        "spaces.",
        problem.N, problem.N, format_edges(problem.edges));
  }

  static double score(const Problem& problem, const Answer& answer) {
    WeightTable table = weights(problem);
    std::size_t left = problem.edges.size();
    std::vector<char> used(table_size(problem) * table_size(problem));
    std::int64_t total = 0;
    for (const auto& path : answer) {
      if (path.empty()) continue;
      if (path.front() != 1) return kInvalidReward;
      const auto weight = table.walk_weight(path);
      if (!weight) return kInvalidReward;
      total += *weight;
      for (std::size_t i = 1; i < path.size(); ++i) {
        left -= std::exchange(used[path[i - 1] * table_size(problem) + path[i]], 1) == 0 ? 1 : 0;
      }
    }
    if (left > 0) return kUncovered;
    return minimise_reward(total, problem.gold_answer, kBeta);
  }

  // Every edge is taken once, and as often again as a cheapest flow wants it. Then walks from 1 use
  // all up: whatever leaves another vertex has come there before.
  static Answer solve(const Problem& problem) {
    Cover cover(problem);
    std::vector<std::vector<std::pair<int, std::int64_t>>> ways(table_size(problem));
    for (int i = 0; i < std::ssize(problem.edges); ++i) {
      const auto& [from, to, weight] = problem.edges[i];
      ways[from].emplace_back(to, 1 + cover.network.flow(i));
    }
    Answer paths;
    while (!ways[1].empty()) {
      std::vector<std::int64_t> path{1};
      while (!ways[path.back()].empty()) {
        auto& [to, times] = ways[path.back()].back();
        const int next = to;
        if (--times == 0) ways[path.back()].pop_back();
        path.push_back(next);
      }
      paths.push_back(std::move(path));
    }
    return paths;
  }

  // Each edge once more at the end of a random way to it.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<std::vector<int>> before(table_size(problem));
    for (const auto& [from, to, weight] : problem.edges) before[to].push_back(from);
    Answer paths;
    for (const auto& [from, to, weight] : problem.edges) {
      std::vector<std::int64_t> path{to, from};
      while (path.back() != 1) path.push_back(rng.choice(before[path.back()]));
      std::ranges::reverse(path);
      paths.push_back(std::move(path));
    }
    return paths;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the lightest way to each edge", format_answer(single_edges(problem))},
            {"unused edges as far as they lead", format_answer(unused_edges(problem))}};
  }

 private:
  // What flows beyond one unit an edge. Vertices with more edges in than out may pass on the rest,
  // those with more out than in need it, and vertex 1 has as much as is wanted.
  struct Cover {
    CostNetwork network;
    CostNetwork::Total total;

    explicit Cover(const Problem& problem) : network(problem.N + 2) {
      const int source = 0;
      const int sink = problem.N + 1;
      std::vector<int> excess(table_size(problem));
      for (const auto& [from, to, weight] : problem.edges) {
        network.add_arc(from, to, CostNetwork::kUnbounded, weight);
        --excess[from];
        ++excess[to];
      }
      network.add_arc(source, 1, CostNetwork::kUnbounded, 0);
      for (int vertex = 2; vertex <= problem.N; ++vertex) {
        if (excess[vertex] > 0) network.add_arc(source, vertex, excess[vertex], 0);
        if (excess[vertex] < 0) network.add_arc(vertex, sink, -excess[vertex], 0);
      }
      total = network.maximise_flow(source, sink);
    }
  };

  static std::int64_t least_weight(const Problem& problem) {
    std::int64_t sum = Cover(problem).total.cost;
    for (const auto& [from, to, weight] : problem.edges) sum += weight;
    return sum;
  }

  static std::size_t table_size(const Problem& problem) {
    return static_cast<std::size_t>(problem.N) + 1;
  }

  // With an unused row and column for vertex 0.
  static WeightTable weights(const Problem& problem) {
    return WeightTable(problem.N + 1, problem.edges);
  }

  static std::int64_t weight_of(const WeightTable& table, const Answer& paths) {
    std::int64_t sum = 0;
    for (const auto& path : paths) sum += *table.walk_weight(path);
    return sum;
  }

  // The vertices, 1 first, each after all from which edges lead to it. Fewer than all where there
  // is a cycle, or another vertex without an edge that leads to it.
  static std::vector<int> order_of(const Problem& problem) {
    std::vector<int> left(table_size(problem));
    std::vector<std::vector<int>> after(table_size(problem));
    for (const auto& [from, to, weight] : problem.edges) {
      ++left[to];
      after[from].push_back(to);
    }
    std::vector<int> order{1};
    for (std::size_t head = 0; head < order.size(); ++head) {
      for (const int to : after[order[head]]) {
        if (--left[to] == 0) order.push_back(to);
      }
    }
    return order;
  }

  static std::vector<int> drawn_order(int n, Rng& rng) {
    std::vector<int> order{1};
    for (const int vertex : rng.permutation(n - 1)) order.push_back(vertex + 2);
    return order;
  }

  // Edges lead onwards in the order.
  static Problem drawn(const std::vector<int>& order, Rng& rng) {
    const int n = static_cast<int>(order.size());
    Problem problem{.N = n, .edges = {}, .gold_answer = 0};
    for (int t = 1; t < n; ++t) {
      const auto count = static_cast<std::size_t>(rng.integer(1, t));
      for (const std::int64_t s : rng.sample(0, t - 1, count)) {
        problem.edges.emplace_back(order[s], order[t], rng.integer(1, std::int64_t{n} * (n - 1)));
      }
    }
    rng.shuffle(problem.edges);
    return problem;
  }

  // The lightest way from 1 to every vertex.
  static Answer lightest_ways(const Problem& problem) {
    constexpr std::int64_t kFar = std::int64_t{1} << 60;
    const WeightTable table = weights(problem);
    std::vector<std::int64_t> far(table_size(problem), kFar);
    Answer ways(table_size(problem));
    far[1] = 0;
    ways[1] = {1};
    for (const int vertex : order_of(problem)) {
      for (int before = 1; before <= problem.N; ++before) {
        const std::int64_t weight = table(before, vertex);
        if (weight == 0 || far[before] + weight >= far[vertex]) continue;
        far[vertex] = far[before] + weight;
        ways[vertex] = ways[before];
        ways[vertex].push_back(vertex);
      }
    }
    return ways;
  }

  static Answer single_edges(const Problem& problem) {
    const Answer ways = lightest_ways(problem);
    Answer paths;
    for (const auto& [from, to, weight] : problem.edges) {
      paths.push_back(ways[from]);
      paths.back().push_back(to);
    }
    return paths;
  }

  // From the nearest vertex with an unused edge, along unused edges until there is none.
  static Answer unused_edges(const Problem& problem) {
    const Answer ways = lightest_ways(problem);
    const WeightTable table = weights(problem);
    std::vector<std::pair<std::int64_t, int>> starts;  // by the weight of the way
    for (int vertex = 1; vertex <= problem.N; ++vertex) {
      starts.emplace_back(*table.walk_weight(ways[vertex]), vertex);
    }
    std::ranges::sort(starts);
    std::vector<std::vector<int>> unused(table_size(problem));
    for (const auto& [from, to, weight] : problem.edges) unused[from].push_back(to);
    Answer paths;
    for (const auto& [weight, start] : starts) {
      while (!unused[start].empty()) {
        std::vector<std::int64_t> path = ways[start];
        while (!unused[path.back()].empty()) {
          const int next = unused[path.back()].back();
          unused[path.back()].pop_back();
          path.push_back(next);
        }
        paths.push_back(std::move(path));
      }
    }
    return paths;
  }
};
REDQUEEN_ENVIRONMENT(MinPathCover_DAG);

}  // namespace
}  // namespace redqueen
