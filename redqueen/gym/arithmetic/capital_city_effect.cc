#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

// How many of 0 … x have the digit d at every decimal place from `first` to `last` (0: units), 1 ≤
// d ≤ 9.
Int128 count_with_block(Int128 x, Int128 first_power, Int128 block_power, int d) {
  const Int128 block = d * ((block_power - 1) / 9);
  const Int128 above = x / (first_power * block_power);
  const Int128 at = x / first_power % block_power;
  Int128 count = above * first_power;
  if (at > block) count += first_power;
  if (at == block) count += x % first_power + 1;
  return count;
}

// f(1) + … + f(x). The square of a run's length counts the pairs of places within it, a place
// paired with itself once and two different places twice; so every block of places is asked for
// every digit, how often it is all that digit.
Int128 prefix_sum(std::int64_t x) {
  Int128 sum = 0;
  for (Int128 first = 1; first <= x; first *= 10) {
    for (Int128 block = 10; first * block <= Int128{10} * x; block *= 10) {
      for (int d = 1; d <= 9; ++d) {
        sum += count_with_block(x, first, block, d) * d * (block == 10 ? 1 : 2);
      }
    }
  }
  return sum;
}

struct CapitalCityEffect {
  static constexpr Card card{
      .name = "CapitalCityEffect",
      .published = true,
      .family = Family::kArithmetic,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Add up, over a range of numbers, digit times squared run length over the runs of equal "
          "digits.",
      .levels = "The bound on the end of the range starts at 20 and grows by half each level.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the sum.",
      .differences =
          "The range ends in the upper half of what the level allows and covers a quarter of it or "
          "more; only the "
          "exact sum is solved.",
  };

  static constexpr std::int64_t kLargestR = std::int64_t{1} << 62;

  struct Config {
    std::int64_t MAX_R = 0;
    REDQUEEN_FIELDS(MAX_R)
  };
  struct Problem {
    std::int64_t MAX_R = 0;
    std::int64_t R = 0;
    std::int64_t L = 0;
    REDQUEEN_FIELDS(MAX_R, R, L)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_R = grow_by_half(20, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_R = config.MAX_R, .R = draw_upper_half(20, config.MAX_R, rng), .L = 0};
    problem.L = rng.integer(1, problem.R - problem.R / 4);
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_R = config.MAX_R, .R = rng.integer(20, config.MAX_R), .L = 0};
    problem.L = rng.integer(1, problem.R);
    return problem;
  }

  static Status check(const Problem& problem) {
    return within("R", problem.R, 1, kLargestR).and_then([&] {
      return within("L", problem.L, 1, problem.R);
    });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Cut the decimal digits of a positive integer x into runs of equal digits, each as long as "
        "possible. Every run counts its digit times the square of its length, and f(x) is the sum "
        "of this over all runs. For example, f(33088) = 3·2^2 + 0·1^2 + 8·2^2 = 44.\n"
        "Find the sum of f(x) over all integers x from {} to {}, both included.\n"
        "Answer with one integer.",
        problem.L, problem.R);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 0);
  }

  static Answer solve(const Problem& problem) {
    return Answer(prefix_sum(problem.R) - prefix_sum(problem.L - 1));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    // Every digit as a run of its own has 4.5 on average.
    const auto digits = static_cast<std::int64_t>(std::to_string(problem.R).size());
    const Int128 guess = Int128{problem.R - problem.L + 1} * digits * 9 / 2;
    return {{"count times digits times 4.5", format_answer(Answer(guess))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(CapitalCityEffect);

}  // namespace
}  // namespace redqueen
