#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MostNumEdge_NonSelfIsomorphism {
  static constexpr Card card{
      .name = "MostNumEdge_NonSelfIsomorphism",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Find the most edges that a graph on N vertices can have whose only automorphism is the "
          "identity.",
      .levels = "N is drawn from 6 to a bound that starts at 10 and grows by a tenth and one.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "For N = 6 the answer is 9; the published one, 10, is that of forests of asymmetric "
          "trees, and there is no such forest on 6 vertices.",
      .small_answer_space = "N alone is the problem, and at level 0 there are five.",
      .guess_until_level = 0,
      .source = "P. Erdős and A. Rényi, Asymmetric graphs, 1963; sizes of trees: OEIS A000220",
      .max_level = 50,
  };

  // Trees without a symmetry, by their number of vertices.
  static constexpr std::array<std::int64_t, 17> kAsymmetricTrees{0, 1, 0,  0,  0,  0,   0,   1,  1,
                                                                 3, 6, 15, 29, 67, 139, 310, 667};
  static constexpr std::int64_t kMaxN = 10'000;  // all these trees have more vertices together
  static constexpr int kLeastN = 6;

  struct Config {
    int MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t N = 0;
    REDQUEEN_FIELDS(N)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_tenth(10, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return {.N = rng.integer(kLeastN, config.MAX_N)};
  }

  static Status check(const Problem& problem) { return within("N", problem.N, kLeastN, kMaxN); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A simple undirected graph has {} vertices. It is asymmetric: apart from the one that "
        "leaves every vertex in its place, no permutation of the vertices takes edges to edges and "
        "pairs without an edge to pairs without one. What is the largest number of edges that such "
        "a graph can have?\n"
        "Answer with one integer.",
        problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == solve(problem));
  }

  // A graph has the symmetries of its complement, so the question is for the fewest edges. Each
  // component has at least as many as vertices, or is a tree and has one less; trees are asymmetric
  // and different. So there are as many trees as fit, small ones first. From 7 vertices on, what is
  // left over enlarges the last tree, to a size that no other tree has. With 6 vertices that fails:
  // the fewest edges are 6.
  static Answer solve(const Problem& problem) {
    const std::int64_t n = problem.N;
    const std::int64_t pairs = n * (n - 1) / 2;
    if (n == kLeastN) return pairs - n;
    std::int64_t left = n;
    std::int64_t trees = 0;
    for (std::int64_t size = 1; size < std::ssize(kAsymmetricTrees); ++size) {
      const std::int64_t fit = std::min(kAsymmetricTrees[size], left / size);
      trees += fit;
      left -= fit * size;
    }
    return pairs - n + trees;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.N * (problem.N - 1) / 2);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t pairs = problem.N * (problem.N - 1) / 2;
    return {{"all pairs but one less than vertices", format_answer(pairs - problem.N + 1)},
            {"all pairs but as many as vertices", format_answer(pairs - problem.N)},
            {"all pairs", format_answer(pairs)}};
  }
};
REDQUEEN_ENVIRONMENT(MostNumEdge_NonSelfIsomorphism);

}  // namespace
}  // namespace redqueen
