#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/quotient_blocks.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

// Σ over odd l ≤ n of ⌊log₂ l⌋.
std::int64_t odd_logarithm_sum(std::int64_t n) {
  std::int64_t sum = 0;
  for (std::int64_t exponent = 1, low = 2; low <= n; ++exponent, low *= 2) {
    sum += exponent * ((std::min(n, 2 * low - 1) - low + 1) / 2);
  }
  return sum;
}

struct SumPseudoEuclidean {
  static constexpr Card card{
      .name = "SumPseudoEuclidean",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Two numbers are repeatedly replaced by their difference and twice the smaller one. Add "
          "up the steps until they are equal over all pairs from 1 to N.",
      .levels =
          "The bound on N starts at 5 and grows by half each level. Beyond level 40 the sum takes "
          "too long.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the sum.",
      .differences =
          "N lies in the upper two thirds of its range, so that level 0 has more than one problem; "
          "only the exact sum is solved.",
      .small_answer_space =
          "A problem is one number N: level 0 has the four from 2 to 5, level 2 the eight from 3 "
          "to "
          "10, of which some have the same sum.",
      .guess_until_level = 2,
      .version = 2,
      .max_level = 40,
  };

  static constexpr std::int64_t kMaxN = 1'000'000'000;
  static constexpr std::int64_t kFewNumbers = 100;

  struct Config {
    std::int64_t MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t N = 0;
    REDQUEEN_FIELDS(MAX_N, N)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_half(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t least = std::max<std::int64_t>(2, config.MAX_N / 3);
    // The sum stays the same from an odd number to the next even one.
    const int draws = config.MAX_N < kFewNumbers ? 12 : 1;
    return draw_spread(draws, rng, [&]() -> std::optional<std::pair<std::int64_t, Problem>> {
      const Problem problem{.MAX_N = config.MAX_N, .N = rng.integer(least, config.MAX_N)};
      return std::pair(draws == 1 ? 0 : sum_of_steps(problem.N), problem);
    });
  }

  // A uniform N from 5: one problem at level 0, 6 or less at the next two.
  static Problem published(const Config& config, Rng& rng) {
    return {.MAX_N = config.MAX_N, .N = rng.integer(5, config.MAX_N)};
  }

  static Status check(const Problem& problem) { return within("N", problem.N, 1, kMaxN); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "From a pair (a, b) of positive integers a process goes on as follows: if a > b, the pair "
        "becomes (a - b, 2b); if a < b, it becomes (2a, b - a); if a = b, the process ends. Let "
        "f(a, b) be the number of steps until it ends, and 0 if it never ends.\n"
        "Find the sum of f(i, j) over all ordered pairs of integers (i, j) with 1 ≤ i ≤ {0} and 1 "
        "≤ j ≤ {0}.\n"
        "Answer with the exact sum, one integer.",
        problem.N);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 0);
  }

  // Divide both numbers by their gcd: the process ends just when x + y is a power of two, after
  // log₂(x + y) − 1 steps. The larger of the two, l, is then odd, fixes the smaller one, and the
  // steps are ⌊log₂ l⌋; N holds ⌊N/l⌋ multiples.
  static Answer solve(const Problem& problem) { return BigInt(sum_of_steps(problem.N)); }

  // Below 2·log₂(n)·n·log(n), which fits.
  static std::int64_t sum_of_steps(std::int64_t n) {
    std::int64_t sum = 0;
    for_each_quotient_block(n, [&](auto first, auto last, auto quotient) {
      sum += (odd_logarithm_sum(last) - odd_logarithm_sum(first - 1)) * quotient;
    });
    return 2 * sum;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(SumPseudoEuclidean);

}  // namespace
}  // namespace redqueen
