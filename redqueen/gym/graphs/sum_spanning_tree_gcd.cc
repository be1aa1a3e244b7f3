#include <algorithm>
#include <array>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/edge_density.h"
#include "redqueen/gym/common/graph/further_edges.h"
#include "redqueen/gym/common/graph/spanning_tree_count.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SumSpanningTreeGCD : StoredResidue {
  static constexpr Card card{
      .name = "SumSpanningTreeGCD",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Add up, over all spanning trees of a graph, the greatest common divisors of their "
          "weights, modulo a prime.",
      .levels =
          "From 4 vertices, one more a level, with half as many edges again as a tree has or more. "
          "Beyond level 50 the list of edges would be too long to read.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "Of the published densities, one of the two lowest is drawn that give at least half as "
          "many edges again as the tree has. The hidden tree has a common divisor above 1. From 6 "
          "vertices on, at least two trees have one, and not all trees have the same. Other "
          "graphs are drawn again.",
      .max_level = 50,
  };

  static constexpr std::array kDensities{0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9};
  static constexpr std::array<std::int64_t, 3> kModuli{666'623'333, 998'244'353, 1'000'000'007};
  static constexpr int kFewVertices = 6;
  static constexpr int kDraws = 100;
  static constexpr int kMostVertices = 60;
  static constexpr std::int64_t kHeaviest = 100'000;

  struct Config {
    int N = 0;
    double edge_density = 0;
    REDQUEEN_FIELDS(N, edge_density)
  };
  struct Problem {
    int N = 0;
    std::vector<WeightedEdge> edges;  // of vertices 1 … N
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, edges, MOD, reference_answer)
  };

  static Config at_level(int level, Rng& rng) {
    const int n = 4 + level;
    const auto densities = sparsest(kDensities, 2, (3 * n - 2) / 2, [n](double density) {
      return undirected_edges_at(n, density);
    });
    return {.N = n, .edge_density = rng.choice(densities)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& problem) {
          return config.N < kFewVertices || !some_rule_solves<SumSpanningTreeGCD>(problem);
        });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = 4 + level;
    return {.N = n, .edge_density = draw_density(kDensities, n, n - 1, n * n, rng)};
  }

  // A tree whose weights have a common divisor, which may be 1, and further edges of any weights.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const std::int64_t common = rng.integer(1, n);
    const std::vector<Edge> tree = random_recursive_tree(rng.permutation(n), rng);
    Problem problem{.N = n, .edges = {}, .MOD = rng.choice(kModuli), .reference_answer = 0};
    const auto add = [&](const Edge& edge, std::int64_t weight) {
      const auto [u, v] = std::minmax(edge.first, edge.second);
      problem.edges.emplace_back(u + 1, v + 1, weight);
    };
    for (const Edge& edge : tree) add(edge, common * rng.integer(1, n));
    const int count = undirected_edges_at(n, config.edge_density);
    for (const Edge& edge : draw_further_edges(n, tree, EdgeKind::kUndirected, count, rng)) {
      add(edge, rng.integer(1, std::int64_t{n} * n));
    }
    rng.shuffle(problem.edges);
    problem.reference_answer = sum_of_divisors(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMostVertices));
    const std::vector<Edge> edges = from_zero(problem.edges);
    RETURN_IF_ERROR(check_edges(problem.N, edges, EdgeKind::kUndirected));
    for (const auto& [u, v, weight] : problem.edges) {
      RETURN_IF_ERROR(within("edges", weight, 1, kHeaviest));
    }
    if (!is_connected(problem.N, edges)) return failure("\"edges\": they join not all");
    RETURN_IF_ERROR(within("MOD", problem.MOD, 2, std::int64_t{1} << 60));
    return reference_is("reference_answer", problem.reference_answer, sum_of_divisors(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A connected graph has {0} vertices, 1 to {0}. Each of these lines gives an edge by its "
        "two ends and its weight:\n"
        "{1}\n"
        "A spanning tree is a set of {2} edges that makes a tree on all vertices. The value of a "
        "spanning tree is the greatest common divisor of the weights of its edges. Add up the "
        "values of all spanning trees.\n"
        "Answer with the remainder of this sum when divided by {3}, one integer from 0 to {4}.",
        problem.N, format_edges(problem.edges), problem.N - 1, problem.MOD, problem.MOD - 1);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::vector<Edge> edges = from_zero(problem.edges);
    const std::int64_t trees = count_spanning_trees(problem.N, edges, problem.MOD);
    std::int64_t common = 0;
    for (const auto& [u, v, weight] : problem.edges) common = std::gcd(common, weight);
    std::int64_t greatest = 1;
    for (const Divisor& divisor : tree_divisors(problem)) greatest = divisor.divisor;
    return {{"as many as there are spanning trees", trees},
            {"the divisor of all weights, once for each tree", mul_mod(trees, common, problem.MOD)},
            {"the greatest value once, and 1 of each other tree",
             residue(trees - 1 + greatest, problem.MOD)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // A number that divides all weights of some spanning tree, and in how many trees it does.
  struct Divisor {
    std::int64_t divisor;
    std::int64_t trees;  // modulo MOD
  };

  static std::vector<Edge> from_zero(const std::vector<WeightedEdge>& edges) {
    std::vector<Edge> moved;
    moved.reserve(edges.size());
    for (const auto& [u, v, weight] : edges) moved.emplace_back(u - 1, v - 1);
    return moved;
  }

  // Ascending.
  static std::vector<Divisor> tree_divisors(const Problem& problem) {
    const std::vector<Edge> edges = from_zero(problem.edges);
    std::int64_t heaviest = 0;
    for (const auto& [u, v, weight] : problem.edges) heaviest = std::max(heaviest, weight);
    std::vector<int> times(static_cast<std::size_t>(heaviest) + 1);
    for (const auto& [u, v, weight] : problem.edges) ++times[weight];
    std::vector<Divisor> divisors;
    std::vector<Edge> multiples;
    for (std::int64_t divisor = 1; divisor <= heaviest; ++divisor) {
      int count = 0;
      for (std::int64_t weight = divisor; weight <= heaviest; weight += divisor) {
        count += times[weight];
      }
      if (count + 1 < problem.N) continue;
      multiples.clear();
      for (std::size_t i = 0; i < edges.size(); ++i) {
        if (std::get<2>(problem.edges[i]) % divisor == 0) multiples.push_back(edges[i]);
      }
      if (!is_connected(problem.N, multiples)) continue;
      divisors.push_back({divisor, count_spanning_trees(problem.N, multiples, problem.MOD)});
    }
    return divisors;
  }

  static std::int64_t totient(std::int64_t number) {
    std::int64_t coprime = number;
    for (std::int64_t prime = 2; prime * prime <= number; ++prime) {
      if (number % prime != 0) continue;
      while (number % prime == 0) number /= prime;
      coprime -= coprime / prime;
    }
    return number > 1 ? coprime - coprime / number : coprime;
  }

  // A greatest common divisor g is the sum of the totients of the divisors of g.
  static std::int64_t sum_of_divisors(const Problem& problem) {
    std::int64_t sum = 0;
    for (const auto& [divisor, trees] : tree_divisors(problem)) {
      sum = residue(sum + mul_mod(totient(divisor), trees, problem.MOD), problem.MOD);
    }
    return sum;
  }

  static Problem drawn(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto count = static_cast<std::size_t>(undirected_edges_at(n, config.edge_density));
    const std::vector<Edge> edges = draw_connected_edges(n, count, rng);
    const std::int64_t common = rng.integer(2, n);
    Problem problem{.N = n, .edges = {}, .MOD = rng.choice(kModuli), .reference_answer = 0};
    DisjointSets joined(n);
    for (const auto& [u, v] : edges) {  // the first that make a tree have the common divisor
      const std::int64_t weight =
          joined.join(u, v) ? common * rng.integer(1, n) : rng.integer(1, std::int64_t{n} * n);
      problem.edges.emplace_back(u + 1, v + 1, weight);
    }
    rng.shuffle(problem.edges);
    problem.reference_answer = sum_of_divisors(problem);
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(SumSpanningTreeGCD);

}  // namespace
}  // namespace redqueen
