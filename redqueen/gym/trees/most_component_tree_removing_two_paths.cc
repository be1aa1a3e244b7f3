#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct MostComponentTreeRemovingTwoPaths {
  static constexpr Card card{
      .name = "MostComponentTreeRemovingTwoPaths",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Remove two paths without a common edge from a tree so that as many components as "
          "possible are left.",
      .levels =
          "The tree has 4 vertices; their number grows by a tenth and one each level. Beyond level "
          "45 it only gets longer.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Trees are long or bushy to different degrees, and of several draws every answer is as "
          "likely. In half of the problems with 7 to 11 vertices and in all larger ones, removing "
          "two vertices, one path or all but the leaves is not the best.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "A small tree has few answers: two with 4 vertices, four with 6. Up to level 8, the "
          "two vertices with most edges are often right.",
      .guess_until_level = 8,
      .max_level = 45,
  };

  static constexpr int kDraws = 8;
  static constexpr int kManyVertices =
      100;  // of which a draw is dear, and repeats an answer rarely
  static constexpr int kRulesFrom = 12;
  static constexpr int kHalfStrictFrom = 7;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;  // vertices from 1
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, edges, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const bool strict = n >= kRulesFrom || (n >= kHalfStrictFrom && rng.chance(0.5));
    return draw_spread(n < kManyVertices ? kDraws : 1, rng,
                       [&]() -> std::optional<std::pair<Answer, Problem>> {
                         Problem problem{.N = n};
                         problem.edges = relabelled(random_shaped_tree(rng.permutation(n), rng), 1);
                         disguise_edges(problem.edges, rng);
                         const Answer answer = most_components(n, problem.edges);
                         const auto simple = simple_answers(problem);
                         if (strict && std::ranges::count(simple, answer) > 0) {
                           return std::nullopt;
                         }
                         problem.reference_answer = answer;
                         return std::pair(answer, std::move(problem));
                       });
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .edges = relabelled(draw_connected_edges(config.N, 0, rng), 1)};
    problem.reference_answer = most_components(config.N, problem.edges);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, problem.edges, 1));
    return reference_is("reference_answer", problem.reference_answer,
                        most_components(problem.N, problem.edges));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 1 to {} and these edges, each given by its two ends:\n"
        "{}\n"
        "A path of the tree consists of the vertices and the edges between two vertices a and b, "
        "these included; if a = b, it is one vertex. Choose two paths that have no edge in common; "
        "they may have vertices in common. Then all vertices of both paths are removed, and with "
        "them all edges that end there. What is the greatest number of connected components that "
        "can be left?\n"
        "Answer with one integer.",
        problem.N, format_edges(problem.edges));
  }

  static double score(const Problem& problem, Answer answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, problem.N - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto simple = simple_answers(problem);
    return {{"two vertices with most edges", format_answer(simple[0])},
            {"the number of leaves", format_answer(simple[1])},
            {"one path", format_answer(simple[2])},
            {"half of the vertices", format_answer(problem.N / 2)}};
  }

 private:
  static constexpr std::int64_t kNone = -1'000'000;  // no such path

  // Sums of (edges of v − 2) over paths below a vertex.
  struct Below {
    std::int64_t down = 0;     // that begin at the vertex
    std::int64_t through = 0;  // that contain it
    std::int64_t avoiding = kNone;
    std::int64_t any() const { return std::max(through, avoiding); }
  };

  // Without a set S of vertices, a tree has 1 + Σ_S (edges − 1) − (edges within S) components, so
  // that a path leaves 2 + Σ (edges − 2). Of two paths, these are 2 + Σ over their union if it is
  // connected, else 3 + Σ.
  static std::int64_t most_components(int n, const std::vector<Edge>& edges_from_one) {
    const std::vector<Edge> edges = relabelled(edges_from_one, -1);
    const std::vector<int> degree = degrees(n, edges);
    std::int64_t best = 0;
    // Of every edge, what lies on the side of its first and of its second end.
    std::vector<std::array<Below, 2>> sides(edges.size());
    for (int root = 0; root < n; ++root) {
      const RootedTree tree = *root_tree(n, edges, root);
      const std::vector<Below> below = paths_below(tree, degree);
      std::array<std::int64_t, 4> arms{};  // the greatest, in descending order
      for (const int v : tree.order) {
        if (v == root) continue;
        if (tree.parent[v] != root) break;  // children of the root come first
        sides[tree.edge[v]][edges[tree.edge[v]].second == v ? 1 : 0] = below[v];
        std::int64_t arm = below[v].down;
        for (std::int64_t& place : arms) {
          if (arm > place) std::swap(arm, place);
        }
      }
      best = std::max(best, degree[root] + arms[0] + arms[1] + arms[2] + arms[3]);
    }
    for (const auto& [a, b] : sides) {
      best = std::max(
          {best, a.through + b.through + 2, a.any() + b.avoiding + 3, a.avoiding + b.any() + 3});
    }
    return best;
  }

  static std::vector<Below> paths_below(const RootedTree& tree, const std::vector<int>& degree) {
    std::vector<Below> below(degree.size());
    for (std::size_t v = 0; v < degree.size(); ++v) {
      below[v].down = below[v].through = degree[v] - 2;
    }
    for (std::size_t i = tree.order.size() - 1; i > 0; --i) {
      const Below& child = below[tree.order[i]];
      Below& parent = below[tree.parent[tree.order[i]]];
      const std::int64_t own = degree[tree.parent[tree.order[i]]] - 2;
      parent.through = std::max(parent.through, parent.down + child.down);
      parent.down = std::max(parent.down, own + child.down);
      parent.avoiding = std::max(parent.avoiding, child.any());
    }
    return below;
  }

  static std::array<std::int64_t, 3> simple_answers(const Problem& problem) {
    const std::vector<Edge> edges = relabelled(problem.edges, -1);
    std::vector<int> degree = degrees(problem.N, edges);
    const std::int64_t leaves = std::ranges::count(degree, 1);
    const std::int64_t path = 2 + paths_below(*root_tree(problem.N, edges, 0), degree)[0].any();
    const auto top = std::ranges::max_element(degree) - degree.begin();
    std::int64_t two = 0;
    for (int v = 0; v < problem.N; ++v) {
      if (v == top) continue;
      const Edge pair = std::minmax(static_cast<int>(top), v);
      const bool adjacent = std::ranges::count_if(edges, [&](const Edge& edge) {
                              return Edge(std::minmax(edge.first, edge.second)) == pair;
                            }) > 0;
      two = std::max<std::int64_t>(two, degree[top] + degree[v] - (adjacent ? 2 : 1));
    }
    return {two, leaves, path};
  }
};
REDQUEEN_ENVIRONMENT(MostComponentTreeRemovingTwoPaths);

}  // namespace
}  // namespace redqueen
