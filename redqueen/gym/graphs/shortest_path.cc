#include <algorithm>
#include <array>
#include <limits>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct ShortestPath {
  static constexpr Card card{
      .name = "ShortestPath",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Find a walk of least total weight from the first to the last vertex of a weighted "
          "directed graph.",
      .levels =
          "From 4 vertices, a tenth and one more a level, with at least three edges a vertex; "
          "beyond level 40 the list of edges would be too long to read.",
      .rewards = "-1 malformed, -0.5 not a walk from 0 to N-1, else (least weight / weight)^5.",
      .differences =
          "Of the published densities that one is drawn that gives about three edges a vertex, "
          "or a neighbour of it; smaller graphs get three edges a vertex in any case, because "
          "the published ones were a single path. Weights follow a hidden order of the vertices, "
          "so that ways of many and of few edges compete. Graphs in which a route of the fewest "
          "edges or, from five vertices on, always taking the lightest edge is best are drawn "
          "again; routes of one or two edges exist.",
      .source = "Dijkstra, A note on two problems in connexion with graphs, 1959",
      .version = 2,
      .max_level = 40,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kDraws = 50;
  static constexpr std::array kDensities{0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3};
  static constexpr int kEdgesPerVertex = 3;
  static constexpr int kGreedyFrom = 5;    // with 4 vertices two answers would remain
  static constexpr int kMostPerPlace = 5;  // weight for each place that an edge skips on the spine

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;
    REDQUEEN_FIELDS(N, edges)
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
    return draw_accepted(
        kDraws, [&] { return draw(config, rng); },
        [](const Problem& problem) {
          const WeightTable table(problem.N, problem.edges);
          const auto least = table.walk_weight(lightest_route(table));
          if (table.walk_weight(fewest_edges(table)) == least) return false;
          return problem.N < kGreedyFrom || table.walk_weight(lightest_edges(table)) != least;
        });
  }

  // A path through all vertices, from the first to the last.
  static std::vector<int> random_spine(int n, Rng& rng) {
    std::vector<int> spine{0};
    for (const int vertex : rng.permutation(n - 2)) spine.push_back(vertex + 1);
    spine.push_back(n - 1);
    return spine;
  }

  static Problem draw(const Config& config, Rng& rng) {
    const int n = config.N;
    const std::vector<int> spine = random_spine(n, rng);
    std::vector<int> place(n);
    for (int i = 0; i < n; ++i) place[spine[i]] = i;
    const int pairs = n * (n - 1);
    const int target = std::max(static_cast<int>(config.edge_density * pairs),
                                std::min(kEdgesPerVertex * n, pairs * 2 / 3));
    Problem problem{.N = n, .edges = {}};
    for (const auto& [from, to] : edges_on_path(spine, target, rng)) {
      std::int64_t weight = 0;
      for (int i = std::abs(place[from] - place[to]); i > 0; --i) {
        weight += rng.integer(1, kMostPerPlace);
      }
      problem.edges.emplace_back(from, to, weight);
    }
    rng.shuffle(problem.edges);
    return problem;
  }

  static Config published_level(int level, Rng& rng) {
    return {.N = grow_by_tenth(4, level), .edge_density = rng.choice(kDensities)};
  }

  // A path of light edges through all vertices, heavier edges anywhere else, and no route of two
  // edges from the first to the last vertex.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const std::vector<int> spine = random_spine(n, rng);
    const auto count = static_cast<std::size_t>(config.edge_density * n * (n - 1));
    const std::size_t spine_edges = spine.size() - 1;
    WeightTable table(n);
    for (std::size_t i = 0; i < spine_edges; ++i)
      table.set(spine[i], spine[i + 1], rng.integer(1, std::max(1, n / 3)));
    std::vector<Edge> others;
    for (int from = 0; from < n; ++from) {
      for (int to = 0; to < n; ++to) {
        const bool direct = from == 0 && to == n - 1;
        if (from != to && !direct && table(from, to) == 0) others.emplace_back(from, to);
      }
    }
    rng.shuffle(others);
    if (others.size() + spine_edges > count)
      others.resize(count > spine_edges ? count - spine_edges : 0);
    for (const auto& [from, to] : others) table.set(from, to, rng.integer(std::max(1, n / 2), n));
    for (int middle = 1; middle < n - 1; ++middle) {
      if (table(0, middle) == 0 || table(middle, n - 1) == 0) continue;
      if (middle == spine[n - 2]) {
        table.set(0, middle, 0);
      } else {
        table.set(middle, n - 1, 0);
      }
    }
    Problem problem{.N = n, .edges = {}};
    for (int from = 0; from < n; ++from) {
      for (int to = 0; to < n; ++to) {
        if (table(from, to) != 0) problem.edges.emplace_back(from, to, table(from, to));
      }
    }
    rng.shuffle(problem.edges);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = check_edges(problem.N, problem.edges); !sound) return sound;
    if (lightest_route(WeightTable(problem.N, problem.edges)).empty()) {
      return failure("\"edges\": vertex {} cannot be reached from 0", problem.N - 1);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A directed graph has {} vertices, 0 to {}, and these edges, one per line, \"s t w\" for "
        "an edge from s to t of weight w:\n"
        "{}\n"
        "Find a path along edges, in their direction, from vertex 0 to vertex {} whose weights "
        "add up to as little as possible.\n"
        "Answer with the vertices in the order of the path, from 0 to {}, separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges), problem.N - 1, problem.N - 1);
  }

  static std::optional<Answer> parse(std::string_view answer) {
    auto walk = parse_int_list(answer);
    if (walk && walk->empty()) walk.reset();
    return walk;
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.front() != 0 || answer.back() != problem.N - 1) return kInvalidReward;
    const WeightTable table(problem.N, problem.edges);
    const auto weight = table.walk_weight(answer);
    if (!weight) return kInvalidReward;
    return minimise_reward(*weight, *table.walk_weight(lightest_route(table)), kBeta);
  }

  static Answer solve(const Problem& problem) {
    return lightest_route(WeightTable(problem.N, problem.edges));
  }

  // A random walk without repetition, and a jump to the end where it gets stuck.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    const WeightTable table(problem.N, problem.edges);
    std::vector<char> seen(problem.N);
    Answer walk{0};
    while (walk.back() != problem.N - 1) {
      const int here = static_cast<int>(walk.back());
      seen[here] = 1;
      std::vector<int> ways;
      for (int next = 0; next < problem.N; ++next) {
        if (table(here, next) > 0 && !seen[next]) ways.push_back(next);
      }
      walk.push_back(ways.empty() ? problem.N - 1 : rng.choice(ways));
    }
    return walk;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const WeightTable table(problem.N, problem.edges);
    return {{"the lightest route of the fewest edges", format_answer(fewest_edges(table))},
            {"always the lightest edge to a new vertex", format_answer(lightest_edges(table))}};
  }

 private:
  // Every edge counts its weight and `toll`. Dijkstra without a heap, O(N^2); empty where no route
  // leads.
  static Answer route(const WeightTable& table, std::int64_t toll) {
    const int n = table.size();
    constexpr std::int64_t kUnreached = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> distance(n, kUnreached);
    std::vector<int> previous(n, -1);
    std::vector<char> settled(n);
    distance[0] = 0;
    while (!settled[n - 1]) {
      int here = -1;
      for (int vertex = 0; vertex < n; ++vertex) {
        if (settled[vertex] || distance[vertex] == kUnreached) continue;
        if (here < 0 || distance[vertex] < distance[here]) here = vertex;
      }
      if (here < 0) return {};
      settled[here] = 1;
      for (int next = 0; next < n; ++next) {
        const std::int64_t weight = table(here, next);
        if (weight == 0 || distance[here] + weight + toll >= distance[next]) continue;
        distance[next] = distance[here] + weight + toll;
        previous[next] = here;
      }
    }
    Answer route;
    for (int vertex = n - 1; vertex >= 0; vertex = previous[vertex]) route.push_back(vertex);
    std::ranges::reverse(route);
    return route;
  }

  static Answer lightest_route(const WeightTable& table) { return route(table, 0); }
  static Answer fewest_edges(const WeightTable& table) {
    return route(table, kMaxWeight * kMaxVertices);
  }

  // A walk that takes the lightest edge to a new vertex until it arrives or is stuck.
  static Answer lightest_edges(const WeightTable& table) {
    std::vector<char> seen(table.size());
    Answer walk{0};
    while (walk.back() != table.size() - 1) {
      const int here = static_cast<int>(walk.back());
      seen[here] = 1;
      int best = -1;
      for (int next = 0; next < table.size(); ++next) {
        if (table(here, next) == 0 || seen[next]) continue;
        if (best < 0 || table(here, next) < table(here, best)) best = next;
      }
      if (best < 0) break;
      walk.push_back(best);
    }
    return walk.back() == table.size() - 1 ? walk : Answer{0};
  }
};
REDQUEEN_ENVIRONMENT(ShortestPath);

}  // namespace
}  // namespace redqueen
