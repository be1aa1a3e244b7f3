#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/choice.h"
#include "redqueen/gym/common/graph/arcs.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct CheckAllCycleXorZero {
  static constexpr Card card{
      .name = "CheckAllCycleXorZero",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kChoice,
      .scoring = Scoring::kExact,
      .task = "Say whether the weights on every cycle of a graph have the XOR 0.",
      .levels =
          "From 4 vertices, a tenth and one more a level, with one to three edges a vertex. Beyond "
          "level 49 there would be more than 1000 vertices.",
      .rewards = "-1 malformed, -0.5 for anything but YES and NO, 0 wrong, 1 right.",
      .differences =
          "The answer is drawn first. Where it is NO, one edge alone is to blame, and it is on no "
          "triangle if there is such an edge on a cycle, for which graphs are drawn again, "
          "whatever "
          "the answer: the published graphs showed it on almost every cycle.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "There are two answers, each right for half of the problems; of few vertices, up to "
          "level 3, the triangles tell more.",
      .guess_until_level = 3,
      .guess_bound = 0.65,
      .version = 2,
      .max_level = 49,
  };

  static constexpr std::string_view kYes = "YES";
  static constexpr std::string_view kNo = "NO";
  static constexpr std::int64_t kMaxEdges = 10'000;

  struct Config {
    int N = 0;
    double edge_ratio = 0;
    REDQUEEN_FIELDS(N, edge_ratio)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;  // vertices 1 … N
    REDQUEEN_FIELDS(N, edges)
  };
  using Answer = std::string;

  // The place of an edge that may be to blame, and whether no triangle shows it.
  struct Fault {
    std::size_t edge = 0;
    bool is_hidden = false;
  };

  static constexpr int kGraphs = 12;  // drawn at most until a fault can be hidden

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(4, level);
    int most = 30;  // tenths
    while (edges_at(n, most / 10.0) > n * (n - 1) / 2) --most;
    return {.N = n, .edge_ratio = static_cast<double>(rng.integer(10, most)) / 10.0};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto count = static_cast<std::size_t>(edges_at(n, config.edge_ratio));
    std::vector<Edge> edges;
    Fault possible;
    for (int draw = 0; draw < kGraphs && !possible.is_hidden; ++draw) {
      edges = draw_connected_edges(n, count, rng);
      possible = draw_fault(n, edges, rng);
    }
    const std::int64_t limit = weight_limit(n);
    std::vector<std::int64_t> potential(n);
    for (std::int64_t& p : potential) p = rng.integer(0, limit - 1);
    const std::int64_t fault = rng.chance(0.5) ? rng.integer(1, limit - 1) : 0;
    Problem problem{.N = n, .edges = {}};
    for (const auto& [u, v] : edges) {
      problem.edges.emplace_back(u + 1, v + 1, potential[u] ^ potential[v]);
    }
    std::get<2>(problem.edges[possible.edge]) ^= fault;
    return problem;
  }

  // Weights of which in half of the graphs all cycles are zero, and which are independent in the
  // others.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const std::int64_t limit = weight_limit(n);
    const bool consistent = rng.chance(0.5);
    std::vector<std::int64_t> potential(n);
    for (std::int64_t& p : potential) p = rng.integer(0, limit - 1);
    Problem problem{.N = n, .edges = {}};
    const auto count = static_cast<std::size_t>(edges_at(n, config.edge_ratio));
    for (const auto& [u, v] : draw_connected_edges(n, count, rng)) {
      const std::int64_t weight =
          consistent ? potential[u] ^ potential[v] : rng.integer(0, limit - 1);
      problem.edges.emplace_back(u + 1, v + 1, weight);
    }
    return problem;
  }

  // The weights are less than this power of two.
  static std::int64_t weight_limit(int n) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<unsigned>(n * (n - 1) / 2) + 1));
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("edges", std::ssize(problem.edges), 1, kMaxEdges));
    std::vector<Edge> plain;
    for (const auto& [u, v, weight] : problem.edges) {
      RETURN_IF_ERROR(within("edges", weight, 0, kMaxWeight));
      RETURN_IF_ERROR(within("edges", std::min(u, v), 1, problem.N));
      plain.emplace_back(u - 1, v - 1);
    }
    return check_edges(problem.N, plain, EdgeKind::kUndirected);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "An undirected graph has {} vertices, 1 to {}. Each of these lines gives an edge by its "
        "two ends and its weight:\n"
        "{}\n"
        "A cycle is a closed way along edges that uses no edge twice; its value is the bitwise XOR "
        "of the weights of its edges. Do all cycles of this graph have the value 0?\n"
        "Answer with one word in capital letters: YES or NO.",
        problem.N, problem.N, format_edges(problem.edges));
  }

  static std::optional<Answer> parse(std::string_view answer) { return parse_choice(answer); }

  static double score(const Problem& problem, const Answer& answer) {
    return choice_reward(answer, verdict(problem), {kYes, kNo});
  }

  static Answer solve(const Problem& problem) { return std::string(verdict(problem)); }

  static Answer random_answer(const Problem&, Rng& rng) {
    return std::string(rng.chance(0.5) ? kYes : kNo);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::int64_t all = 0;
    for (const auto& [u, v, weight] : problem.edges) all ^= weight;
    return {{"what the triangles say", std::string(triangles_are_zero(problem) ? kYes : kNo)},
            {"NO if the XOR of all weights is odd", std::string(all % 2 == 0 ? kYes : kNo)}};
  }

 private:
  // ⌊ratio · n⌋ in doubles, as the published ladder has it.
  static int edges_at(int n, double ratio) { return static_cast<int>(ratio * n); }

  // A random edge on a cycle, and on no triangle where possible. The graph is connected and no
  // tree.
  static Fault draw_fault(int n, const std::vector<Edge>& edges, Rng& rng) {
    const std::vector<int> branches = acyclic_places(n, edges, all_places(edges));
    std::vector<Edge> spanning;
    std::vector<char> on_cycle(edges.size(), 1);
    for (const int place : branches) {
      spanning.push_back(edges[place]);
      on_cycle[place] = 0;
    }
    const auto tree = root_tree(n, spanning, 0);
    std::vector<int> depth(n);
    for (const int v : tree->order) {
      if (tree->parent[v] >= 0) depth[v] = depth[tree->parent[v]] + 1;
    }
    std::vector<Edge> further;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (on_cycle[i] != 0) further.push_back(edges[i]);
    }
    for (auto [u, v] : further) {
      while (u != v) {
        if (depth[u] < depth[v]) std::swap(u, v);
        on_cycle[branches[tree->edge[u]]] = 1;
        u = tree->parent[u];
      }
    }
    const Arcs arcs(n, edges);
    std::vector<std::size_t> possible;
    std::vector<std::size_t> hidden;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (on_cycle[i] == 0) continue;
      possible.push_back(i);
      if (!on_triangle(arcs, edges[i])) hidden.push_back(i);
    }
    return {.edge = rng.choice(hidden.empty() ? possible : hidden), .is_hidden = !hidden.empty()};
  }

  static bool on_triangle(const Arcs& arcs, const Edge& edge) {
    const auto near = arcs.of(edge.second);
    return std::ranges::any_of(arcs.of(edge.first), [&](const Arcs::Arc& arc) {
      return std::ranges::find(near, arc.to, &Arcs::Arc::to) != near.end();
    });
  }

  // Every vertex gets the XOR of some way from the first of its component; then every edge has to
  // be the XOR of its ends.
  static std::string_view verdict(const Problem& problem) {
    const int n = problem.N;
    const Arcs arcs(n + 1, problem.edges);
    std::vector<std::int64_t> way(static_cast<std::size_t>(n) + 1, -1);
    std::vector<int> stack;
    for (int start = 1; start <= n; ++start) {
      if (way[start] >= 0) continue;
      way[start] = 0;
      stack.push_back(start);
      while (!stack.empty()) {
        const int u = stack.back();
        stack.pop_back();
        for (const auto& [v, edge] : arcs.of(u)) {
          const std::int64_t weight = std::get<2>(problem.edges[edge]);
          if (way[v] < 0) {
            way[v] = way[u] ^ weight;
            stack.push_back(v);
          } else if ((way[v] ^ way[u]) != weight) {
            return kNo;
          }
        }
      }
    }
    return kYes;
  }

  static bool triangles_are_zero(const Problem& problem) {
    WeightTable weights(problem.N + 1);  // more by one
    for (const auto& [u, v, weight] : problem.edges) {
      weights.set(u, v, weight + 1);
      weights.set(v, u, weight + 1);
    }
    for (const auto& [u, v, weight] : problem.edges) {
      for (int w = 1; w <= problem.N; ++w) {
        const std::int64_t a = weights(u, w);
        const std::int64_t b = weights(v, w);
        if (a != 0 && b != 0 && ((a - 1) ^ (b - 1)) != weight) return false;
      }
    }
    return true;
  }
};
REDQUEEN_ENVIRONMENT(CheckAllCycleXorZero);

}  // namespace
}  // namespace redqueen
