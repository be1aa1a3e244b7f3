#include <algorithm>
#include <array>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/graph/max_flow.h"
#include "redqueen/gym/common/graph/min_cost_flow.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/sample.h"

namespace redqueen {
namespace {

struct MinimumCost_MaximumFlow {
  static constexpr Card card{
      .name = "MinimumCost_MaximumFlow",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kOther,
      .task =
          "Find a flow through a network that is as great as possible and, among those, as cheap "
          "as possible.",
      .levels =
          "From 4 vertices, a tenth and one more a level, with about three edges a vertex, "
          "capacities and costs up to 10. Beyond level 40 the list of edges would be too long to "
          "read.",
      .rewards =
          "-1 malformed or another number of values, -0.5 not a flow, else half of (flow / "
          "greatest flow)^5 and, if the flow is the greatest, half of (least cost / cost)^5 more. "
          "A greatest flow of any cost earns about 0.9.",
      .differences =
          "Of the published densities that one is drawn that gives about three edges a vertex, or "
          "a neighbour of it; smaller graphs get three edges a vertex in any case, because the "
          "published ones were mostly a single path. From 5 vertices on, a problem is drawn again "
          "where each greatest flow costs as little, or filling the cheapest paths one after "
          "another, without taking anything back, does.",
      .slow_reason = SlowReason::kStricter,
      .source = "L. Ford and D. Fulkerson, Flows in Networks, 1962",
      .max_level = 40,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::array kDensities{0.01, 0.05, 0.1, 0.15, 0.2, 0.25,
                                         0.3,  0.35, 0.4, 0.45, 0.5};
  static constexpr int kEdgesPerVertex = 3;
  static constexpr int kFewVertices = 5;
  static constexpr int kDraws = 200;
  static constexpr std::int64_t kMostDrawn = 10;  // capacity and cost
  static constexpr std::int64_t kMaxEdges = 20'000;
  static constexpr std::int64_t kMaxCapacity = 1000;

  using Pipe = std::array<std::int64_t, 4>;  // from, to, capacity, cost
  struct Gold {
    std::int64_t flow = 0;
    std::int64_t cost = 0;
    REDQUEEN_FIELDS(flow, cost)
  };

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<Pipe> edges;
    Gold gold_answer;
    REDQUEEN_FIELDS(N, edges, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(4, level);
    const auto nearest = std::ranges::min_element(kDensities, {}, [n](double density) {
      return std::abs(density * (n - 1) - kEdgesPerVertex);
    });
    const auto place = nearest - kDensities.begin();
    const auto last = static_cast<std::ptrdiff_t>(kDensities.size()) - 1;
    const auto drawn =
        rng.integer(std::max<std::ptrdiff_t>(0, place - 1), std::min(place + 1, last));
    return {.N = n, .edge_density = kDensities[drawn]};
  }

  static Problem generate(const Config& config, Rng& rng) {
    for (int draw = 0; draw < kDraws; ++draw) {
      Problem problem = drawn(config, rng);
      CostNetwork network = network_of(problem);
      const auto [flow, cost] = network.maximise_flow(0, problem.N - 1);
      if (flow == 0) continue;
      problem.gold_answer = {.flow = flow, .cost = cost};
      if (config.N < kFewVertices || !some_rule_solves<MinimumCost_MaximumFlow>(problem)) {
        return problem;
      }
    }
    throw Retry();
  }

  // Without densities that give large graphs more edges than check() takes.
  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(4, level);
    std::vector<double> densities;
    for (const double density : kDensities) {
      if (density * n * (n - 1) <= kMaxEdges) densities.push_back(density);
    }
    return {.N = n, .edge_density = rng.choice(densities)};
  }

