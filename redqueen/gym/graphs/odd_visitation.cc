#include <algorithm>
#include <utility>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/arcs.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/graph/further_edges.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct OddVisitation {
  static constexpr Card card{
      .name = "OddVisitation",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task = "Find a walk in a connected graph that visits every vertex an odd number of times.",
      .levels =
          "From 3 vertices, a tenth and one more a level, with one to two edges a vertex. Beyond "
          "level 50 there would be more than 1000 vertices.",
      .rewards =
          "-1 malformed, -0.5 a vertex that does not exist or a step that is no edge, 0 a vertex "
          "visited an even number of times, 1 right.",
      .differences =
          "From 5 vertices on, a problem is drawn again that is solved by ascending order, or by a "
          "depth-first walk, be it with the ways back or without.",
      .small_answer_space =
          "Three vertices, at level 0, make a triangle, where any order is right. On five, at "
          "level 2, one order is right for a third of the graphs.",
      .guess_until_level = 2,
      .max_level = 50,
  };

  static constexpr int kFewVertices = 5;
  static constexpr int kDraws = 300;
  static constexpr std::int64_t kMaxEdges = 10'000;

  struct Config {
    int N = 0;
    double edge_ratio = 0;
    REDQUEEN_FIELDS(N, edge_ratio)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    REDQUEEN_FIELDS(N, edges)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    int most = 20;  // tenths
    while (most > 10 && edges_at(n, most / 10.0) >= n * (n - 1) / 2) --most;
    return {.N = n, .edge_ratio = static_cast<double>(rng.integer(10, most)) / 10.0};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const auto count = static_cast<std::size_t>(edges_at(config.N, config.edge_ratio));
    return draw_accepted(
        kDraws,
        [&] { return Problem{.N = config.N, .edges = draw_connected_edges(config.N, count, rng)}; },
        [&](const Problem& problem) {
          return config.N < kFewVertices || !some_rule_solves<OddVisitation>(problem);
        });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    int most = 20;  // tenths
    while (edges_at(n, most / 10.0) > n * (n - 1) / 2) --most;
    return {.N = n, .edge_ratio = static_cast<double>(rng.integer(10, most)) / 10.0};
  }

  // A uniform tree and further edges, uniformly drawn.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .edges = draw_uniform_tree(n, rng)};
    const auto further = draw_further_edges(n, problem.edges, EdgeKind::kUndirected,
                                            edges_at(n, config.edge_ratio), rng);
    problem.edges.insert(problem.edges.end(), further.begin(), further.end());
    rng.shuffle(problem.edges);
    return problem;
  }

  // From a random Prüfer code: leaves are taken off in the order in which they become leaves.
  static std::vector<Edge> draw_uniform_tree(int n, Rng& rng) {
    std::vector<int> code;
    std::vector<int> left(static_cast<std::size_t>(n));  // how often a vertex comes in the code
    for (int i = 0; i < n - 2; ++i) ++left[code.emplace_back(static_cast<int>(rng.below(n)))];
    std::vector<int> leaves;
    for (int v = 0; v < n; ++v) {
      if (left[v] == 0) leaves.push_back(v);
    }
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < code.size(); ++i) {
      edges.push_back(std::minmax(leaves[i], code[i]));
      if (--left[code[i]] == 0) leaves.push_back(code[i]);
    }
    edges.push_back(std::minmax(leaves[code.size()], leaves[code.size() + 1]));
    return edges;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("edges", std::ssize(problem.edges), 1, kMaxEdges));
    RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected));
    if (is_connected(problem.N, problem.edges)) return {};
    return failure("\"edges\": they do not connect all vertices");
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A connected undirected graph has {} vertices, 0 to {}. Each of these lines gives an edge "
        "by its two ends:\n"
        "{}\n"
        "A walk is a list of vertices in which each two consecutive ones are joined by an edge; it "
        "may start and end anywhere, visit vertices and use edges again, and be of any length. "
        "Find a walk in which every vertex of the graph occurs an odd number of times. There is "
        "one; any will do.\n"
        "Answer with the vertices of the walk in order on one line, separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.edges));
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<char> odd(static_cast<std::size_t>(problem.N));
    for (const std::int64_t vertex : answer) {
      if (vertex < 0 || vertex >= problem.N) return kInvalidReward;
      odd[vertex] ^= 1;
    }
    const Arcs arcs(problem.N, problem.edges);
    for (std::size_t i = 0; i + 1 < answer.size(); ++i) {
      const auto ways = arcs.of(static_cast<int>(answer[i]));
      if (std::ranges::find(ways, answer[i + 1], &Arcs::Arc::to) == ways.end()) {
        return kInvalidReward;
      }
    }
    return exact_reward(std::ranges::find(odd, 0) == odd.end());
  }

  // A depth-first walk from vertex 0 with the ways back. On the way back from a vertex that has
  // come an even number of times, it goes there and back once more. If vertex 0 ends up even, the
  // walk stops one step before it is back.
  static Answer solve(const Problem& problem) {
    Answer walk;
    std::vector<char> odd(static_cast<std::size_t>(problem.N));
    const auto visit = [&](int v) {
      walk.push_back(v);
      odd[v] ^= 1;
    };
    depth_first(problem, visit, [&](int from, int to) {
      visit(to);
      if (odd[from] != 0) return;
      visit(from);
      visit(to);
    });
    if (odd[0] == 0) walk.pop_back();
    return walk;
  }

  // As many random steps as twice the vertices.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    const Arcs arcs(problem.N, problem.edges);
    Answer walk{rng.integer(0, problem.N - 1)};
    for (int i = 0; i < 2 * problem.N; ++i) {
      const auto ways = arcs.of(static_cast<int>(walk.back()));
      walk.push_back(ways[rng.below(ways.size())].to);
    }
    return walk;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer there;
    Answer there_and_back;
    depth_first(
        problem,
        [&](int v) {
          there.push_back(v);
          there_and_back.push_back(v);
        },
        [&](int, int to) { there_and_back.push_back(to); });
    return {{"ascending order", ascending_order(problem.N)},
            {"a depth-first walk without the ways back", there},
            {"a depth-first walk with the ways back", there_and_back}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // ⌊ratio · n⌋ in doubles, as the published ladder has it.
  static int edges_at(int n, double ratio) { return static_cast<int>(n * ratio); }

  // Calls enter(v) for each vertex, from 0 on, and leave(v, parent) after all vertices below it.
  template <typename Enter, typename Leave>
  static void depth_first(const Problem& problem, Enter enter, Leave leave) {
    const Arcs arcs(problem.N, problem.edges);
    std::vector<char> seen(static_cast<std::size_t>(problem.N));
    std::vector<std::pair<int, std::size_t>> stack;  // a vertex, how many of its arcs are done
    const auto descend = [&](int v) {
      seen[v] = 1;
      stack.emplace_back(v, 0);
      enter(v);
    };
    descend(0);
    while (!stack.empty()) {
      auto& [v, done] = stack.back();
      if (done < arcs.of(v).size()) {
        const int next = arcs.of(v)[done++].to;
        if (seen[next] == 0) descend(next);
        continue;
      }
      const int from = v;
      stack.pop_back();
      if (!stack.empty()) leave(from, stack.back().first);
    }
  }
};
REDQUEEN_ENVIRONMENT(OddVisitation);

}  // namespace
}  // namespace redqueen
