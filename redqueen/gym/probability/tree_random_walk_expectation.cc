#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/number/prime_field.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct TreeRandomWalkExpectation {
  static constexpr Card card{
      .name = "TreeRandomWalkExpectation",
      .published = true,
      .family = Family::kProbability,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Find the mean, modulo a prime, of the expected time that a random walk on a tree takes "
          "from one vertex to another, over all ordered pairs.",
      .levels = "The tree has 3 vertices and one more each level.",
      .rewards = "-1 malformed, -0.5 outside 0 … 998244352, 0 wrong, 1 right.",
      .differences = "In trees of up to eight vertices common answers are not preferred.",
      .small_answer_space =
          "The answer is that of the tree's shape: there is one shape of 3 vertices, level 0, "
          "two of 4, three of 5 and six of 6, level 3.",
      .guess_until_level = 3,
      .version = 3,
  };

  static constexpr std::int64_t kPrime = 998'244'353;
  static constexpr int kSmallTree = 8;
  static constexpr int kDraws = 12;  // among which answers are made as likely, for small trees

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;  // smaller vertex first; vertices from 0
    REDQUEEN_FIELDS(N, edges)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    if (config.N > kSmallTree) return {.N = config.N, .edges = draw_tree(config.N, rng)};
    auto drawn = draw_spread(kDraws, rng, [&] {
      Problem problem{.N = config.N,
                      .edges = random_recursive_tree(rng.permutation(config.N), rng)};
      // Later vertices hang on earlier ones, so that going back adds up every part.
      std::array<std::int64_t, kSmallTree> sizes{};
      sizes.fill(1);
      std::int64_t sum = 0;
      for (auto edge = problem.edges.rbegin(); edge != problem.edges.rend(); ++edge) {
        sizes[edge->first] += sizes[edge->second];
        sum += sizes[edge->second] * (config.N - sizes[edge->second]);
      }
      return std::optional(std::pair{sum, std::move(problem)});
    });
    disguise_edges(drawn.edges, rng);
    return drawn;
  }

  static std::vector<Edge> draw_tree(int n, Rng& rng) {
    const std::vector<int> order = rng.permutation(n);
    std::vector<Edge> edges = random_recursive_tree(order, rng);
    disguise_edges(edges, rng);
    return edges;
  }

  static Problem published(const Config& config, Rng& rng) {
    return {.N = config.N, .edges = draw_tree(config.N, rng)};
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.N > kMaxVertices) {
      return failure("\"N\": expected 1 to {} vertices, found {}", kMaxVertices, problem.N);
    }
    if (!root_tree(problem.N, problem.edges, 0)) {
      return failure("\"edges\": not the edges of a tree on the vertices 0 to \"N\" - 1");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
               "A tree has the vertices 0 to {} and these edges, each given by its two ends:\n"
               "{}\n"
               "A walker on the tree moves at each step to a neighbour of its vertex, each with "
               "the same probability. E(S, T) is the expected number of steps from vertex S until "
               "it reaches T for the first time; E(S, S) = 0. What is the sum of E(S, T) over all "
               "ordered pairs (S, T) of vertices, divided by {}?\n",
               problem.N - 1, format_edges(problem.edges), problem.N * problem.N) +
           ask_for_fraction_residue(kPrime);
  }

  static double score(const Problem&, Answer answer, Answer right) {
    return residue_reward(answer, right, kPrime);
  }

  // There and back between two vertices takes 2·(edges)·(distance) steps in the mean (Chandra et
  // al. 1996: commute time and resistance), so that unordered pairs add up to 2·(N − 1) times the
  // sum of distances.
  static Answer solve(const Problem& problem) {
    return mean_time(problem.N, distance_sum(problem));
  }

  // Over all unordered pairs: an edge lies between the vertices of its two sides.
  static std::int64_t distance_sum(const Problem& problem) {
    std::int64_t sum = 0;
    for (const std::int64_t size : subtree_sizes(*root_tree(problem.N, problem.edges, 0))) {
      sum += size * (problem.N - size);
    }
    return sum;
  }

  static Answer mean_time(std::int64_t n, std::int64_t distances) {
    const PrimeField field(kPrime);
    return field.divide(field.reduce(2 * (n - 1) * distances), field.reduce(n * n));
  }

  static Answer random_answer(const Problem&, Rng& rng) { return rng.integer(0, kPrime - 1); }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t n = problem.N;
    return {{"as if a path", format_answer(mean_time(n, (n + 1) * n * (n - 1) / 6))},
            {"as if a star", format_answer(mean_time(n, (n - 1) * (n - 1)))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(TreeRandomWalkExpectation);

}  // namespace
}  // namespace redqueen
