#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct Tournament_LongestPath {
  static constexpr Card card{
      .name = "Tournament_LongestPath",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "In a directed graph with one edge between any two vertices, find a path from a given "
          "vertex that visits as many vertices as possible, none twice.",
      .levels =
          "From 3 vertices, one more a level. Beyond level 60 the list of edges would be too "
          "long to read.",
      .rewards =
          "-1 malformed or empty, -0.5 a wrong first vertex, a vertex that does not exist or comes "
          "twice, or a step that is no edge, else (vertices / most vertices)^5.",
      .differences =
          "The start reaches at least half of all vertices. From 5 vertices on, a problem is drawn "
          "again that is solved by going on to the first new vertex, or to the one with most or "
          "fewest edges out of it in the whole graph, or with fewest edges to new vertices.",
      .slow_reason = SlowReason::kStricter,
      .source = "L. Rédei, Ein kombinatorischer Satz, 1934",
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewVertices = 5;
  static constexpr int kDraws = 400;
  static constexpr int kMostVertices = 100;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::vector<bool>> TO;  // N × N: whether there is an edge from row to column
    int S = 0;                          // where the path starts
    int gold_answer = 0;                // vertices of a longest path
    REDQUEEN_FIELDS(N, TO, S, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(rng.permutation(config.N), 0.5, 0.95, rng); },
        [&](const Problem& problem) {
          return 2 * problem.gold_answer >= problem.N &&
                 (config.N < kFewVertices ||
                  !some_rule_is_best<Tournament_LongestPath>(problem, [&](const Answer& path) {
                    return std::ssize(path) == problem.gold_answer;
                  }));
        });
  }

  static Problem published(const Config& config, Rng& rng) {
    std::vector<int> order(static_cast<std::size_t>(config.N));
    std::iota(order.begin(), order.end(), 0);
    return drawn(order, 0.0, 1.0, rng);
  }

  static Status check(const Problem& problem) {
    const int n = problem.N;
    RETURN_IF_ERROR(within("N", n, 2, kMostVertices));
    RETURN_IF_ERROR(within("TO", std::ssize(problem.TO), n, n));
    for (const auto& row : problem.TO) RETURN_IF_ERROR(within("TO", std::ssize(row), n, n));
    for (int u = 0; u < n; ++u) {
      for (int v = 0; v <= u; ++v) {
        if (problem.TO[u][v] ? u == v || problem.TO[v][u] : u != v && !problem.TO[v][u]) {
          return failure("\"TO\": expected one edge between {} and {}", u, v);
        }
      }
    }
    RETURN_IF_ERROR(within("S", problem.S, 0, n - 1));
    return reference_is("gold_answer", problem.gold_answer,
                        static_cast<int>(solve(problem).size()));
  }

  static std::string prompt(const Problem& problem) {
    std::vector<Edge> edges;
    for (int u = 0; u < problem.N; ++u) {
      for (int v = 0; v < problem.N; ++v) {
        if (problem.TO[u][v]) edges.emplace_back(u, v);
      }
    }
    return fmt::format(
        "A directed graph has {} vertices, 0 to {}, and one edge between any two of them. Each of "
        "these lines \"s t\" gives an edge from s to t:\n"
        "{}\n"
        "Start at vertex {} and go along edges in their direction, to no vertex twice. Visit as "
        "many vertices as possible.\n"
        "Answer with the vertices in the order of the visits on one line, vertex {} first, "
        "separated by spaces.",
        problem.N, problem.N - 1, format_edges(edges), problem.S, problem.S);
  }

  static std::optional<Answer> parse(std::string_view text) {
    auto path = parse_int_list(text);
    if (path && path->empty()) path.reset();
    return path;
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.front() != problem.S) return kInvalidReward;
    std::vector<char> visited(static_cast<std::size_t>(problem.N));
    for (std::size_t i = 0; i < answer.size(); ++i) {
      const std::int64_t v = answer[i];
      if (v < 0 || v >= problem.N || std::exchange(visited[v], 1) != 0) return kInvalidReward;
      if (i > 0 && !problem.TO[answer[i - 1]][v]) return kInvalidReward;
    }
    return maximise_reward<std::int64_t>(std::ssize(answer), problem.gold_answer, kBeta);
  }

  // All vertices in reach are on one path: one with an edge from the path fits in behind the last
  // vertex on it with such an edge, for it has an edge to the next.
  static Answer solve(const Problem& problem) {
    std::vector<char> placed(static_cast<std::size_t>(problem.N));
    std::vector<int> reached{problem.S};
    Answer path{problem.S};
    placed[problem.S] = 1;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (int v = 0; v < problem.N; ++v) {
        if (placed[v] != 0 || !problem.TO[reached[i]][v]) continue;
        auto behind = path.end();
        while (!problem.TO[*std::prev(behind)][v]) --behind;
        path.insert(behind, v);
        reached.push_back(v);
        placed[v] = 1;
      }
    }
    return path;
  }

  // All vertices in random order, the start first.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer path{problem.S};
    for (const int v : rng.permutation(problem.N)) {
      if (v != problem.S) path.push_back(v);
    }
    return path;
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    if (visit("always the first new vertex", greedy(problem, [](int, const auto&) { return 0; }))) {
      return true;
    }
    std::vector<int> out(static_cast<std::size_t>(problem.N));  // edges out of each vertex
    for (int u = 0; u < problem.N; ++u) {
      out[u] = static_cast<int>(std::ranges::count(problem.TO[u], true));
    }
    const auto new_ones = [&](int v, const std::vector<char>& visited) {
      int count = 0;
      for (int w = 0; w < problem.N; ++w) count += visited[w] == 0 && problem.TO[v][w];
      return count == 0 ? problem.N : count;
    };
    return visit("always the vertex with most edges out of it",
                 greedy(problem, [&](int v, const auto&) { return -out[v]; })) ||
           visit("always the vertex with fewest edges out of it",
                 greedy(problem, [&](int v, const auto&) { return out[v]; })) ||
           visit("always the vertex with fewest edges to new ones, but one",
                 greedy(problem, new_ones));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<Tournament_LongestPath>(problem));
  }

 private:
  // Always on to the new vertex of the least key.
  template <typename Key>
  static Answer greedy(const Problem& problem, Key key) {
    std::vector<char> visited(static_cast<std::size_t>(problem.N));
    Answer path{problem.S};
    while (true) {
      const auto at = static_cast<std::size_t>(path.back());
      visited[at] = 1;
      int best = -1;
      int least = 0;
      for (int v = 0; v < problem.N; ++v) {
        if (visited[v] != 0 || !problem.TO[at][v]) continue;
        const int here = key(v, visited);
        if (best < 0 || here < least) {
          best = v;
          least = here;
        }
      }
      if (best < 0) return path;
      path.push_back(best);
    }
  }

  // Vertices in a random order, and edges that lead on in it with a random chance.
  // An edge leads onwards in the order with a probability that is uniform in [least, most).
  static Problem drawn(const std::vector<int>& order, double least, double most, Rng& rng) {
    const int n = static_cast<int>(order.size());
    const double onward = rng.real(least, most);
    Problem problem{.N = n,
                    .TO = std::vector(n, std::vector<bool>(n)),
                    .S = static_cast<int>(rng.integer(0, n - 1)),
                    .gold_answer = 0};
    for (int i = 0; i < n; ++i) {
      for (int k = i + 1; k < n; ++k) {
        if (rng.chance(onward)) {
          problem.TO[order[i]][order[k]] = true;
        } else {
          problem.TO[order[k]][order[i]] = true;
        }
      }
    }
    problem.gold_answer = static_cast<int>(solve(problem).size());
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(Tournament_LongestPath);

}  // namespace
}  // namespace redqueen
