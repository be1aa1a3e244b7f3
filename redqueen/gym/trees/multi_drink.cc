#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct MultiDrink {
  static constexpr Card card{
      .name = "MultiDrink",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task = "Put the vertices of a tree in an order in which neighbours are near in the tree.",
      .levels = "The tree has 4 vertices, and one more each level.",
      .rewards =
          "-1 malformed, -0.5 not every vertex once, else (steps over one or two edges / steps)^5.",
      .differences =
          "From 6 vertices on, a problem is drawn again that is solved by a breadth-first or a "
          "depth-first order, and from 8 on, by a longest path with what hangs at it.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Where such an order exists with up to 7 vertices, at levels 0 to 3, all vertices off "
          "a longest path have a neighbour on it, and listing them after this neighbour is right.",
      .guess_until_level = 3,
      .source = "POI XX (2012/13): Multidrink (MUL)",
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kRulesFrom = 6;
  static constexpr int kHangingFrom = 8;  // of smaller trees, one at most defeats the last rule
  static constexpr int kDraws = 300;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;       // vertices from 0
    std::string reference_answer;  // an order, planted
    REDQUEEN_FIELDS(N, edges, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config.N, rng); },
        [&](const Problem& problem) {
          if (config.N >= kHangingFrom) return !some_rule_solves<MultiDrink>(problem);
          const auto list = rules(problem);
          return config.N < kRulesFrom || (score(problem, list[0].answer) < kSolvedReward &&
                                           score(problem, list[1].answer) < kSolvedReward);
        });
  }

  static Problem published(const Config& config, Rng& rng) { return draw(config.N, rng); }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, problem.edges));
    const auto order = parse_int_list(problem.reference_answer);
    if (!order || score(problem, *order) < kSolvedReward) {
      return failure("\"reference_answer\": not an order of the vertices with short steps");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 0 to {} and these edges, each given by its two ends:\n"
        "{}\n"
        "Write down all its vertices, each exactly once, in an order in which any two vertices "
        "that follow each other are joined by an edge or have a common neighbour. Such an order "
        "exists; any one will do.\n"
        "Answer with the {} vertices in this order on one line, separated by spaces.",
        problem.N - 1, format_edges(problem.edges), problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer)) return kInvalidReward;
    const RootedTree tree = *root_tree(problem.N, problem.edges, 0);
    const auto parent = [&](std::int64_t v) { return v < 0 ? -1 : tree.parent[v]; };
    std::int64_t near = 0;
    for (std::size_t i = 1; i < answer.size(); ++i) {
      const std::int64_t a = answer[i - 1];
      const std::int64_t b = answer[i];
      near += parent(a) == b || parent(b) == a || parent(a) == parent(b) ||
              parent(parent(a)) == b || parent(parent(b)) == a;
    }
    return share_reward(near, problem.N - 1, kBeta);
  }

  static Answer solve(const Problem& problem) { return *parse_int_list(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer order = ascending_order(problem.N);
    rng.shuffle(order);
    return order;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::vector<int> path = longest_path(problem.N, problem.edges);
    const RootedTree from_end = *root_tree(problem.N, problem.edges, path.front());
    std::vector<char> on_path(problem.N);
    for (const int v : path) on_path[v] = 1;
    return {{"a breadth-first order from an end of a longest path",
             Answer(from_end.order.begin(), from_end.order.end())},
            {"a depth-first order", depth_first(*root_tree(problem.N, problem.edges, 0), {})},
            {"a longest path, after each vertex what hangs at it", depth_first(from_end, on_path)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Two sequences are joined, again and again, by an edge from an end of one to an end of the other
  // or to a neighbour of it.
  static Problem draw(int n, Rng& rng) {
    Problem problem{.N = n};
    std::vector<std::vector<int>> neighbours(n);
    std::vector<std::vector<int>> sequences(n);
    std::vector<int> sequence_of(n);
    for (int v = 0; v < n; ++v) {
      sequences[v] = {v};
      sequence_of[v] = v;
    }
    for (int joined = 1; joined < n;) {
      const int first = sequence_of[rng.below(n)];
      const int second = sequence_of[rng.below(n)];
      if (first == second) continue;
      int from = sequences[first].back();
      int to = sequences[second].front();
      if (rng.chance(0.5)) std::swap(from, to);
      const std::size_t choice = rng.below(neighbours[to].size() + 1);
      if (choice > 0) to = neighbours[to][choice - 1];
      problem.edges.emplace_back(from, to);
      neighbours[from].push_back(to);
      neighbours[to].push_back(from);
      for (const int v : sequences[second]) {
        sequence_of[v] = first;
        sequences[first].push_back(v);
      }
      ++joined;
    }
    disguise_edges(problem.edges, rng);
    problem.reference_answer = format_answer(sequences[sequence_of[0]]);
    return problem;
  }

  // Of the children of a vertex, those that are marked `last` come last.
  static Answer depth_first(const RootedTree& tree, const std::vector<char>& last) {
    std::vector<std::vector<int>> children(tree.order.size());
    for (const int v : tree.order) {
      if (tree.parent[v] < 0) continue;
      std::vector<int>& siblings = children[tree.parent[v]];
      const bool is_last = !last.empty() && last[v] != 0;
      siblings.insert(is_last ? siblings.begin() : siblings.end(), v);
    }
    Answer order;
    std::vector<int> open{tree.order.front()};
    while (!open.empty()) {
      const int v = open.back();
      open.pop_back();
      order.push_back(v);
      open.insert(open.end(), children[v].begin(), children[v].end());
    }
    return order;
  }
};
REDQUEEN_ENVIRONMENT(MultiDrink);

}  // namespace
}  // namespace redqueen
