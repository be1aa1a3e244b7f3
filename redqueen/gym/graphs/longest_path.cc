#include <algorithm>
#include <array>
#include <bit>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/asymmetric_tsp.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/sample.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct LongestPath {
  static constexpr Card card{
      .name = "LongestPath",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Find a path in a directed graph with weights that visits no vertex twice and is as "
          "heavy as possible.",
      .levels =
          "From 4 vertices, one more a level, with twice as many edges as vertices or more. Beyond "
          "level 36 the heaviest path would take long to find.",
      .rewards =
          "-1 malformed or empty, -0.5 a vertex that does not exist or comes twice, or a step that "
          "is no edge, else (weight / greatest weight)^5.",
      .differences =
          "Of the published densities, one of the three lowest is drawn that give at least two "
          "edges for each vertex; from 13 vertices on, one of 0.35 to 0.55, and paths that visit "
          "all vertices are among the heaviest. From 6 vertices on, a problem is drawn again that "
          "is solved by always taking the heaviest edge onwards, from whatever vertex.",
      .max_level = 36,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::array kDensities{0.05, 0.15, 0.25, 0.35, 0.45,
                                         0.55, 0.65, 0.75, 0.85, 0.95};
  static constexpr int kFewVertices = 6;
  static constexpr int kDraws = 200;
  static constexpr int kMostInTable = 12;  // vertices, when a problem is made
  static constexpr int kMostChecked = 16;  // vertices, when a problem comes from outside
  static constexpr int kMostVertices = 40;
  static constexpr int kBudget = 400;  // nodes of a search

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, edges, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = 4 + level;
    const auto edges_of = [n](double density) {
      return static_cast<std::int64_t>(edges_at_density(n, density));
    };
    const std::int64_t least = n <= kMostInTable ? 2 * n : edges_of(0.35);
    const auto densities = sparsest(kDensities, 3, least, edges_of);
    return {.N = n, .edge_density = rng.choice(densities)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    std::vector<Edge> pairs;
    for (int from = 0; from < n; ++from) {
      for (int to = 0; to < n; ++to) {
        if (from != to) pairs.emplace_back(from, to);
      }
    }
    const std::size_t count = edges_at_density(n, config.edge_density);
    for (int draw = 0; draw < kDraws; ++draw) {
      rng.shuffle(pairs);
      Problem problem{.N = n, .edges = {}, .gold_answer = 0};
      for (std::size_t i = 0; i < count; ++i) {
        problem.edges.emplace_back(pairs[i].first, pairs[i].second, rng.integer(1, n));
      }
      const auto path = heaviest(problem, kMostInTable);
      if (!path) continue;
      problem.gold_answer = *WeightTable(n, problem.edges).walk_weight(*path);
      if (n < kFewVertices || !some_rule_solves<LongestPath>(problem)) return problem;
    }
    throw Retry();
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 4 + level;
    const auto edges_of = [n](double density) {
      return static_cast<std::int64_t>(edges_at_density(n, density));
    };
    // The heaviest path of a large sparse graph takes too long to find.
    const std::int64_t least = n <= kMostChecked ? 1 : edges_of(0.35);
    const auto densities = sparsest(kDensities, kDensities.size(), least, edges_of);
    return {.N = n, .edge_density = rng.choice(densities)};
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    std::vector<Edge> pairs;
    for (int from = 0; from < n; ++from) {
      for (int to = 0; to < n; ++to) {
        if (from != to) pairs.emplace_back(from, to);
      }
    }
    keep_sample(pairs, edges_at_density(n, config.edge_density), rng);
    Problem problem{.N = n, .edges = {}, .gold_answer = 0};
    for (const auto& [from, to] : pairs) problem.edges.emplace_back(from, to, rng.integer(1, n));
    const auto path = heaviest(problem, kMostChecked);
    if (!path) throw Retry();
    problem.gold_answer = *WeightTable(n, problem.edges).walk_weight(*path);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges));
    RETURN_IF_ERROR(within("edges", std::ssize(problem.edges), 1, kMostVertices * kMostVertices));
    const auto path = heaviest(problem, kMostChecked);
    if (!path) return failure("\"edges\": the heaviest path takes too long to find");
    return reference_is("gold_answer", problem.gold_answer,
                        *WeightTable(problem.N, problem.edges).walk_weight(*path));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A directed graph has {} vertices, 0 to {}. Each of these lines \"s t w\" gives an edge "
        "from s to t of weight w:\n"
        "{}\n"
        "A path may start and end anywhere, goes along edges in their direction, and visits no "
        "vertex twice. Find a path whose edges have the greatest sum of weights.\n"
        "Answer with the vertices of the path in order on one line, separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges));
  }

  static std::optional<Answer> parse(std::string_view text) {
    auto path = parse_int_list(text);
    if (path && path->empty()) path.reset();
    return path;
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::uint64_t visited = 0;
    for (const std::int64_t vertex : answer) {
      if (vertex < 0 || vertex >= problem.N || (visited >> vertex & 1) != 0) return kInvalidReward;
      visited |= std::uint64_t{1} << vertex;
    }
    const auto weight = WeightTable(problem.N, problem.edges).walk_weight(answer);
    if (!weight) return kInvalidReward;
    return maximise_reward(*weight, problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return *heaviest(problem, kMostChecked); }

  // From a random vertex along random edges, as far as that leads.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<WeightedEdge> edges = problem.edges;
    rng.shuffle(edges);
    return walk(problem, edges, static_cast<int>(rng.integer(0, problem.N - 1)));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<WeightedEdge> heavy = problem.edges;
    std::ranges::stable_sort(heavy, std::greater(), [](const auto& e) { return std::get<2>(e); });
    const WeightTable table(problem.N, problem.edges);
    Answer best;
    for (int start = 0; start < problem.N; ++start) {
      Answer path = walk(problem, heavy, start);
      if (best.empty() || *table.walk_weight(path) > *table.walk_weight(best)) {
        best = std::move(path);
      }
    }
    return {{"always the heaviest edge onwards, from the best vertex", best},
            {"always the first edge of the list onwards, from vertex 0",
             walk(problem, problem.edges, 0)},
            {"the heaviest edge and the heaviest edges onwards",
             walk(problem, heavy, std::get<0>(heavy[0]))}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // From a vertex on, always the first edge in the list that leads to a new vertex.
  static Answer walk(const Problem& problem, const std::vector<WeightedEdge>& edges, int start) {
    std::vector<char> visited(static_cast<std::size_t>(problem.N));
    Answer path{start};
    visited[start] = 1;
    while (true) {
      const auto edge = std::ranges::find_if(edges, [&](const WeightedEdge& e) {
        return std::get<0>(e) == path.back() && visited[std::get<1>(e)] == 0;
      });
      if (edge == edges.end()) return path;
      path.push_back(std::get<1>(*edge));
      visited[path.back()] = 1;
    }
  }

  // nullopt: there are more than `most_in_table` vertices, and no search settles it.
  static std::optional<Answer> heaviest(const Problem& problem, int most_in_table) {
    if (problem.N <= kMostInTable) return by_table(problem);
    auto path = by_tour(problem);
    if (!path && problem.N <= most_in_table) path = by_table(problem);
    return path;
  }

  // best[set][last]: of the paths through a set of vertices that end at `last`; -1: there is none.
  static Answer by_table(const Problem& problem) {
    const int n = problem.N;
    const WeightTable table(n, problem.edges);
    const auto cell = [n](unsigned set, int last) {
      return static_cast<std::size_t>(set) * n + last;
    };
    std::vector<unsigned> onward(static_cast<std::size_t>(n));
    for (const auto& [from, to, weight] : problem.edges) onward[from] |= 1u << to;
    std::vector<std::int64_t> best(cell(1u << n, 0), -1);
    for (int v = 0; v < n; ++v) best[cell(1u << v, v)] = 0;
    std::size_t top = 0;
    for (unsigned set = 1; set < 1u << n; ++set) {
      for (unsigned rest = set; rest != 0; rest &= rest - 1) {
        const int last = std::countr_zero(rest);
        const std::int64_t weight = best[cell(set, last)];
        if (weight < 0) continue;
        if (weight > best[top]) top = cell(set, last);
        for (unsigned next = onward[last] & ~set; next != 0; next &= next - 1) {
          const int to = std::countr_zero(next);
          std::int64_t& longer = best[cell(set | 1u << to, to)];
          longer = std::max(longer, weight + table(last, to));
        }
      }
    }
    auto set = static_cast<unsigned>(top / static_cast<std::size_t>(n));
    int last = static_cast<int>(top % static_cast<std::size_t>(n));
    Answer path{last};
    while (std::popcount(set) > 1) {
      const std::int64_t weight = best[cell(set, last)];
      const unsigned before = set & ~(1u << last);
      for (int from = 0; from < n; ++from) {
        const std::int64_t edge = table(from, last);
        if ((before >> from & 1) == 0 || edge == 0) continue;
        if (best[cell(before, from)] != weight - edge) continue;
        set = before;
        last = from;
        path.push_back(from);
        break;
      }
    }
    std::ranges::reverse(path);
    return path;
  }

  // Paths that together visit all vertices weigh at least as much as one of them: where the
  // heaviest of these are a single path, no path is heavier.
  static std::optional<Answer> by_tour(const Problem& problem) {
    std::int64_t heaviest_edge = 0;
    for (const auto& [from, to, weight] : problem.edges) {
      heaviest_edge = std::max(heaviest_edge, weight);
    }
    CityCosts costs{.n = problem.N,
                    .costs = std::vector<std::int64_t>(
                        static_cast<std::size_t>(problem.N) * problem.N, heaviest_edge)};
    for (const auto& [from, to, weight] : problem.edges) costs(from, to) = heaviest_edge - weight;
    const OpenTour tour = cheapest_open_tour(costs, kBudget);
    if (tour.outcome != TourOutcome::kOptimal) return std::nullopt;
    Answer path(tour.order.begin(), tour.order.end());
    if (!WeightTable(problem.N, problem.edges).walk_weight(path)) return std::nullopt;
    return path;
  }
};
REDQUEEN_ENVIRONMENT(LongestPath);

}  // namespace
}  // namespace redqueen