  // A path of at least half the greatest capacity, and further edges, uniformly drawn.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto inner = static_cast<std::size_t>(rng.integer(1, std::min(4, n - 2)));
    std::vector<std::int64_t> path = rng.sample(1, n - 2, inner);
    path.insert(path.begin(), 0);
    path.push_back(n - 1);
    WeightTable taken(n);
    Problem problem{.N = n, .edges = {}, .gold_answer = {}};
    const auto add = [&](std::int64_t from, std::int64_t to, std::int64_t least) {
      taken.set(static_cast<int>(from), static_cast<int>(to), 1);
      problem.edges.push_back(
          {from, to, rng.integer(least, kMostDrawn), rng.integer(1, kMostDrawn)});
    };
    for (std::size_t i = 1; i < path.size(); ++i) add(path[i - 1], path[i], kMostDrawn / 2);
    const auto count = static_cast<std::size_t>(config.edge_density * n * (n - 1));
    if (count > problem.edges.size()) {
      std::vector<Edge> free;
      for (int from = 0; from < n - 1; ++from) {
        for (int to = 1; to < n; ++to) {
          if (from != to && taken(from, to) == 0) free.emplace_back(from, to);
        }
      }
      keep_sample(free, count - problem.edges.size(), rng);
      for (const auto& [from, to] : free) add(from, to, 1);
    }
    rng.shuffle(problem.edges);
    const auto [flow, cost] = network_of(problem).maximise_flow(0, n - 1);
    problem.gold_answer = {.flow = flow, .cost = cost};
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxVertices));
    RETURN_IF_ERROR(within("edges", std::ssize(problem.edges), 1, kMaxEdges));
    for (const auto& [from, to, capacity, cost] : problem.edges) {
      RETURN_IF_ERROR(within("edges", from, 0, problem.N - 2));
      RETURN_IF_ERROR(within("edges", to, 1, problem.N - 1));
      RETURN_IF_ERROR(within("edges", capacity, 1, kMaxCapacity));
      RETURN_IF_ERROR(within("edges", cost, 1, kMaxWeight));
    }
    CostNetwork network = network_of(problem);
    const auto [flow, cost] = network.maximise_flow(0, problem.N - 1);
    RETURN_IF_ERROR(reference_is("gold_answer", problem.gold_answer.flow, flow));
    return reference_is("gold_answer", problem.gold_answer.cost, cost);
  }

  static std::string prompt(const Problem& problem) {
    std::string lines;
    for (const auto& [from, to, capacity, cost] : problem.edges) {
      append_format(lines, "{} {} {} {}\n", from, to, capacity, cost);
    }
    return fmt::format(
        "A directed graph has {0} vertices, 0 to {1}, and {2} edges. Each line gives an edge as "
        "\"s t c w\": it goes from s to t, has the capacity c, and each unit of flow on it costs "
        "w.\n"
        "{3}"
        "Give each edge an integer flow from 0 to its capacity, such that at every vertex but 0 "
        "and {1} as much flows in as flows out. The flow that leaves vertex 0, which all arrives "
        "at vertex {1}, shall be as great as possible; among all flows that are so great, the sum "
        "of flow times w over all edges shall be as small as possible.\n"
        "Answer with the flows of the edges, in the order above: {2} integers on one line, "
        "separated by spaces.",
        problem.N, problem.N - 1, problem.edges.size(), lines);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != problem.edges.size()) return kMalformedReward;
    std::vector<std::int64_t> excess(static_cast<std::size_t>(problem.N));
    std::int64_t cost = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      const auto& [from, to, capacity, unit] = problem.edges[i];
      if (answer[i] < 0 || answer[i] > capacity) return kInvalidReward;
      excess[from] -= answer[i];
      excess[to] += answer[i];
      cost += answer[i] * unit;
    }
    for (int vertex = 1; vertex + 1 < problem.N; ++vertex) {
      if (excess[vertex] != 0) return kInvalidReward;
    }
    const std::int64_t flow = excess[problem.N - 1];
    if (flow == problem.gold_answer.flow && cost == problem.gold_answer.cost) return kSolvedReward;
    double reward = 0.5 * maximise_reward(flow, problem.gold_answer.flow, kBeta);
    if (flow == problem.gold_answer.flow) {
      reward += 0.5 * minimise_reward(cost, problem.gold_answer.cost, kBeta);
    }
    return std::min(reward, kAlmostSolved);
  }

  static Answer solve(const Problem& problem) {
    CostNetwork network = network_of(problem);
    network.maximise_flow(0, problem.N - 1);
    return flows_of(network, problem);
  }

  // From no flow, a random path with flow 1.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer(problem.edges.size());
    std::vector<char> seen(static_cast<std::size_t>(problem.N));
    std::vector<std::size_t> path;
    std::int64_t vertex = 0;
    while (vertex != problem.N - 1) {
      seen[vertex] = 1;
      std::vector<std::size_t> ways;
      for (std::size_t i = 0; i < problem.edges.size(); ++i) {
        if (problem.edges[i][0] == vertex && !seen[problem.edges[i][1]]) ways.push_back(i);
      }
      if (ways.empty()) return answer;
      path.push_back(rng.choice(ways));
      vertex = problem.edges[path.back()][1];
    }
    for (const std::size_t edge : path) answer[edge] = 1;
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"some greatest flow, of any cost", of_any_cost(problem)},
            {"the cheapest paths one after another", cheapest_paths(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    Answer full;
    for (const Pipe& edge : problem.edges) full.push_back(edge[2]);
    named.push_back({"all edges full", format_answer(full)});
    named.push_back({"no flow", format_answer(Answer(full.size()))});
    return named;
  }

 private:
  static CostNetwork network_of(const Problem& problem) {
    CostNetwork network(problem.N);
    for (const auto& [from, to, capacity, cost] : problem.edges) {
      network.add_arc(static_cast<int>(from), static_cast<int>(to), capacity, cost);
    }
    return network;
  }

  template <typename Network>
  static Answer flows_of(const Network& network, const Problem& problem) {
    Answer flows;
    for (int i = 0; i < std::ssize(problem.edges); ++i) flows.push_back(network.flow(i));
    return flows;
  }

  // A path through up to three inner vertices, and further edges.
  static Problem drawn(const Config& config, Rng& rng) {
    const std::int64_t n = config.N;
    const std::int64_t pairs = n * n - 3 * n + 3;  // none into 0 or out of n − 1
    const auto target =
        std::max(static_cast<std::int64_t>(config.edge_density * config.N * (config.N - 1)),
                 std::min(kEdgesPerVertex * n, pairs * 4 / 5));
    std::vector<std::int64_t> path = rng.sample(
        1, n - 2, static_cast<std::size_t>(rng.integer(1, std::min<std::int64_t>(3, n - 2))));
    path.insert(path.begin(), 0);
    path.push_back(n - 1);
    WeightTable taken(static_cast<int>(n));
    Problem problem{.N = config.N, .edges = {}, .gold_answer = {}};
    const auto add = [&](std::int64_t from, std::int64_t to, std::int64_t least) {
      taken.set(static_cast<int>(from), static_cast<int>(to), 1);
      problem.edges.push_back(
          {from, to, rng.integer(least, kMostDrawn), rng.integer(1, kMostDrawn)});
    };
    for (std::size_t i = 1; i < path.size(); ++i) add(path[i - 1], path[i], kMostDrawn / 2);
    while (std::ssize(problem.edges) < target) {
      const std::int64_t from = rng.integer(0, n - 2);
      const std::int64_t to = rng.integer(1, n - 1);
      if (from != to && taken(static_cast<int>(from), static_cast<int>(to)) == 0) add(from, to, 1);
    }
    rng.shuffle(problem.edges);
    return problem;
  }

  static Answer of_any_cost(const Problem& problem) {
    FlowNetwork network(problem.N);
    for (const auto& [from, to, capacity, cost] : problem.edges) {
      network.add_arc(static_cast<int>(from), static_cast<int>(to), capacity);
    }
    network.maximise_flow(0, problem.N - 1);
    return flows_of(network, problem);
  }

  // Fills the cheapest path that has room, again and again.
  static Answer cheapest_paths(const Problem& problem) {
    constexpr std::int64_t kFar = std::int64_t{1} << 60;
    Answer flows(problem.edges.size());
    while (true) {
      std::vector<std::int64_t> cost(static_cast<std::size_t>(problem.N), kFar);
      std::vector<int> last(static_cast<std::size_t>(problem.N), -1);
      cost[0] = 0;
      for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < flows.size(); ++i) {
          const auto& [from, to, capacity, unit] = problem.edges[i];
          if (flows[i] == capacity || cost[from] == kFar || cost[from] + unit >= cost[to]) continue;
          cost[to] = cost[from] + unit;
          last[to] = static_cast<int>(i);
          changed = true;
        }
      }
      if (last[problem.N - 1] < 0) return flows;
      std::int64_t room = kMaxCapacity;
      for (std::int64_t v = problem.N - 1; v != 0; v = problem.edges[last[v]][0]) {
        room = std::min(room, problem.edges[last[v]][2] - flows[last[v]]);
      }
      for (std::int64_t v = problem.N - 1; v != 0; v = problem.edges[last[v]][0]) {
        flows[last[v]] += room;
      }
    }
  }
};
REDQUEEN_ENVIRONMENT(MinimumCost_MaximumFlow);

}  // namespace
}  // namespace redqueen
