#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct TreeMaximumVisitedVertex {
  static constexpr Card card{
      .name = "TreeMaximumVisitedVertex",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task = "Visit as many vertices of a tree as possible with a walk of given length.",
      .levels =
          "The tree has 3 vertices; their number grows by a tenth and one each level. Beyond level "
          "50 it only gets longer.",
      .rewards =
          "-1 malformed or empty, -0.5 no walk of this length from vertex 0, else (visited "
          "vertices / the most that can be)^3.",
      .differences =
          "Trees are long or bushy to different degrees. From 5 vertices on, the walk is longer "
          "than the deepest path and too short to visit all vertices, and a problem is drawn again "
          "that is solved by a depth-first tour that takes branches by their labels or the deepest "
          "first.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 50,
  };

  static constexpr double kBeta = 3.0;
  static constexpr int kRulesFrom = 5;
  static constexpr int kDraws = 200;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int M = 0;                // steps
    std::vector<Edge> edges;  // vertices from 0
    REDQUEEN_FIELDS(N, M, edges)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const bool small = n < kRulesFrom;
    for (int draw = 0; draw < kDraws; ++draw) {
      Problem problem{.N = n, .M = 0, .edges = random_shaped_tree(rng.permutation(n), rng)};
      disguise_edges(problem.edges, rng);
      const int depth = std::ranges::max(depths(*root_tree(n, problem.edges, 0)));
      const int shortest = small ? 2 : depth + 2;
      const int longest = 2 * (n - 1) - (small ? 1 : depth + 1);
      if (shortest > longest) continue;
      problem.M = static_cast<int>(rng.integer(shortest, longest));
      if (small || !some_rule_solves<TreeMaximumVisitedVertex>(problem)) return problem;
    }
    throw Retry();
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    return {.N = n,
            .M = static_cast<int>(rng.integer(2, 2 * (n - 1) - 1)),
            .edges = draw_connected_edges(n, 0, rng)};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, problem.edges));
    return within("M", problem.M, 1, 2 * problem.N);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 0 to {} and these edges, each given by its two ends:\n"
        "{}\n"
        "A walk starts at vertex 0 and makes exactly {} steps; each step goes from a vertex to a "
        "neighbour of it, and vertices and edges may be used again. Find a walk that visits as "
        "many different vertices as possible, vertex 0 included.\n"
        "Answer with the {} vertices of the walk in order on one line, separated by spaces; the "
        "first is 0.",
        problem.N - 1, format_edges(problem.edges), problem.M, problem.M + 1);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.empty()) return kMalformedReward;
    if (std::ssize(answer) != problem.M + 1 || answer[0] != 0) return kInvalidReward;
    const RootedTree tree = *root_tree(problem.N, problem.edges, 0);
    std::vector<char> seen(problem.N);
    seen[0] = 1;
    for (std::size_t i = 1; i < answer.size(); ++i) {
      const std::int64_t from = answer[i - 1];
      const std::int64_t to = answer[i];
      if (to < 0 || to >= problem.N) return kInvalidReward;
      if (tree.parent[to] != from && tree.parent[from] != to) return kInvalidReward;
      seen[to] = 1;
    }
    return maximise_reward(static_cast<int>(std::ranges::count(seen, 1)), most(problem, tree),
                           kBeta);
  }

  // Down the deepest path, with as many detours as fit: each of their vertices costs two steps.
  static Answer solve(const Problem& problem) {
    const RootedTree tree = *root_tree(problem.N, problem.edges, 0);
    const int deepest = tree.order.back();
    int detours = most(problem, tree) - depths(tree)[deepest] - 1;
    std::vector<char> on_path(problem.N);
    for (const int v : path_to_root(tree, deepest)) on_path[v] = 1;
    std::vector<char> kept = on_path;
    for (const int v : tree.order) {  // a vertex is kept only with its parent
      if (kept[v] == 0 && detours-- > 0) kept[v] = 1;
    }
    std::vector<int> order;  // of branches: the path comes last
    for (const int v : tree.order) {
      if (kept[v] != 0 && on_path[v] == 0) order.push_back(v);
    }
    for (const int v : tree.order) {
      if (on_path[v] != 0) order.push_back(v);
    }
    return tour(problem, tree, order);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<std::vector<int>> neighbours(problem.N);
    for (const auto& [u, v] : problem.edges) {
      neighbours[u].push_back(v);
      neighbours[v].push_back(u);
    }
    Answer walk{0};
    for (int step = 0; step < problem.M; ++step) {
      walk.push_back(rng.choice(neighbours[walk.back()]));
    }
    return walk;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const RootedTree tree = *root_tree(problem.N, problem.edges, 0);
    std::vector<int> height(problem.N);
    for (std::size_t i = tree.order.size() - 1; i > 0; --i) {
      const int v = tree.order[i];
      height[tree.parent[v]] = std::max(height[tree.parent[v]], height[v] + 1);
    }
    std::vector<int> order = tree.order;
    std::ranges::sort(order);
    std::vector<SimpleRule<Answer>> list{
        {"a depth-first tour by ascending labels", tour(problem, tree, order)}};
    std::ranges::reverse(order);
    list.push_back({"a depth-first tour by descending labels", tour(problem, tree, order)});
    std::ranges::stable_sort(order, std::greater(), [&](int v) { return height[v]; });
    list.push_back({"a depth-first tour by the deepest branch", tour(problem, tree, order)});
    return list;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    const RootedTree tree = *root_tree(problem.N, problem.edges, 0);
    Answer shuttle;
    for (int i = 0; i <= problem.M; ++i) shuttle.push_back(i % 2 == 0 ? 0 : tree.order[1]);
    named.push_back({"to and fro between two vertices", format_answer(shuttle)});
    return named;
  }

 private:
  // Of vertices that a walk can visit.
  static int most(const Problem& problem, const RootedTree& tree) {
    const int depth = depths(tree)[tree.order.back()];
    if (problem.M <= depth) return problem.M + 1;
    return std::min(problem.N, depth + 1 + (problem.M - depth) / 2);
  }

  // A depth-first walk over the vertices in `order`, the children of a vertex in this order, cut to
  // M steps. What is left at its end is spent by going to and fro.
  static Answer tour(const Problem& problem, const RootedTree& tree,
                     const std::vector<int>& order) {
    std::vector<std::vector<int>> children(problem.N);  // the first to be visited at the end
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
      if (*v != 0) children[tree.parent[*v]].push_back(*v);
    }
    Answer walk{0};
    std::size_t seen = 1;
    const std::size_t length = static_cast<std::size_t>(problem.M) + 1;
    for (int v = 0; walk.size() < length && seen < order.size();) {
      if (children[v].empty()) {
        v = tree.parent[v];
      } else {
        const int child = children[v].back();
        children[v].pop_back();
        v = child;
        ++seen;
      }
      walk.push_back(v);
    }
    while (walk.size() < length) walk.push_back(walk[walk.size() - 2]);
    return walk;
  }
};
REDQUEEN_ENVIRONMENT(TreeMaximumVisitedVertex);

}  // namespace
}  // namespace redqueen
