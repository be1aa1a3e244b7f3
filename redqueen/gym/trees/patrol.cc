#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct Patrol {
  static constexpr Card card{
      .name = "Patrol",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Add one or two edges to a tree so that a round trip over all edges, the added ones "
          "exactly once, is as short as possible.",
      .levels =
          "The tree has 4 vertices; their number grows by a tenth and one each level. Beyond level "
          "45 it only gets longer.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Trees are long or bushy to different degrees, and of several draws every answer is as "
          "likely. Two edges are added in three of four problems. From 9 vertices on, no longest "
          "path begins at vertex 1, and two added edges do not close two paths without a common "
          "edge.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "A small tree has few answers: 4 and 5 with four vertices. Up to level 5, two longest "
          "paths without a common edge are often best.",
      .guess_until_level = 5,
      .source = "APIO 2010: Patrol",
      .max_level = 45,
  };

  static constexpr int kDraws = 10;
  static constexpr int kManyVertices = 200;
  static constexpr int kRulesFrom = 9;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;  // vertices from 1
    int K = 0;                // edges to add
    REDQUEEN_FIELDS(N, edges, K)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const int added = rng.chance(0.75) ? 2 : 1;
    return draw_spread(
        n < kManyVertices ? kDraws : 2, rng, [&]() -> std::optional<std::pair<Answer, Problem>> {
          Problem problem{.N = n,
                          .edges = relabelled(random_shaped_tree(rng.permutation(n), rng), 1),
                          .K = added};
          disguise_edges(problem.edges, rng);
          const Answer answer = solve(problem);
          if (n >= kRulesFrom &&
              (answer == from_vertex_one(problem) || answer == with_apart_paths(problem))) {
            return std::nullopt;
          }
          return std::pair(answer, std::move(problem));
        });
  }

  static Problem published(const Config& config, Rng& rng) {
    return {.N = config.N,
            .edges = relabelled(draw_connected_edges(config.N, 0, rng), 1),
            .K = static_cast<int>(rng.integer(1, 2))};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, problem.edges, 1));
    return within("K", problem.K, 1, 2);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 1 to {} and these edges, each given by its two ends:\n"
        "{}\n"
        "{} between any vertices; an added edge may join a vertex with itself, or two vertices "
        "that have an edge already. Then a walk along edges starts at vertex 1 and ends there. It "
        "uses each edge of the tree at least once and each added edge exactly once. What is the "
        "least number of steps of such a walk, when the added edges are chosen as well as "
        "possible? Each use of an edge is a step.\n"
        "Answer with one integer.",
        problem.N, format_edges(problem.edges),
        problem.K == 1 ? "One edge is added" : "Two edges are added");
  }

  static double score(const Problem&, Answer answer, Answer right) {
    return exact_reward(answer == right);
  }

  // An added edge closes a path of the tree, whose edges are then walked along once instead of
  // twice; edges on both of two closed paths are walked along twice again.
  static Answer solve(const Problem& problem) {
    const std::vector<Edge> edges = relabelled(problem.edges, -1);
    const std::vector<int> path = longest_path(problem.N, edges);
    const Answer saved = std::ssize(path) - 1;
    if (problem.K == 1) return 2 * problem.N - 1 - saved;
    return 2 * problem.N - saved - heaviest_path(problem.N, edges, path, -1);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(problem.N, 2 * problem.N);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the longest path from vertex 1", format_answer(from_vertex_one(problem))},
            {"each edge twice, and the added ones", format_answer(2 * problem.N - 2 + problem.K)},
            {"each edge once, and the added ones", format_answer(problem.N - 1 + problem.K)},
            {"two longest paths without a common edge", format_answer(with_apart_paths(problem))}};
  }

 private:
  // The greatest sum over a path, where edges of `marked`, a path, count `weight` and others 1; a
  // single vertex has 0.
  static Answer heaviest_path(int n, const std::vector<Edge>& edges, const std::vector<int>& marked,
                              int weight) {
    std::vector<char> is_marked(static_cast<std::size_t>(n));
    for (const int v : marked) is_marked[v] = 1;
    const RootedTree tree = *root_tree(n, edges, marked.front());
    std::vector<int> down(static_cast<std::size_t>(n));  // the most from a vertex downwards
    int best = 0;
    for (std::size_t i = tree.order.size() - 1; i > 0; --i) {
      const int v = tree.order[i];
      const int parent = tree.parent[v];
      const int arm = down[v] + (is_marked[v] != 0 ? weight : 1);
      best = std::max(best, down[parent] + arm);
      down[parent] = std::max(down[parent], arm);
    }
    return best;
  }

  // As if one path had to begin at vertex 1.
  static Answer from_vertex_one(const Problem& problem) {
    const std::vector<Edge> edges = relabelled(problem.edges, -1);
    const RootedTree tree = *root_tree(problem.N, edges, 0);
    const std::vector<int> path = path_to_root(tree, tree.order.back());
    const Answer saved = std::ssize(path) - 1;
    if (problem.K == 1) return 2 * problem.N - 1 - saved;
    return 2 * problem.N - saved - heaviest_path(problem.N, edges, path, -1);
  }

  // As if no edge could lie on both paths; 0 for one path.
  static Answer with_apart_paths(const Problem& problem) {
    if (problem.K == 1) return 0;
    const std::vector<Edge> edges = relabelled(problem.edges, -1);
    const std::vector<int> path = longest_path(problem.N, edges);
    const Answer saved = std::ssize(path) - 1;
    return 2 * problem.N - saved - heaviest_path(problem.N, edges, path, -problem.N);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(Patrol);

}  // namespace
}  // namespace redqueen
