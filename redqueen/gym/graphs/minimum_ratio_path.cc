#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/further_edges.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MinimumRatioPath {
  static constexpr Card card{
      .name = "MinimumRatioPath",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Find a path in a graph with weights from the first vertex to the last such that the "
          "heaviest edge on it is as few times as heavy as the lightest as possible.",
      .levels =
          "From 4 vertices, a tenth more and one a level, with half as many edges again as "
          "vertices or more. Beyond level 32 the list of edges would be too long to read.",
      .rewards =
          "-1 malformed or empty, -0.5 no path of edges from the first vertex to the last, else "
          "(least ratio / ratio)^5.",
      .differences =
          "Of the published ratios of edges to vertices, those from 1.5 on are drawn. From 6 "
          "vertices on, a problem is drawn again that is solved by a path of fewest edges, of "
          "least "
          "sum, of least heaviest edge or of greatest lightest edge.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "Between four vertices, at level 0, there are at most four paths.",
      .guess_until_level = 0,
      .max_level = 32,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewVertices = 6;
  static constexpr int kDraws = 300;
  static constexpr int kMostVertices = 300;
  static constexpr int kMostEdges = 2000;
  static constexpr int kWeightsPerEdge = 5;

  struct Config {
    int N = 0;
    double edge_ratio = 0;
    REDQUEEN_FIELDS(N, edge_ratio)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;
    std::pair<std::int64_t, std::int64_t> gold_answer;  // heaviest and lightest of a best path
    REDQUEEN_FIELDS(N, edges, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) { return draw_level(level, 15, rng); }

  static Config published_level(int level, Rng& rng) { return draw_level(level, 10, rng); }

  // `least`: tenths of the lowest ratio.
  static Config draw_level(int level, int least, Rng& rng) {
    const int n = grow_by_tenth(4, level);
    int most = 30;
    while (static_cast<int>(most / 10.0 * n) > n * (n - 1) / 2) --most;
    return {.N = n, .edge_ratio = static_cast<double>(rng.integer(least, most)) / 10.0};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](Problem& problem) {
          const Range best = best_range(problem);
          problem.gold_answer = {best.heaviest, best.lightest};
          return config.N < kFewVertices || !some_rule_solves<MinimumRatioPath>(problem);
        });
  }

  // A path from the first vertex through all others to the last one, and further edges, but none
  // between these two.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    std::vector<Edge> edges{{0, n - 1}};  // this one does not stay
    int before = 0;
    for (const int v : rng.permutation(n - 2)) {
      edges.push_back(std::minmax(before, v + 1));
      before = v + 1;
    }
    edges.emplace_back(before, n - 1);
    const auto count = static_cast<std::int64_t>(config.edge_ratio * n);
    const auto further = draw_further_edges(n, edges, EdgeKind::kUndirected, count + 1, rng);
    edges.insert(edges.end(), further.begin(), further.end());
    edges.erase(edges.begin());
    Problem problem{.N = n,
                    .edges = weigh_edges(std::move(edges), 1, kWeightsPerEdge * count, rng),
                    .gold_answer = {0, 0}};
    const Range best = best_range(problem);
    problem.gold_answer = {best.heaviest, best.lightest};
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected, 1));
    RETURN_IF_ERROR(within("edges", std::ssize(problem.edges), 1, kMostEdges));
    if (!is_connected(problem.N, problem.edges)) return failure("\"edges\": they join not all");
    const Range best = best_range(problem);
    const auto& [heaviest, lightest] = problem.gold_answer;
    RETURN_IF_ERROR(within("gold_answer", heaviest, 1, kMaxWeight));
    RETURN_IF_ERROR(within("gold_answer", lightest, 1, kMaxWeight));
    return reference_is("gold_answer", heaviest * best.lightest, best.heaviest * lightest);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A connected graph has {0} vertices, 0 to {1}. Each of these lines gives an edge by its "
        "two ends and its weight:\n"
        "{2}\n"
        "Find a path along edges from vertex 0 to vertex {1} such that the quotient of the weight "
        "of its heaviest edge and the weight of its lightest edge is as small as possible. The "
        "path may visit a vertex more than once.\n"
        "Answer with the vertices of the path in order on one line, from 0 to {1}, separated by "
        "spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges));
  }

  static std::optional<Answer> parse(std::string_view text) {
    auto path = parse_int_list(text);
    if (path && path->empty()) path.reset();
    return path;
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.front() != 0 || answer.back() != problem.N - 1) return kInvalidReward;
    const EdgePlaces places(problem.N, problem.edges, EdgeKind::kUndirected);
    Range range{kMaxWeight, 1};
    for (std::size_t i = 0; i + 1 < answer.size(); ++i) {
      const int place = places(answer[i], answer[i + 1]);
      if (place < 0) return kInvalidReward;
      const std::int64_t weight = std::get<2>(problem.edges[place]);
      range = {std::min(range.lightest, weight), std::max(range.heaviest, weight)};
    }
    const auto& [heaviest, lightest] = problem.gold_answer;
    return minimise_reward(range.heaviest * lightest, heaviest * range.lightest, kBeta);
  }

  static Answer solve(const Problem& problem) {
    const Range best = best_range(problem);
    std::vector<int> inside;
    for (const int place : all_places(problem.edges)) {
      const std::int64_t weight = std::get<2>(problem.edges[place]);
      if (weight >= best.lightest && weight <= best.heaviest) inside.push_back(place);
    }
    return path_within(problem, inside);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<int> order = all_places(problem.edges);
    rng.shuffle(order);
    return path_within(problem, acyclic_places(problem.N, problem.edges, order));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto tree = [&](const std::vector<int>& order) {
      return path_within(problem, acyclic_places(problem.N, problem.edges, order));
    };
    std::vector<int> light = places_by_weight(problem.edges);
    std::vector<int> heavy(light.rbegin(), light.rend());
    return {{"a path of fewest edges", path_within(problem, all_places(problem.edges))},
            {"a path of least sum",
             path_within(problem,
                         shortest_path_places(problem.N, problem.edges, EdgeKind::kUndirected, 0))},
            {"a path whose heaviest edge is as light as can be", tree(light)},
            {"a path whose lightest edge is as heavy as can be", tree(heavy)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  struct Range {
    std::int64_t lightest;
    std::int64_t heaviest;
  };

  // For each edge as the lightest, heavier ones are joined until there is a path.
  static Range best_range(const Problem& problem) {
    const std::vector<int> order = places_by_weight(problem.edges);
    Range best{1, kMaxWeight + 1};
    for (std::size_t low = 0; low < order.size(); ++low) {
      const std::int64_t lightest = std::get<2>(problem.edges[order[low]]);
      DisjointSets sets(problem.N);
      for (std::size_t high = low; high < order.size(); ++high) {
        const auto& [u, v, weight] = problem.edges[order[high]];
        if (weight * best.lightest >= best.heaviest * lightest) break;
        sets.join(u, v);
        if (sets.find(0) == sets.find(problem.N - 1)) {
          best = {lightest, weight};
          break;
        }
      }
    }
    return best;
  }

  // A path of fewest edges among those at these places, which join the first vertex and the last.
  static Answer path_within(const Problem& problem, const std::vector<int>& places) {
    std::vector<std::vector<int>> near(static_cast<std::size_t>(problem.N));
    for (const int place : places) {
      const auto& [u, v, weight] = problem.edges[place];
      near[u].push_back(v);
      near[v].push_back(u);
    }
    std::vector<int> before(near.size(), -1);
    std::vector<int> queue{problem.N - 1};
    before[problem.N - 1] = problem.N - 1;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const int v : near[queue[i]]) {
        if (before[v] >= 0) continue;
        before[v] = queue[i];
        queue.push_back(v);
      }
    }
    Answer path{0};
    while (path.back() != problem.N - 1) path.push_back(before[path.back()]);
    return path;
  }

  // Two vertices without an edge between them become the first and the last.
  static Problem drawn(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto most = static_cast<std::int64_t>(n) * (n - 1) / 2 - 1;
    const auto count = std::min(most, static_cast<std::int64_t>(config.edge_ratio * n));
    std::vector<Edge> edges = draw_connected_edges(n, static_cast<std::size_t>(count), rng);
    const EdgePlaces places(n, edges, EdgeKind::kUndirected);
    std::vector<Edge> apart;
    for (int u = 0; u < n; ++u) {
      for (int v = 0; v < n; ++v) {
        if (u != v && places(u, v) < 0) apart.emplace_back(u, v);
      }
    }
    const auto [first, last] = rng.choice(apart);
    std::vector<int> name(static_cast<std::size_t>(n));
    int next = 0;
    for (int v = 0; v < n; ++v) {
      if (v == first || v == last) continue;
      name[v] = ++next;
    }
    name[first] = 0;
    name[last] = n - 1;
    for (auto& [u, v] : edges) {
      u = name[u];
      v = name[v];
    }
    return {.N = n,
            .edges = weigh_edges(edges, 1, kWeightsPerEdge * count, rng),
            .gold_answer = {0, 0}};
  }
};
REDQUEEN_ENVIRONMENT(MinimumRatioPath);

}  // namespace
}  // namespace redqueen
