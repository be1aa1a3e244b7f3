#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/prime_field.h"
#include "redqueen/gym/common/residue_answer.h"
#include "redqueen/gym/common/spread.h"
#include "redqueen/gym/common/tree.h"

namespace redqueen {
namespace {

struct TreeRandomWalkExpectation {
  static constexpr Card card{
      .name = "TreeRandomWalkExpectation",
      .family = Family::kProbability,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Find the mean, modulo a prime, of the expected time that a random walk on a tree takes "
          "from one vertex to another, over all ordered pairs.",
      .levels = "The tree has 3 vertices and one more each level.",
      .rewards = "-1 malformed, -0.5 outside 0 … modulus - 1, 0 wrong, 1 right.",
      .differences =
          "Trees of up to five vertices have at most three shapes, and only the shape counts; so "
          "the modulus of their problems (key MOD, 998244353 where it is missing) is one of five "
          "primes. In trees of up to eight vertices common answers are not preferred.",
  };

  static constexpr std::array<std::int64_t, 5> kPrimes{998'244'353, 1'000'000'007, 666'623'333,
                                                       1'000'000'009, 999'999'937};
  static constexpr int kFewShapes = 5;
  static constexpr int kSmallTree = 8;
  static constexpr int kDraws = 12;  // among which answers are made as likely, for small trees

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> edges;  // smaller vertex first; vertices from 0
    std::optional<std::int64_t> MOD;
    REDQUEEN_FIELDS(N, edges, MOD)

    std::int64_t modulus() const { return MOD.value_or(kPrimes[0]); }
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .edges = {}, .MOD = kPrimes[0]};
    if (config.N <= kFewShapes) problem.MOD = rng.choice(kPrimes);
    if (config.N > kSmallTree) {
      problem.edges = draw_tree(config.N, rng);
    } else {
      problem.edges = draw_spread(kDraws, rng, [&] {
        std::vector<Edge> edges = draw_tree(config.N, rng);
        const std::int64_t sum = distance_sum(config.N, edges);
        return std::optional(std::pair{sum, std::move(edges)});
      });
    }
    return problem;
  }

  static std::vector<Edge> draw_tree(int n, Rng& rng) {
    const std::vector<int> order = rng.permutation(n);
    std::vector<Edge> edges = random_recursive_tree(order, rng);
    for (auto& [a, b] : edges) {
      if (a > b) std::swap(a, b);
    }
    rng.shuffle(edges);
    return edges;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.N > kMaxVertices) {
      return failure("\"N\": expected 1 to {} vertices, found {}", kMaxVertices, problem.N);
    }
    if (!root_tree(problem.N, problem.edges, 0)) {
      return failure("\"edges\": not the edges of a tree on the vertices 0 to \"N\" - 1");
    }
    if (std::ranges::find(kPrimes, problem.modulus()) == kPrimes.end()) {
      return failure("\"MOD\": {} is not one of the primes of this environment", problem.modulus());
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
           ask_for_fraction_residue(problem.modulus());
  }

  static std::optional<Answer> parse(std::string_view answer) { return parse_int64(answer); }

  static double score(const Problem& problem, Answer answer) {
    return residue_reward(answer, solve(problem), problem.modulus());
  }

  // There and back between two vertices takes 2·(edges)·(distance) steps in the mean (Chandra et
  // al. 1996: commute time and resistance), so that unordered pairs add up to 2·(N − 1) times the
  // sum of distances.
  static Answer solve(const Problem& problem) {
    return mean_time(problem, distance_sum(problem.N, problem.edges));
  }

  // Over all unordered pairs: an edge lies between the vertices of its two sides.
  static std::int64_t distance_sum(int n, const std::vector<Edge>& edges) {
    std::int64_t sum = 0;
    for (const std::int64_t size : subtree_sizes(*root_tree(n, edges, 0))) sum += size * (n - size);
    return sum;
  }

  static Answer mean_time(const Problem& problem, std::int64_t distances) {
    const PrimeField field(problem.modulus());
    const std::int64_t n = problem.N;
    return field.divide(field.reduce(2 * (n - 1) * distances), field.reduce(n * n));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.modulus() - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t n = problem.N;
    return {{"as if a path", format_answer(mean_time(problem, (n + 1) * n * (n - 1) / 6))},
            {"as if a star", format_answer(mean_time(problem, (n - 1) * (n - 1)))}};
  }
};
REDQUEEN_ENVIRONMENT(TreeRandomWalkExpectation);

}  // namespace
}  // namespace redqueen
