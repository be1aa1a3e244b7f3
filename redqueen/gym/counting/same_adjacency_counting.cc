#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SameAdjacencyCounting {
  static constexpr Card card{
      .name = "SameAdjacencyCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count the sequences of a given length over 1 … M that have two equal neighbours, modulo "
          "a given number.",
      .levels = "The bounds on length and M start at 7 and 2 and grow by a half and one a level.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "The modulus is a number of six digits instead of one between M and 2·M, which made 0 "
          "right in a third of the problems. Length and M lie in the upper half of their ranges, "
          "and the length is at least 3.",
      .source = "Prison break (越狱), HNOI 2008",
  };

  static constexpr std::int64_t kLargest = std::int64_t{1} << 62;

  struct Config {
    std::int64_t MAX_N = 0;
    std::int64_t MAX_M = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_M)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t MAX_M = 0;
    std::int64_t N = 0;
    std::int64_t M = 0;
    std::int64_t MOD = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_M, N, M, MOD)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) {
    return {.MAX_N = grow_by_half_and_one(7, level), .MAX_M = grow_by_half_and_one(2, level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .MAX_M = config.MAX_M};
    problem.N = draw_upper_half(3, config.MAX_N, rng);
    problem.M = draw_upper_half(2, config.MAX_M, rng);
    problem.MOD = rng.integer(100'000, 999'999);
    return problem;
  }

  // Length and M are uniform, the modulus is from M to 2M.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .MAX_M = config.MAX_M};
    problem.N = rng.integer(2, config.MAX_N);
    problem.M = rng.integer(2, config.MAX_M);
    problem.MOD = rng.integer(problem.M, 2 * problem.M);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kLargest));
    RETURN_IF_ERROR(within("M", problem.M, 1, kLargest));
    return within("MOD", problem.MOD, 1, kLargest);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "How many sequences of {0} integers from 1 to {1} hold, at least once, the same integer at "
        "two neighbouring places? The first and the last place are not neighbours. Give the "
        "remainder of this number when divided by {2}.\n"
        "Answer with one integer from 0 to {3}.",
        problem.N, problem.M, problem.MOD, problem.MOD - 1);
  }

  static double score(const Problem& problem, Answer answer, Answer right) {
    return residue_reward(answer, right, problem.MOD);
  }

  // All sequences but those in which each place differs from the one before.
  static Answer solve(const Problem& problem) {
    const std::int64_t different =
        mul_mod(problem.M, pow_mod(problem.M - 1, problem.N - 1, problem.MOD), problem.MOD);
    return residue(pow_mod(problem.M, problem.N, problem.MOD) - different, problem.MOD);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.MOD - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t modulus = problem.MOD;
    return {{"0", "0"},
            {"all sequences", format_answer(pow_mod(problem.M, problem.N, problem.MOD))},
            {"a pair of equal neighbours and anything else",
             format_answer(
                 mul_mod(problem.N - 1, pow_mod(problem.M, problem.N - 1, modulus), modulus))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(SameAdjacencyCounting);

}  // namespace
}  // namespace redqueen
