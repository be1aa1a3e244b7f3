#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MaxTree_KPathCoverage {
  static constexpr Card card{
      .name = "MaxTree_KPathCoverage",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Find how many vertices of a tree K paths can cover at most.",
      .levels =
          "From 4 vertices, a tenth and one more a level. Beyond level 49, the list of edges would "
          "be too long to read.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Trees are long, bushy or neither, and of several draws every answer is as likely. From "
          "14 vertices on, a problem is drawn again in which all vertices can be covered, all but "
          "single leaves, or as many as by taking the longest path out of the tree K times.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "The answer lies between 2K + 1 and the number of vertices. In trees of up to 12 "
          "vertices, at levels 0 to 7, this leaves few, and simple rules are mostly right. Where "
          "these are wrong, at levels 8 to 10, one of the few answers left is right in a fifth "
          "of the problems or more.",
      .guess_until_level = 10,
      .max_level = 49,
  };

  static constexpr int kFewVertices = 14;
  static constexpr int kDraws = 24;  // among which answers are made as likely

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;
    int K = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, edges, K, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = draw_spread(kDraws, rng, [&]() -> std::optional<std::pair<Answer, Problem>> {
      Problem draft{
          .N = config.N, .edges = drawn_tree(config.N, rng), .K = 0, .reference_answer = 0};
      const std::int64_t leaves = layer_sizes(draft)[0];
      draft.K = static_cast<int>(rng.integer(1, std::max<std::int64_t>(1, (leaves - 1) / 2)));
      draft.reference_answer = most_covered(draft);
      if (config.N >= kFewVertices && some_rule_solves<MaxTree_KPathCoverage>(draft)) {
        return std::nullopt;
      }
      return std::pair{draft.reference_answer, std::move(draft)};
    });
    disguise_edges(problem.edges, rng);
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .edges = draw_connected_edges(config.N, 0, rng),
                    .K = 0,
                    .reference_answer = 0};
    const std::int64_t leaves = layer_sizes(problem)[0];
    problem.K = static_cast<int>(rng.integer(1, std::max<std::int64_t>(1, leaves / 2 - 1)));
    problem.reference_answer = most_covered(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, problem.edges));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N));
    return reference_is("reference_answer", problem.reference_answer, most_covered(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 0 to {}, {} in all, and these edges, each given by its two ends:\n"
        "{}\n"
        "Choose {} {} in this tree; a path leads from a vertex to a different one without going "
        "back, and covers all vertices on it, both ends included. {}How many vertices can be "
        "covered at most?\n"
        "Answer with one integer.",
        problem.N - 1, problem.N, format_edges(problem.edges), problem.K,
        problem.K == 1 ? "path" : "paths",
        problem.K == 1 ? ""
                       : "The paths may share vertices; a vertex that several of them cover counts "
                         "once. ");
  }

  static double score(const Problem& problem, Answer answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(std::min(problem.N, problem.K + 1), problem.N);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::int64_t leaves = layer_sizes(problem)[0];
    return {{"all vertices", problem.N},
            {"all but the leaves that are no ends",
             problem.N - std::max<std::int64_t>(0, leaves - 2 * problem.K)},
            {"the longest path, K times taken out", apart(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"all vertices but one", format_answer(problem.N - 1)});
    return named;
  }

 private:
  // Some vertices become the beginning of a path that hangs on to them, so that branches are long.
  static std::vector<Edge> drawn_tree(int n, Rng& rng) {
    const std::vector<int> order = rng.permutation(n);
    const auto inner = static_cast<std::size_t>(rng.integer(1 + n / 4, n));
    std::vector<Edge> edges = random_shaped_tree(std::span(order).first(inner), rng);
    std::vector<int> ends(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(inner));
    for (std::size_t i = inner; i < order.size(); ++i) {
      int& end = rng.choice(ends);
      edges.emplace_back(end, order[i]);
      end = order[i];
    }
    return edges;
  }

  // All leaves are taken off again and again: how many vertices each time.
  static std::vector<std::int64_t> layer_sizes(const Problem& problem) {
    std::vector<int> degrees(static_cast<std::size_t>(problem.N));
    std::vector<int> links(degrees.size());  // XOR of the neighbours that are left
    for (const auto& [a, b] : problem.edges) {
      ++degrees[a];
      ++degrees[b];
      links[a] ^= b;
      links[b] ^= a;
    }
    std::vector<std::pair<int, int>> leaves;  // and their layers
    for (int v = 0; v < problem.N; ++v) {
      if (degrees[v] == 1) leaves.emplace_back(v, 0);
    }
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const auto [v, layer] = leaves[i];
      sizes.resize(static_cast<std::size_t>(layer) + 1);
      ++sizes[layer];
      if (degrees[v] == 0) continue;  // the last one
      const int neighbour = links[v];
      links[neighbour] ^= v;
      if (--degrees[neighbour] == 1) leaves.emplace_back(neighbour, layer + 1);
    }
    return sizes;
  }

  // 2K leaves are ends, of which each covers one vertex of a layer at most.
  static Answer most_covered(const Problem& problem) {
    Answer covered = 0;
    for (const std::int64_t size : layer_sizes(problem)) {
      covered += std::min<std::int64_t>(size, 2 * std::int64_t{problem.K});
    }
    return covered;
  }

  // The sum of the longest path, the longest of those without vertices of it, and so on.
  static Answer apart(const Problem& problem) {
    const RootedTree tree = *root_tree(problem.N, problem.edges, 0);
    std::vector<char> taken(tree.order.size());
    Answer sum = 0;
    for (int k = 0; k < problem.K; ++k) {
      std::vector<int> down(tree.order.size(), 0);    // vertices on the longest way down
      std::vector<int> child(tree.order.size(), -1);  // where it goes
      int longest = 0;
      std::array<int, 3> best{-1, -1, -1};  // the top vertex, and the two below it
      for (std::size_t i = tree.order.size(); i-- > 0;) {
        const int v = tree.order[i];
        if (taken[v]) continue;
        if (++down[v] > longest) {
          longest = down[v];
          best = {v, child[v], -1};
        }
        const int parent = tree.parent[v];
        if (parent < 0 || taken[parent]) continue;
        if (down[parent] + down[v] + 1 > longest) {
          longest = down[parent] + down[v] + 1;
          best = {parent, child[parent], v};
        }
        if (down[v] > down[parent]) {
          down[parent] = down[v];
          child[parent] = v;
        }
      }
      sum += longest;
      if (longest > 0) taken[best[0]] = 1;
      for (int v : {best[1], best[2]}) {
        for (; v >= 0; v = child[v]) taken[v] = 1;
      }
    }
    return sum;
  }
};
REDQUEEN_ENVIRONMENT(MaxTree_KPathCoverage);

}  // namespace
}  // namespace redqueen
