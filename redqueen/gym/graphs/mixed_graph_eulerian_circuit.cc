#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/graph/max_flow.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MixedGraphEulerianCircuit {
  static constexpr Card card{
      .name = "MixedGraphEulerianCircuit",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kQuality,
      .task =
          "Find a closed walk that uses each edge of a graph once, some edges in a given direction "
          "and the others in any.",
      .levels =
          "From 3 vertices, one more each level, with about a quarter of as many edges as squares "
          "of vertices.",
      .rewards =
          "-1 malformed, -0.5 not a closed walk along edges, else (edges that are used just once / "
          "edges)^10.",
      .differences =
          "A quarter to three quarters of the edges have a direction. From 5 vertices on, a "
          "problem "
          "is drawn again that is solved by going to the smallest number along unused edges, with "
          "or without putting in detours, and up to 9 vertices where one of eight random trails is "
          "right.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Up to level 1 the graph is a single cycle, which is gone round from any vertex. At "
          "levels "
          "2 and 3 it is a few short cycles that share vertices, and going on along unused edges, "
          "whichever, is right in a quarter of the problems.",
      .guess_until_level = 3,
      .source = "L. Ford and D. Fulkerson, Flows in Networks, 1962",
  };

  static constexpr double kBeta = 10.0;
  static constexpr int kFewVertices = 5;
  static constexpr int kManyVertices = 10;
  static constexpr int kTrails = 8;
  static constexpr int kDraws = 300;
  static constexpr int kMostVertices = 200;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> undirected_edges;
    std::vector<Edge> directed_edges;
    REDQUEEN_FIELDS(N, undirected_edges, directed_edges)
  };
  using Answer = std::vector<std::int64_t>;  // vertices, the first one again at the end

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    for (int draw = 0; draw < kDraws; ++draw) {
      std::vector<Edge> edges = draw_even_graph(config.N, rng);
      if (!is_connected(config.N, edges)) continue;
      Problem problem = with_directions(config.N, edges, rng);
      if (config.N < kFewVertices) return problem;
      if (config.N < kManyVertices && some_trail_solves(problem, rng)) continue;
      if (!some_rule_solves<MixedGraphEulerianCircuit>(problem)) return problem;
    }
    throw Retry();
  }

  // The greatest number is that of the vertex which makes all degrees even. One edge or more has a
  // direction, and one or more has none.
  static Problem published(const Config& config, Rng& rng) {
    std::vector<int> name(static_cast<std::size_t>(config.N));
    std::iota(name.begin(), name.end(), 0);
    for (int draw = 0; draw < kDraws; ++draw) {
      std::vector<Edge> edges = draw_even_graph(config.N, name, rng);
      if (!is_connected(config.N, edges)) continue;
      orient_along_circuit(config.N, edges, rng);
      return with_first_directed(config.N, edges, rng.integer(1, std::ssize(edges) - 1));
    }
    throw Retry();
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 3, kMostVertices));
    std::vector<Edge> all = problem.undirected_edges;
    all.insert(all.end(), problem.directed_edges.begin(), problem.directed_edges.end());
    if (all.empty()) return failure("\"undirected_edges\", \"directed_edges\": there is no edge");
    RETURN_IF_ERROR(check_edges(problem.N, all, EdgeKind::kUndirected));
    if (score(problem, solve(problem)) == kSolvedReward) return {};
    return failure("\"directed_edges\": there is no such walk");
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A graph has the vertices 0 to {0}. These edges, one per line, can be walked along in both "
        "directions:\n"
        "{1}\n"
        "These edges, \"s t\", can be walked along from s to t only:\n"
        "{2}\n"
        "Find a closed walk that uses each of these {3} edges exactly once: it may begin at any "
        "vertex, and ends where it began. There is such a walk; any will do.\n"
        "Answer with the vertices in the order of the walk, the first one again at the end, {4} "
        "numbers on one line, separated by spaces.",
        problem.N - 1, format_edges(problem.undirected_edges), format_edges(problem.directed_edges),
        edge_count(problem), edge_count(problem) + 1);
  }

  static std::optional<Answer> parse(std::string_view text) {
    auto walk = parse_int_list(text);
    if (walk && walk->empty()) walk.reset();
    return walk;
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.front() != answer.back()) return kInvalidReward;
    for (const std::int64_t vertex : answer) {
      if (vertex < 0 || vertex >= problem.N) return kInvalidReward;
    }
    const int n = problem.N;
    std::vector<int> edge_at(static_cast<std::size_t>(n) * n, -1);  // by the ends of a step
    for (const Way& way : ways_of(problem)) edge_at[way.from * n + way.to] = way.edge;
    std::vector<int> times(edge_count(problem));
    for (std::size_t i = 1; i < answer.size(); ++i) {
      const int edge = edge_at[answer[i - 1] * n + answer[i]];
      if (edge < 0) return kInvalidReward;
      ++times[edge];
    }
    return share_reward(std::ranges::count(times, 1), std::ssize(times), kBeta);
  }

  // Each vertex must be left half as often as it has edges. A flow from edges without direction to
  // one of their ends decides where these begin.
  static Answer solve(const Problem& problem) {
    const int n = problem.N;
    const int count = static_cast<int>(problem.undirected_edges.size());
    std::vector<int> excess(static_cast<std::size_t>(n));  // edges less twice those that leave
    for (const auto& [from, to] : problem.directed_edges) {
      --excess[from];
      ++excess[to];
    }
    const int source = n + count;
    const int sink = source + 1;
    FlowNetwork network(sink + 1);
    std::vector<int> from_first;  // arcs
    for (int i = 0; i < count; ++i) {
      const auto& [u, v] = problem.undirected_edges[i];
      ++excess[u];
      ++excess[v];
      network.add_arc(source, n + i, 1);
      from_first.push_back(network.add_arc(n + i, u, 1));
      network.add_arc(n + i, v, 1);
    }
    for (int vertex = 0; vertex < n; ++vertex) {
      network.add_arc(vertex, sink, std::max(excess[vertex] / 2, 0));
    }
    network.maximise_flow(source, sink);
    std::vector<Way> ways;
    for (int i = 0; i < count; ++i) {
      auto [u, v] = problem.undirected_edges[i];
      if (network.flow(from_first[i]) == 0) std::swap(u, v);
      ways.push_back({.from = u, .to = v, .edge = i});
    }
    for (const auto& [from, to] : problem.directed_edges) {
      ways.push_back({.from = from, .to = to, .edge = static_cast<int>(ways.size())});
    }
    return circuit(n, ways);
  }

  // Along unused edges until none is left.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<Way> ways = ways_of(problem);
    rng.shuffle(ways);
    return trail(problem, ways, static_cast<int>(rng.integer(0, problem.N - 1)));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<Way> ways = ways_of(problem);
    std::ranges::sort(ways, {}, &Way::to);
    const Answer straight = trail(problem, ways, ways.front().to);
    std::ranges::reverse(ways);  // circuit() takes the last first
    return {{"to the smallest number, along unused edges", straight},
            {"to the smallest number, and with detours put in", circuit(problem.N, ways)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  struct Way {
    int from;
    int to;
    int edge;  // undirected ones first, then directed ones
  };

  static std::size_t edge_count(const Problem& problem) {
    return problem.undirected_edges.size() + problem.directed_edges.size();
  }

  // Edges without direction in both.
  static std::vector<Way> ways_of(const Problem& problem) {
    std::vector<Way> ways;
    int edge = 0;
    for (const auto& [u, v] : problem.undirected_edges) {
      ways.push_back({.from = u, .to = v, .edge = edge});
      ways.push_back({.from = v, .to = u, .edge = edge++});
    }
    for (const auto& [from, to] : problem.directed_edges) {
      ways.push_back({.from = from, .to = to, .edge = edge++});
    }
    return ways;
  }

  // Hierholzer's way: on along unused edges, the last of the list first; where there is none, the
  // vertex is next of the walk from its end. A closed walk if all vertices are left as often as
  // entered. From the first vertex of the first way.
  static Answer circuit(int n, const std::vector<Way>& ways) {
    std::vector<std::vector<Way>> leaving(static_cast<std::size_t>(n));
    int edges = 0;
    for (const Way& way : ways) {
      leaving[way.from].push_back(way);
      edges = std::max(edges, way.edge + 1);
    }
    std::vector<char> used(static_cast<std::size_t>(edges));
    std::vector<int> open{ways.front().from};
    Answer walk;
    while (!open.empty()) {
      std::vector<Way>& next = leaving[open.back()];
      while (!next.empty() && used[next.back().edge]) next.pop_back();
      if (next.empty()) {
        walk.push_back(open.back());
        open.pop_back();
      } else {
        used[next.back().edge] = 1;
        open.push_back(next.back().to);
      }
    }
    std::ranges::reverse(walk);
    return walk;
  }

  // Along unused edges, the first of the list first, until none is left.
  static Answer trail(const Problem& problem, const std::vector<Way>& ways, int start) {
    std::vector<char> used(edge_count(problem));
    Answer walk{start};
    while (true) {
      const auto next = std::ranges::find_if(
          ways, [&](const Way& way) { return way.from == walk.back() && !used[way.edge]; });
      if (next == ways.end()) return walk;
      used[next->edge] = 1;
      walk.push_back(next->to);
    }
  }

  static bool some_trail_solves(const Problem& problem, Rng& rng) {
    for (int i = 0; i < kTrails; ++i) {
      if (score(problem, random_answer(problem, rng)) == kSolvedReward) return true;
    }
    return false;
  }

  // Each vertex but the first and the last joins some earlier ones; then the last joins all that
  // have an odd number of edges.
  static std::vector<Edge> draw_even_graph(int n, Rng& rng) {
    const std::vector<int> name = rng.permutation(n);
    return draw_even_graph(n, name, rng);
  }

  static std::vector<Edge> draw_even_graph(int n, const std::vector<int>& name, Rng& rng) {
    std::vector<Edge> edges;
    std::vector<int> degree(static_cast<std::size_t>(n));
    const auto add = [&](int u, int v) {
      edges.emplace_back(name[u], name[v]);
      ++degree[u];
      ++degree[v];
    };
    for (int v = 1; v + 1 < n; ++v) {
      const auto count = static_cast<std::size_t>(rng.integer(0, v));
      for (const std::int64_t u : rng.sample(0, v - 1, count)) add(static_cast<int>(u), v);
    }
    for (int v = 0; v + 1 < n; ++v) {
      if (degree[v] % 2 != 0) add(v, n - 1);
    }
    return edges;
  }

  static bool is_connected(int n, const std::vector<Edge>& edges) {
    std::vector<std::vector<int>> near(static_cast<std::size_t>(n));
    for (const auto& [u, v] : edges) {
      near[u].push_back(v);
      near[v].push_back(u);
    }
    std::vector<char> seen(static_cast<std::size_t>(n));
    std::vector<int> queue{0};
    seen[0] = 1;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      for (const int next : near[queue[head]]) {
        if (std::exchange(seen[next], 1) == 0) queue.push_back(next);
      }
    }
    return std::ssize(queue) == n;
  }

  // Some edges of a random circuit keep the direction in which it takes them.
  static Problem with_directions(int n, std::vector<Edge>& edges, Rng& rng) {
    orient_along_circuit(n, edges, rng);
    const std::int64_t count = std::ssize(edges);
    return with_first_directed(n, edges,
                               rng.integer(std::max<std::int64_t>(1, count / 4), 3 * count / 4));
  }

  // Gives the edges the directions and a random order.
  static void orient_along_circuit(int n, std::vector<Edge>& edges, Rng& rng) {
    Problem free{.N = n, .undirected_edges = edges, .directed_edges = {}};
    std::vector<Way> ways = ways_of(free);
    rng.shuffle(ways);
    const Answer walk = circuit(n, ways);
    edges.clear();
    for (std::size_t i = 1; i < walk.size(); ++i) {
      edges.emplace_back(static_cast<int>(walk[i - 1]), static_cast<int>(walk[i]));
    }
    rng.shuffle(edges);
  }

  static Problem with_first_directed(int n, const std::vector<Edge>& edges, std::int64_t directed) {
    Problem problem{.N = n, .undirected_edges = {}, .directed_edges = {}};
    for (std::int64_t i = 0; i < std::ssize(edges); ++i) {
      const auto& [from, to] = edges[i];
      if (i < directed) {
        problem.directed_edges.emplace_back(from, to);
      } else {
        problem.undirected_edges.emplace_back(std::min(from, to), std::max(from, to));
      }
    }
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(MixedGraphEulerianCircuit);

}  // namespace
}  // namespace redqueen
