#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MaxTreeXorPath {
  static constexpr Card card{
      .name = "MaxTreeXorPath",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Find two vertices of a tree with weighted edges such that the XOR of the weights on the "
          "path between them is as large as possible.",
      .levels =
          "From 4 vertices, a tenth and one more a level; the weights have at least 4 bits and "
          "exceed twice the number of vertices. Beyond level 49, the list of edges would be too "
          "long to read.",
      .rewards =
          "-1 malformed or a vertex that does not exist, else (XOR of the path / greatest XOR)^5.",
      .differences =
          "Trees are long, bushy or neither. From 6 vertices on, a problem is drawn again that is "
          "solved by the ends of the heaviest edge, by the path with most edges or most weight, or "
          "by the best path that begins at vertex 0.",
      .small_answer_space =
          "Four vertices, at level 0, have six pairs, most of which earn something.",
      .guess_until_level = 0,
      .source = "The xor-longest Path, POJ 3764",
      .max_level = 49,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewVertices = 6;
  static constexpr int kDraws = 500;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, edges, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // two vertices

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] { return drawn(config.N, random_shaped_tree(rng.permutation(config.N), rng), rng); },
        [&](const Problem& draft) {
          return config.N < kFewVertices || !some_rule_solves<MaxTreeXorPath>(draft);
        });
  }

  static Problem published(const Config& config, Rng& rng) {
    return drawn(config.N, random_recursive_tree(rng.permutation(config.N), rng), rng);
  }

  static Problem drawn(int n, std::vector<Edge> tree, Rng& rng) {
    std::int64_t weights = 16;
    while (weights <= 2 * n) weights *= 2;
    Problem problem{
        .N = n, .edges = weigh_edges(std::move(tree), 1, weights - 2, rng), .gold_answer = 0};
    problem.gold_answer = value_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, ends_of(problem.edges)));
    for (const auto& [a, b, weight] : problem.edges) {
      RETURN_IF_ERROR(within("edges", weight, 1, kMaxWeight));
    }
    return reference_is("gold_answer", problem.gold_answer, value_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 0 to {} and these edges, each given by its two ends and its "
        "weight:\n"
        "{}\n"
        "Find two vertices u and v such that the bitwise XOR of the weights of all edges on the "
        "path between u and v is as large as possible.\n"
        "Answer with u and v in any order on one line, separated by a space.",
        problem.N - 1, format_edges(problem.edges));
  }

  static std::optional<Answer> parse(std::string_view text) {
    auto vertices = parse_int_list(text);
    if (vertices && vertices->size() != 2) return std::nullopt;
    return vertices;
  }

  static double score(const Problem& problem, const Answer& answer) {
    for (const std::int64_t v : answer) {
      if (v < 0 || v >= problem.N) return kMalformedReward;
    }
    return maximise_reward(value_of(problem, answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    const std::vector<std::int64_t> values = values_from_root(problem);
    Answer best{0, 0};
    std::int64_t most = 0;
    for (int u = 0; u < problem.N; ++u) {
      for (int v = u + 1; v < problem.N; ++v) {
        if ((values[u] ^ values[v]) <= most) continue;
        most = values[u] ^ values[v];
        best = {u, v};
      }
    }
    return best;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.sample(0, problem.N - 1, 2);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto heaviest = *std::ranges::max_element(
        problem.edges, {}, [](const WeightedEdge& edge) { return std::get<2>(edge); });
    const std::vector<std::int64_t> values = values_from_root(problem);
    Answer from_root{0, std::ranges::max_element(values) - values.begin()};
    return {
        {"the ends of the heaviest edge", {std::get<0>(heaviest), std::get<1>(heaviest)}},
        {"the path with most edges", ends_of_path(longest_path(problem.N, ends_of(problem.edges)))},
        {"the path with most weight", ends_of_path(longest_path(problem.N, problem.edges))},
        {"the best path that begins at vertex 0", from_root}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Of each vertex, the XOR of the path from vertex 0.
  static std::vector<std::int64_t> values_from_root(const Problem& problem) {
    const RootedTree tree = *root_tree(problem.N, ends_of(problem.edges), 0);
    std::vector<std::int64_t> values(tree.order.size());
    for (std::size_t i = 1; i < tree.order.size(); ++i) {
      const int v = tree.order[i];
      values[v] = values[tree.parent[v]] ^ std::get<2>(problem.edges[tree.edge[v]]);
    }
    return values;
  }

  static std::int64_t value_of(const Problem& problem, const Answer& ends) {
    const std::vector<std::int64_t> values = values_from_root(problem);
    return values[ends[0]] ^ values[ends[1]];
  }

  static Answer ends_of_path(const std::vector<int>& path) { return {path.front(), path.back()}; }
};
REDQUEEN_ENVIRONMENT(MaxTreeXorPath);

}  // namespace
}  // namespace redqueen
