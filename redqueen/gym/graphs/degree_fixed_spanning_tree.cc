#include <algorithm>
#include <array>
#include <numeric>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/graph/further_edges.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct DegreeFixed_SpanningTree {
  static constexpr Card card{
      .name = "DegreeFixed_SpanningTree",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kQuality,
      .task = "Find a spanning tree of a graph in which every vertex has a given degree.",
      .levels =
          "From 4 vertices, one more a level, with a tenth of all pairs as edges or more. Beyond "
          "level 60 the list of edges would be too long to read.",
      .rewards =
          "-1 malformed or an odd number of integers, -0.5 not a spanning tree of edges, else "
          "(vertices of the right degree / vertices)^5.",
      .differences =
          "Of the published densities, one of the two lowest is drawn that give at least half as "
          "many edges again as the tree has. The hidden trees are paths, stars and anything "
          "between; published ones had mostly leaves. From 6 vertices on, a problem is drawn again "
          "that is solved by the first edges that make a tree, with or without regard to degrees, "
          "or by edges of the vertices with least choice first.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::array kDensities{0.1, 0.3, 0.5, 0.7, 0.9};
  static constexpr int kFewVertices = 6;
  static constexpr int kDraws = 200;
  static constexpr int kMostVertices = 100;

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    std::vector<std::int64_t> degrees;
    std::string reference_answer;  // one such tree
    REDQUEEN_FIELDS(N, edges, degrees, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;  // both ends of each edge

  static Config at_level(int level, Rng& rng) {
    const int n = 4 + level;
    std::vector<double> densities;
    for (const double density : kDensities) {
      if (2 * edges_at(n, density) < 3 * (n - 1) || densities.size() == 2) continue;
      densities.push_back(density);
    }
    return {.N = n, .edge_density = rng.choice(densities)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    std::vector<Edge> planted;
    Problem problem = draw_accepted(
        kDraws, [&] { return drawn(config, planted, rng); },
        [&](const Problem& draft) {
          return config.N < kFewVertices ||
                 !try_rules(draft, [&](std::string_view, const std::vector<Edge>& forest) {
                   return has_degrees(draft, forest);
                 });
        });
    problem.reference_answer = format_answer(ends_of(planted));
    return problem;
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 4 + level;
    return {.N = n, .edge_density = draw_density(kDensities, n, n, n * n, rng)};
  }

  // A tree, of which each vertex joins a uniform earlier one, and further edges, uniformly drawn.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const std::vector<Edge> tree = random_recursive_tree(rng.permutation(n), rng);
    Problem problem{.N = n,
                    .edges = tree,
                    .degrees = Answer(n),
                    .reference_answer = format_answer(ends_of(tree))};
    for (const auto& [u, v] : tree) {
      ++problem.degrees[u];
      ++problem.degrees[v];
    }
    const std::vector<Edge> further =
        draw_further_edges(n, tree, EdgeKind::kUndirected, edges_at(n, config.edge_density), rng);
    problem.edges.insert(problem.edges.end(), further.begin(), further.end());
    disguise_edges(problem.edges, rng);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected));
    RETURN_IF_ERROR(check_numbers("degrees", problem.degrees, problem.N, 1, problem.N - 1));
    const auto tree = parse(problem.reference_answer);
    if (tree && score(problem, *tree) == kSolvedReward) return {};
    return failure("\"reference_answer\": \"{}\" is no tree with these degrees",
                   problem.reference_answer);
  }

  static std::string prompt(const Problem& problem) {
    std::string wanted;
    for (int v = 0; v < problem.N; ++v) {
      append_format(wanted, "{}{}: {}", v == 0 ? "" : ", ", v, problem.degrees[v]);
    }
    return fmt::format(
        "A graph has {} vertices, 0 to {}. Each of these lines gives an edge by its two ends:\n"
        "{}\n"
        "Choose {} of the edges that make a tree on all vertices, such that every vertex is an end "
        "of as many chosen edges as is said here (vertex: number of edges):\n"
        "{}\n"
        "There is such a tree; any will do.\n"
        "Answer with the ends of the chosen edges, \"u1 v1 u2 v2 …\", {} numbers on one line, "
        "separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges), problem.N - 1, wanted,
        2 * (problem.N - 1));
  }

  static std::optional<Answer> parse(std::string_view text) {
    auto ends = parse_int_list(text);
    if (ends && ends->size() % 2 != 0) ends.reset();
    return ends;
  }

  static double score(const Problem& problem, const Answer& answer) {
    const int n = problem.N;
    if (std::ssize(answer) != 2 * (std::int64_t{n} - 1)) return kInvalidReward;
    const auto cell = [n](std::int64_t u, std::int64_t v) {
      return static_cast<std::size_t>(u * n + v);
    };
    std::vector<char> is_edge(static_cast<std::size_t>(n) * n);
    for (const auto& [u, v] : problem.edges) is_edge[cell(u, v)] = is_edge[cell(v, u)] = 1;
    std::vector<Edge> chosen;
    std::vector<std::int64_t> degrees(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < answer.size(); i += 2) {
      const std::int64_t u = answer[i];
      const std::int64_t v = answer[i + 1];
      if (std::min(u, v) < 0 || std::max(u, v) >= n || !is_edge[cell(u, v)]) return kInvalidReward;
      chosen.emplace_back(static_cast<int>(u), static_cast<int>(v));
      ++degrees[u];
      ++degrees[v];
    }
    if (!root_tree(n, chosen, 0)) return kInvalidReward;
    std::int64_t right = 0;
    for (int v = 0; v < n; ++v) right += degrees[v] == problem.degrees[v];
    return share_reward(right, n, kBeta);
  }

  static Answer solve(const Problem& problem) { return *parse(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<Edge> edges = problem.edges;
    rng.shuffle(edges);
    return ends_of(first_tree(problem.N, edges, Answer(problem.degrees.size(), problem.N)));
  }

  // What the rules give are forests.
  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    const Answer any(problem.degrees.size(), problem.N);
    return visit("the first edges that make a tree", first_tree(problem.N, problem.edges, any)) ||
           visit("the first edges that keep to the degrees",
                 completed(problem, first_tree(problem.N, problem.edges, problem.degrees))) ||
           visit("edges of vertices with least choice first",
                 completed(problem, least_choice(problem)));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::vector<NamedAnswer> named;
    try_rules(problem, [&](std::string_view rule, const std::vector<Edge>& forest) {
      named.push_back({std::string(rule), format_answer(ends_of(forest))});
      return false;
    });
    return named;
  }

 private:
  // Parts of a forest, by union and find.
  struct Parts {
    std::vector<int> parent;

    explicit Parts(int n) : parent(static_cast<std::size_t>(n)) {
      std::iota(parent.begin(), parent.end(), 0);
    }
    int find(int v) {
      while (parent[v] != v) v = parent[v] = parent[parent[v]];
      return v;
    }
    // False if both are in one part already.
    bool join(int u, int v) {
      u = find(u);
      v = find(v);
      parent[u] = v;
      return u != v;
    }
  };

  static int edges_at(int n, double density) { return static_cast<int>(density * n * (n - 1) / 2); }

  // Whether a forest has as many edges at each vertex as are wanted, and so is a tree.
  static bool has_degrees(const Problem& problem, const std::vector<Edge>& forest) {
    if (std::ssize(forest) + 1 != problem.N) return false;
    Answer wanted = problem.degrees;
    for (const auto& [u, v] : forest) {
      if (wanted[u]-- == 0 || wanted[v]-- == 0) return false;
    }
    return true;
  }

  static Answer ends_of(const std::vector<Edge>& edges) {
    Answer ends;
    for (const auto& [u, v] : edges) ends.insert(ends.end(), {u, v});
    return ends;
  }

  // Each edge that closes no cycle and whose ends have not as many edges as wanted.
  static std::vector<Edge> first_tree(int n, const std::vector<Edge>& edges, Answer wanted) {
    Parts parts(n);
    std::vector<Edge> tree;
    for (const auto& [u, v] : edges) {
      if (wanted[u] == 0 || wanted[v] == 0 || !parts.join(u, v)) continue;
      --wanted[u];
      --wanted[v];
      tree.emplace_back(u, v);
    }
    return tree;
  }

  // Adds, again and again, an edge from the vertex with the fewest to spare to one that wants most.
  static std::vector<Edge> least_choice(const Problem& problem) {
    Parts parts(problem.N);
    Answer wanted = problem.degrees;
    std::vector<Edge> tree;
    Answer choices;
    std::vector<Edge> open;
    while (true) {
      choices.assign(problem.degrees.size(), 0);
      open.clear();
      for (const auto& [u, v] : problem.edges) {
        if (wanted[u] == 0 || wanted[v] == 0 || parts.find(u) == parts.find(v)) continue;
        open.emplace_back(u, v);
        ++choices[u];
        ++choices[v];
      }
      if (open.empty()) return tree;
      const auto key = [&](const Edge& edge) {
        const auto spare = [&](int v) { return choices[v] - wanted[v]; };
        const auto [u, v] = edge;
        return spare(u) <= spare(v) ? std::pair(spare(u), -wanted[v])
                                    : std::pair(spare(v), -wanted[u]);
      };
      const auto [u, v] = *std::ranges::min_element(open, {}, key);
      parts.join(u, v);
      --wanted[u];
      --wanted[v];
      tree.emplace_back(u, v);
    }
  }

  // With the first edges that still make it a tree.
  static std::vector<Edge> completed(const Problem& problem, std::vector<Edge> forest) {
    Parts parts(problem.N);
    for (const auto& [u, v] : forest) parts.join(u, v);
    for (const auto& [u, v] : problem.edges) {
      if (parts.join(u, v)) forest.emplace_back(u, v);
    }
    return forest;
  }

  // A problem without its reference; `planted` become the edges of the tree. Each vertex of it
  // hangs on one of the latest before it: on the last one alone, in a path, up to on any.
  static Problem drawn(const Config& config, std::vector<Edge>& planted, Rng& rng) {
    const int n = config.N;
    const std::vector<int> order = rng.permutation(n);
    const std::int64_t latest = rng.integer(1, n);
    Problem problem{.N = n, .edges = {}, .degrees = Answer(n), .reference_answer = {}};
    std::vector<char> taken(static_cast<std::size_t>(n) * n);
    const auto add = [&](int u, int v) {
      if (u > v) std::swap(u, v);
      if (std::exchange(taken[static_cast<std::size_t>(u) * n + v], 1) != 0) return;
      problem.edges.emplace_back(u, v);
    };
    for (int i = 1; i < n; ++i) {
      const int on = order[rng.integer(std::max<std::int64_t>(0, i - latest), i - 1)];
      add(on, order[i]);
      ++problem.degrees[on];
      ++problem.degrees[order[i]];
    }
    planted = problem.edges;
    const int count = edges_at(n, config.edge_density);
    while (std::ssize(problem.edges) < count) {
      const int u = static_cast<int>(rng.integer(0, n - 1));
      const int v = static_cast<int>(rng.integer(0, n - 1));
      if (u != v) add(u, v);
    }
    rng.shuffle(problem.edges);
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(DegreeFixed_SpanningTree);

}  // namespace
}  // namespace redqueen
