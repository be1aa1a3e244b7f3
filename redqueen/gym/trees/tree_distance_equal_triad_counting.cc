#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/graph/tree_paths.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct Tree_DistanceEqualTriad_Counting : StoredCount<0> {
  static constexpr Card card{
      .name = "Tree_DistanceEqualTriad_Counting",
      .published = true,
      .family = Family::kTrees,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the triples of vertices of a tree that are equally far from each other.",
      .levels = "The tree has 4 vertices, and one more each level.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the count.",
      .differences =
          "Trees are long or bushy to different degrees, or grow evenly around a vertex. Of "
          "several draws every answer is as likely. From 5 vertices on it is not 0, and from 8 "
          "on not all triples are neighbours of one vertex.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Small trees have few counts, at most five up to 6 vertices, and there all three "
          "vertices of a triple are neighbours of one vertex. Up to level 6, one count is right "
          "in a fifth of the problems.",
      .guess_until_level = 6,
      .source = "POI XXI (2013/14): Hotels (HOT)",
  };

  static constexpr int kDraws = 12;
  static constexpr int kFewDraws = 4;
  static constexpr int kFewDrawsFrom = 16;
  static constexpr int kTriplesFrom = 5;
  static constexpr int kFarTriplesFrom = 8;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;  // vertices from 1
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, edges, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    auto [count, edges] =
        draw_spread(n < kFewDrawsFrom ? kDraws : kFewDraws, rng,
                    [&]() -> std::optional<std::pair<std::int64_t, Draft>> {
                      const std::vector<int> order = rng.permutation(n);
                      std::vector<Edge> tree =
                          rng.chance(0.5) ? random_shaped_tree(order, rng) : even_tree(order, rng);
                      const std::int64_t triples = count_triples(n, tree);
                      if (n >= kTriplesFrom && triples == 0) return std::nullopt;
                      if (n >= kFarTriplesFrom && triples == near_triples(n, tree))
                        return std::nullopt;
                      return std::pair(triples, Draft(triples, std::move(tree)));
                    });
    Problem problem{.N = n, .edges = relabelled(edges, 1), .reference_answer = count};
    disguise_edges(problem.edges, rng);
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    const std::vector<Edge> tree = draw_connected_edges(config.N, 0, rng);
    return {.N = config.N,
            .edges = relabelled(tree, 1),
            .reference_answer = count_triples(config.N, tree)};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_tree(problem.N, problem.edges, 1));
    return reference_is("reference_answer", problem.reference_answer,
                        BigInt(count_triples(problem.N, relabelled(problem.edges, -1))));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A tree has the vertices 1 to {} and these edges, each given by its two ends:\n"
        "{}\n"
        "The distance of two vertices is the number of edges on the path between them. Count the "
        "sets of three different vertices in which all three pairs have the same distance.\n"
        "Answer with one integer.",
        problem.N, format_edges(problem.edges));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::vector<Edge> edges = relabelled(problem.edges, -1);
    std::int64_t leaves = std::ranges::count(degrees(problem.N, edges), 1);
    return {{"triples of neighbours of one vertex", format_answer(near_triples(problem.N, edges))},
            {"triples of leaves", format_answer(leaves * (leaves - 1) * (leaves - 2) / 6)}};
  }

 private:
  using Draft = std::pair<std::int64_t, std::vector<Edge>>;

  // Branches that look alike, but for a few vertices: paths from the first vertex, or three binary
  // trees below it.
  static std::vector<Edge> even_tree(const std::vector<int>& order, Rng& rng) {
    const bool of_paths = rng.chance(0.5);
    const std::size_t paths = 3 + rng.below(2);
    const double evenness = rng.real(0.7, 1.0);
    std::vector<Edge> edges;
    for (std::size_t i = 1; i < order.size(); ++i) {
      std::size_t parent =
          of_paths ? i - std::min(i, paths) : i / 2 - std::min<std::size_t>(i / 2, 1);
      if (!rng.chance(evenness)) parent = rng.below(i);
      edges.emplace_back(order[parent], order[i]);
    }
    return edges;
  }

  static std::int64_t near_triples(int n, const std::vector<Edge>& edges) {
    std::int64_t sum = 0;
    for (const std::int64_t d : degrees(n, edges)) sum += d * (d - 1) * (d - 2) / 6;
    return sum;
  }

  // The paths of a triple meet in one vertex, all three ends equally deep below it and in different
  // branches. O(N²).
  static std::int64_t count_triples(int n, const std::vector<Edge>& edges) {
    const std::vector<int> degree = degrees(n, edges);
    std::int64_t sum = 0;
    std::vector<int> depth(static_cast<std::size_t>(n));
    std::vector<int> branch(static_cast<std::size_t>(n));
    std::vector<std::int64_t> at_depth;  // of the current branch, by depth
    std::vector<std::int64_t> single(static_cast<std::size_t>(n));  // elementary symmetric sums
    std::vector<std::int64_t> pairs(static_cast<std::size_t>(n));   // of the branches so far
    for (int centre = 0; centre < n; ++centre) {
      if (degree[centre] < 3) continue;
      const RootedTree tree = *root_tree(n, edges, centre);
      std::vector<std::vector<int>> members;  // of branches: depths
      std::ranges::fill(single, 0);
      std::ranges::fill(pairs, 0);
      depth[centre] = 0;
      for (std::size_t i = 1; i < tree.order.size(); ++i) {
        const int v = tree.order[i];
        const int parent = tree.parent[v];
        depth[v] = depth[parent] + 1;
        if (parent == centre) {
          branch[v] = static_cast<int>(members.size());
          members.emplace_back();
        } else {
          branch[v] = branch[parent];
        }
        members[branch[v]].push_back(depth[v]);
      }
      for (const auto& depths_of_branch : members) {  // ascending
        at_depth.assign(depths_of_branch.back() + 1, 0);
        for (const int d : depths_of_branch) ++at_depth[d];
        for (std::size_t d = 1; d < at_depth.size(); ++d) {
          sum += pairs[d] * at_depth[d];
          pairs[d] += single[d] * at_depth[d];
          single[d] += at_depth[d];
        }
      }
    }
    return sum;
  }
};
REDQUEEN_ENVIRONMENT(Tree_DistanceEqualTriad_Counting);

}  // namespace
}  // namespace redqueen
