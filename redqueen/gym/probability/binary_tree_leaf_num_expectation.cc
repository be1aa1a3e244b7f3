#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/fraction_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct BinaryTreeLeafNumExpectation {
  static constexpr Card card{
      .name = "BinaryTreeLeafNumExpectation",
      .published = true,
      .family = Family::kProbability,
      .answer = AnswerKind::kFraction,
      .scoring = Scoring::kExact,
      .task = "Find the expected number of leaves of a uniformly random binary tree of N nodes.",
      .levels = "The bound on N starts at 5 and grows by half each level, up to 10^9.",
      .rewards = "-1 malformed or not positive, 0 wrong, 1 right; unreduced fractions are right.",
      .differences =
          "N is at least 2 and at least a quarter of its bound, because trees of one and of two "
          "nodes have the same answer.",
      .source = "Probability (概率论), TJOI 2015",
      .max_level = 47,
  };

  static constexpr std::int64_t kMaxN = 1'000'000'000;

  struct Config {
    std::int64_t MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t N = 0;
    REDQUEEN_FIELDS(MAX_N, N)
  };
  using Answer = FractionAnswer;

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_half(5, level, kMaxN)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t least = std::max<std::int64_t>(2, config.MAX_N / 4);
    return {.MAX_N = config.MAX_N, .N = rng.integer(least, config.MAX_N)};
  }

  static Problem published(const Config& config, Rng& rng) {
    return {.MAX_N = config.MAX_N, .N = rng.integer(1, config.MAX_N)};
  }

  static Status check(const Problem& problem) { return within("N", problem.N, 1, kMaxN); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Consider all binary trees with exactly {} nodes. Nodes are unlabelled, and a left child "
        "is different from a right child: two trees are equal only if both are empty or both have "
        "equal left subtrees and equal right subtrees. One of these trees is drawn, each with the "
        "same probability. What is the expected number of its leaves, the nodes without a child?\n"
        "Answer with a fraction A/B of two positive integers, with slash and denominator even if "
        "the value is an integer.",
        problem.N);
  }

  static std::optional<Answer> parse(std::string_view answer) {
    auto fraction = parse_fraction(answer);
    if (!fraction || fraction->numerator <= 0 || fraction->denominator <= 0) return std::nullopt;
    return fraction;
  }
  static std::string format(const Answer& answer) { return format_fraction(answer); }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return exact_reward(answer.numerator * right.denominator ==
                        right.numerator * answer.denominator);
  }

  // All trees together have C(2N − 2, N − 1) leaves, and their number is the Catalan number
  // C(2N, N)/(N + 1).
  static Answer solve(const Problem& problem) {
    return reduced_fraction(problem.N * (problem.N + 1), 2 * (2 * problem.N - 1));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::int64_t numerator = rng.integer(1, problem.N * (problem.N + 1) / 2);
    const std::int64_t denominator = rng.integer(1, 2 * problem.N);
    return reduced_fraction(numerator, denominator);
  }

  // Right only in the limit.
  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"a quarter of the nodes", format_fraction({problem.N, 4})},
            {"half of the nodes, rounded up", format_fraction({(problem.N + 1) / 2, 1})}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(BinaryTreeLeafNumExpectation);

}  // namespace
}  // namespace redqueen
