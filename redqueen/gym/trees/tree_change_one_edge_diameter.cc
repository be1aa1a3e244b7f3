#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct TreeChangeOneEdgeDiameter {
  static constexpr Card card{
      .name = "TreeChangeOneEdgeDiameter",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kQuality,
      .task =
          "Replace one edge of a tree so that its diameter becomes as small, or as great, as "
          "possible.",
      .levels = "The tree has 4 vertices, and one more each level.",
      .rewards =
          "-1 malformed or not four numbers, -0.5 no edge of the tree or the result is no tree, "
          "else (least diameter / diameter)^5 or (diameter / greatest diameter)^5.",
      .differences =
          "Trees are long or bushy to different degrees, and putting an edge back is never right. "
          "From 7 vertices on, and mostly with 6, a problem is drawn again that is solved by "
          "moving an end of the longest path to its middle, by cutting that path in its middle and "
          "joining the middles, or by moving an end of the tree to that of the longest path.",
      .slow_reason = SlowReason::kStricter,
      .source = "POI XXII (2014/15): Modernizacja autostrady (MOD)",
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kRulesFrom = 6;
  static constexpr double kStrictWithSix = 0.6;  // few such trees are left
  static constexpr int kDraws = 300;
  static constexpr std::string_view kMinimise = "minimize";
  static constexpr std::string_view kMaximise = "maximize";

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;  // vertices from 1
    std::string minimize_or_maximize;
    int gold_answer = 0;  // the best diameter
    REDQUEEN_FIELDS(N, edges, minimize_or_maximize, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // u1 v1 u2 v2

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::string_view goal = rng.chance(0.5) ? kMinimise : kMaximise;
    const bool strict =
        config.N > kRulesFrom || (config.N == kRulesFrom && rng.chance(kStrictWithSix));
    return draw_accepted(
        kDraws,
        [&] {
          Problem problem{
              .N = config.N,
              .edges = relabelled(random_shaped_tree(rng.permutation(config.N), rng), 1),
              .minimize_or_maximize = std::string(goal)};
          disguise_edges(problem.edges, rng);
          problem.gold_answer = best_cut(problem).diameter;
          return problem;
        },
        [&](const Problem& problem) {
          if (strict) return !some_rule_solves<TreeChangeOneEdgeDiameter>(problem);
          return problem.gold_answer != diameter(problem.N, relabelled(problem.edges, -1));
        });
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .edges = relabelled(draw_connected_edges(config.N, 0, rng), 1),
                    .minimize_or_maximize = std::string(rng.chance(0.5) ? kMinimise : kMaximise)};
    problem.gold_answer = best_cut(problem).diameter;
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, problem.edges, 1));
    if (problem.minimize_or_maximize != kMinimise && problem.minimize_or_maximize != kMaximise) {
      return failure("\"minimize_or_maximize\": expected one of these two words");
    }
    return reference_is("gold_answer", problem.gold_answer, best_cut(problem).diameter);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 1 to {} and these edges, each given by its two ends:\n"
        "{}\n"
        "The diameter of a tree is the number of edges on a longest path. Remove one edge of the "
        "tree, between vertices a and b, and then add one edge, between vertices c and d, such "
        "that the result is a tree again; the added edge may be the removed one. The diameter of "
        "the resulting tree is to be as {} as possible. If there are several ways, any of them "
        "will do.\n"
        "Answer with a, b, c and d in this order on one line, separated by spaces.",
        problem.N, format_edges(problem.edges), minimises(problem) ? "small" : "great");
  }

  static std::optional<Answer> parse(std::string_view text) {
    auto answer = parse_int_list(text);
    if (answer && answer->size() != 4) answer.reset();
    return answer;
  }

  static double score(const Problem& problem, const Answer& answer) {
    for (const std::int64_t vertex : answer) {
      if (vertex < 1 || vertex > problem.N) return kInvalidReward;
    }
    const auto vertex = [&](int i) { return static_cast<int>(answer[i]); };
    const Edge removed = std::minmax(vertex(0), vertex(1));
    std::vector<Edge> edges = problem.edges;
    const auto place = std::ranges::find_if(edges, [&](const Edge& edge) {
      return Edge(std::minmax(edge.first, edge.second)) == removed;
    });
    if (place == edges.end()) return kInvalidReward;
    *place = {vertex(2), vertex(3)};
    edges = relabelled(edges, -1);
    if (!root_tree(problem.N, edges, 0)) return kInvalidReward;
    const int made = diameter(problem.N, edges);
    return minimises(problem) ? minimise_reward(made, problem.gold_answer, kBeta)
                              : maximise_reward(made, problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    const std::vector<Edge> edges = relabelled(problem.edges, -1);
    const Edge removed = edges[best_cut(problem).edge];
    const auto [first, second] = parts(problem.N, edges, removed);
    return minimises(problem)
               ? answer_of(removed, first[first.size() / 2], second[second.size() / 2])
               : answer_of(removed, first.front(), second.front());
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const Edge removed = rng.choice(problem.edges);
    return {removed.first, removed.second, rng.integer(1, problem.N), rng.integer(1, problem.N)};
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::vector<Edge> edges = relabelled(problem.edges, -1);
    const std::vector<int> path = longest_path(problem.N, edges);
    const std::size_t middle = path.size() / 2;
    const Edge halves(path[middle - 1], path[middle]);
    const auto [first, second] = parts(problem.N, edges, halves);
    // An end of the tree that the longest path leaves out, if there is one, moves to its end.
    const std::vector<int> degree = degrees(problem.N, edges);
    Edge loose(path[0], path[1]);
    for (const auto& [u, v] : edges) {
      const int leaf = degree[u] == 1 ? u : v;
      if (degree[leaf] != 1 || leaf == path.front() || leaf == path.back()) continue;
      loose = {leaf, u + v - leaf};
    }
    return {{"an edge put back", answer_of(edges[0], edges[0].first, edges[0].second)},
            {"an end of the longest path moved to its middle",
             answer_of({path[0], path[1]}, path[0], path[middle])},
            {"the longest path cut in its middle, and the middles joined",
             answer_of(halves, first[first.size() / 2], second[second.size() / 2])},
            {"an end of the tree moved to an end of the longest path",
             answer_of(loose, loose.first, path.back())}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  struct Cut {
    int edge = 0;
    int diameter = 0;  // the best after another edge has been added
  };

  static bool minimises(const Problem& problem) {
    return problem.minimize_or_maximize == kMinimise;
  }

  static Answer answer_of(Edge removed, int from, int to) {
    return {removed.first + 1, removed.second + 1, from + 1, to + 1};
  }

  static int diameter(int n, const std::vector<Edge>& edges) {
    return static_cast<int>(longest_path(n, edges).size()) - 1;
  }

  // Two parts of diameters a and b are joined to the least diameter at their middles, to the
  // greatest at ends of their longest paths. O(N²).
  static Cut best_cut(const Problem& problem) {
    const RootedTree tree = *root_tree(problem.N, relabelled(problem.edges, -1), 0);
    Cut best{.edge = -1};
    std::vector<int> height(problem.N);
    std::vector<int> widest(problem.N);  // the diameter of what is merged into a vertex
    for (int cut = 1; cut < problem.N; ++cut) {
      std::ranges::fill(height, 0);
      std::ranges::fill(widest, 0);
      const int below = tree.order[cut];
      for (std::size_t i = tree.order.size() - 1; i > 0; --i) {
        const int v = tree.order[i];
        if (v == below) continue;
        const int p = tree.parent[v];
        widest[p] = std::max({widest[p], widest[v], height[p] + height[v] + 1});
        height[p] = std::max(height[p], height[v] + 1);
      }
      const int a = widest[below];
      const int b = widest[0];
      const int joined =
          minimises(problem) ? std::max({a, b, (a + 1) / 2 + (b + 1) / 2 + 1}) : a + b + 1;
      const bool better = minimises(problem) ? joined < best.diameter : joined > best.diameter;
      if (best.edge < 0 || better) best = {.edge = tree.edge[below], .diameter = joined};
    }
    return best;
  }

  // A longest path of each of the two parts that are left without an edge.
  static std::pair<std::vector<int>, std::vector<int>> parts(int n, const std::vector<Edge>& edges,
                                                             Edge removed) {
    const RootedTree tree = *root_tree(n, edges, removed.first);
    std::vector<char> is_second(static_cast<std::size_t>(n));
    for (const int v : tree.order) {
      is_second[v] = v == removed.second || (v != removed.first && is_second[tree.parent[v]] != 0);
    }
    const auto longest_of = [&](bool second) {
      std::vector<int> members;
      std::vector<int> label(static_cast<std::size_t>(n));
      std::vector<Edge> inner;
      for (const int v : tree.order) {  // parents first
        if ((is_second[v] != 0) != second) continue;
        label[v] = static_cast<int>(members.size());
        if (!members.empty()) inner.emplace_back(label[tree.parent[v]], label[v]);
        members.push_back(v);
      }
      std::vector<int> path = longest_path(static_cast<int>(members.size()), inner);
      for (int& v : path) v = members[v];
      return path;
    };
    return {longest_of(false), longest_of(true)};
  }
};
REDQUEEN_ENVIRONMENT(TreeChangeOneEdgeDiameter);

}  // namespace
}  // namespace redqueen
