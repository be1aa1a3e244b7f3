#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct BanyanHeart {
  static constexpr Card card{
      .name = "BanyanHeart",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kOther,
      .task =
          "A tree grows from vertex 1 by one leaf after another, and a marker moves one edge "
          "towards each new leaf. Say for each vertex whether the marker can be there in the end.",
      .levels = "The tree has 4 vertices and one more each level.",
      .rewards =
          "-1 unless N letters T and F, else ((vertices called T that are T) / (vertices called T "
          "or T))^5.",
      .differences =
          "Leaves come in any order: the published statement has them come in that of their "
          "numbers, which rarely fits the tree. Trees are long, bushy or neither. From 6 vertices "
          "on, a problem is drawn again in which the parity of the distance from vertex 1 decides "
          "alone.",
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewVertices = 6;
  static constexpr int kDraws = 1000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;  // vertices from 1
    REDQUEEN_FIELDS(N, edges)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = draw_accepted(
        kDraws,
        [&] {
          return Problem{
              .N = config.N,
              .edges = relabelled(random_shaped_tree(rng.permutation(config.N), rng), 1)};
        },
        [&](const Problem& draft) {
          return config.N < kFewVertices || !some_rule_solves<BanyanHeart>(draft);
        });
    disguise_edges(problem.edges, rng);
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    return {.N = config.N, .edges = relabelled(draw_connected_edges(config.N, 0, rng), 1)};
  }

  static Status check(const Problem& problem) { return check_tree(problem.N, problem.edges, 1); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree grew from vertex 1. At first it had no other vertex, and a marker lay on vertex 1. "
        "Then the other vertices, 2 to {0}, were added one at a time in an order that is not "
        "known, not necessarily that of their numbers; each new vertex was joined by an edge to "
        "one that was there already. Each time, directly after a vertex v had been added, the "
        "marker moved by one edge along the path from where it lay towards v.\n"
        "In the end the tree has these edges, each given by its two ends:\n"
        "{1}\n"
        "For which vertices is there an order of adding the vertices, giving this very tree, after "
        "which the marker lies there?\n"
        "Answer with a word of {0} letters: the i-th letter is T if the marker can lie on vertex i "
        "in the end, and F if it cannot.",
        problem.N, format_edges(problem.edges));
  }

  static std::optional<Answer> parse(const Problem& problem, std::string_view text) {
    const std::string_view word = trim(text);
    if (std::ssize(word) != problem.N) return std::nullopt;
    if (word.find_first_not_of("TF") != std::string_view::npos) return std::nullopt;
    return std::string(word);
  }

  static double score(const Problem& problem, const Answer& answer) {
    const Answer right = solve(problem);
    std::int64_t both = 0;
    std::int64_t either = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      both += answer[i] == 'T' && right[i] == 'T';
      either += answer[i] == 'T' || right[i] == 'T';
    }
    return share_reward(both, either, kBeta);
  }

  // Where a branch of a vertex is filled while the marker lies there, the marker is drawn into the
  // branch; what is filled elsewhere draws it back. drift[v] is the least distance from the parent
  // of v to which the marker must come when the branch of v is filled alone. A vertex can be
  // reached if the rest of the tree can hold the marker back from the largest branch beside the
  // path to it.
  static Answer solve(const Problem& problem) {
    const RootedTree tree = *root_tree(problem.N, relabelled(problem.edges, -1), 0);
    const std::vector<int> sizes = subtree_sizes(tree);
    std::vector<int> first(tree.order.size(), -1);   // the child of the largest branch
    std::vector<int> second(tree.order.size(), -1);  // and of the next one
    std::vector<int> drift(tree.order.size());
    const auto size_of = [&](int v) { return v < 0 ? 0 : sizes[v]; };
    const auto drift_of = [&](int v) { return v < 0 ? 0 : drift[v]; };
    for (std::size_t i = tree.order.size(); i-- > 0;) {
      const int v = tree.order[i];
      const int rest = sizes[v] - 1 - size_of(first[v]);
      drift[v] = 1 + (drift_of(first[v]) <= rest ? (sizes[v] - 1) % 2 : drift_of(first[v]) - rest);
      if (i == 0) break;
      const int parent = tree.parent[v];
      if (sizes[v] > size_of(first[parent])) {
        second[parent] = std::exchange(first[parent], v);
      } else if (sizes[v] > size_of(second[parent])) {
        second[parent] = v;
      }
    }
    Answer possible(tree.order.size(), 'F');
    const std::vector<int> depth = depths(tree);     // one less than the vertices on the path to v
    std::vector<int> beside(tree.order.size(), -1);  // the largest branch off the path to v
    for (const int v : tree.order) {
      if (v != 0) {
        const int parent = tree.parent[v];
        const int sibling = first[parent] == v ? second[parent] : first[parent];
        beside[v] = size_of(sibling) > size_of(beside[parent]) ? sibling : beside[parent];
      }
      const int branch = size_of(first[v]) > size_of(beside[v]) ? first[v] : beside[v];
      const int others = problem.N - depth[v] - 1 - size_of(branch);
      if ((problem.N - depth[v] - 1) % 2 == 0 && drift_of(branch) <= others) possible[v] = 'T';
    }
    return possible;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer word;
    for (int i = 0; i < problem.N; ++i) word += rng.chance(0.5) ? 'T' : 'F';
    return word;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const RootedTree tree = *root_tree(problem.N, relabelled(problem.edges, -1), 0);
    const std::vector<int> depth = depths(tree);
    std::vector<char> has_child(tree.order.size());
    for (const int parent : tree.parent) {
      if (parent >= 0) has_child[parent] = 1;
    }
    Answer parity(tree.order.size(), 'F');
    Answer inner = parity;
    Answer near = parity;
    for (std::size_t v = 0; v < depth.size(); ++v) {
      if ((problem.N - 1 - depth[v]) % 2 != 0) continue;
      parity[v] = 'T';
      if (has_child[v]) inner[v] = 'T';
      if (2 * depth[v] < problem.N) near[v] = 'T';
    }
    return {{"T where the distance from 1 has the right parity", parity},
            {"the same, but no leaves", inner},
            {"the same, but not far from 1", near}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"all T", Answer(static_cast<std::size_t>(problem.N), 'T')});
    return named;
  }
};
REDQUEEN_ENVIRONMENT(BanyanHeart);

}  // namespace
}  // namespace redqueen
