#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/common/number/prime_field.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct TreeElimination_Expectation {
  static constexpr Card card{
      .name = "TreeElimination_Expectation",
      .published = true,
      .family = Family::kProbability,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Random vertices of a rooted tree are coloured together with their ancestors; find the "
          "expected number of steps, modulo a prime, until all are coloured.",
      .levels = "The tree has 3 vertices and one more each level.",
      .rewards = "-1 malformed, -0.5 outside 0 … 1000000006, 0 wrong, 1 right.",
      .differences =
          "The pairs are in random order; in trees of up to seven vertices common answers are not "
          "preferred.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "There are two trees of 3 vertices and four of 4 vertices, so that at levels 0 and 1 a "
          "constant is often right.",
      .guess_until_level = 1,
      .version = 2,
  };

  static constexpr std::int64_t kPrime = 1'000'000'007;
  static constexpr int kSmallTree = 7;
  static constexpr int kDraws = 12;  // among which answers are made as likely, for small trees

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> parents;  // parent, child; vertices from 1, the root is 1
    REDQUEEN_FIELDS(N, parents)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    if (config.N > kSmallTree) return shuffled(draw(config, rng), rng);
    const PrimeField field(kPrime);
    const auto inverse = field.inverses(config.N);
    auto drawn = draw_spread(kDraws, rng, [&]() -> std::optional<std::pair<Answer, Problem>> {
      Problem problem = draw(config, rng);
      // Children come after their parents, so that going back adds up every part.
      std::array<int, kSmallTree + 1> sizes{};
      sizes.fill(1);
      Answer answer = 0;
      for (auto edge = problem.parents.rbegin(); edge != problem.parents.rend(); ++edge) {
        sizes[edge->first] += sizes[edge->second];
        answer = field.add(answer, inverse[sizes[edge->second]]);
      }
      return std::pair{answer, std::move(problem)};
    });
    return shuffled(std::move(drawn), rng);
  }

  static Problem shuffled(Problem problem, Rng& rng) {
    rng.shuffle(problem.parents);
    return problem;
  }

  static Problem draw(const Config& config, Rng& rng) {
    std::vector<int> order = rng.permutation(config.N);
    std::swap(*std::ranges::find(order, 0), order[0]);
    for (int& vertex : order) ++vertex;
    return {.N = config.N, .parents = random_recursive_tree(order, rng)};
  }

  static std::optional<RootedTree> tree_of(const Problem& problem) {
    std::vector<Edge> edges = problem.parents;
    for (auto& [parent, child] : edges) {
      if (parent < 1 || child < 1) return std::nullopt;
      --parent;
      --child;
    }
    return root_tree(problem.N, edges, 0);
  }

  // Parents come before their children.
  static Problem published(const Config& config, Rng& rng) { return draw(config, rng); }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.N > kMaxVertices) {
      return failure("\"N\": expected 1 to {} vertices, found {}", kMaxVertices, problem.N);
    }
    const auto tree = tree_of(problem);
    if (!tree) return failure("\"parents\": not the edges of a tree on the vertices 1 to \"N\"");
    for (const auto& [parent, child] : problem.parents) {
      if (tree->parent[child - 1] != parent - 1) {
        return failure("\"parents\": {} is not the parent of {} when 1 is the root", parent, child);
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
               "A rooted tree has the vertices 1 to {}; its root is 1. Each line gives a vertex "
               "and one of its children:\n"
               "{}\n"
               "At first no vertex is coloured. A step draws one of the vertices that are not yet "
               "coloured, each with the same probability, and colours it and all its ancestors up "
               "to the root (those that are coloured stay so). What is the expected number of "
               "steps until all vertices are coloured?\n",
               problem.N, format_edges(problem.parents)) +
           ask_for_fraction_residue(kPrime);
  }

  static double score(const Problem&, Answer answer, Answer right) {
    return residue_reward(answer, right, kPrime);
  }

  // A vertex is drawn exactly if it comes first among its subtree in a random order of all.
  static Answer solve(const Problem& problem) {
    const PrimeField field(kPrime);
    const auto inverse = field.inverses(problem.N);
    const auto tree = tree_of(problem);
    std::int64_t sum = 0;
    for (const int size : subtree_sizes(*tree)) sum = field.add(sum, inverse[size]);
    return sum;
  }

  static Answer random_answer(const Problem&, Rng& rng) { return rng.integer(0, kPrime - 1); }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const PrimeField field(kPrime);
    const auto inverse = field.inverses(problem.N);
    std::int64_t path = 0;
    for (const std::int64_t part : inverse) path = field.add(path, part);
    return {{"as if a path", format_answer(path)},
            {"as if a star", format_answer(field.add(problem.N - 1, inverse[problem.N]))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(TreeElimination_Expectation);

}  // namespace
}  // namespace redqueen
