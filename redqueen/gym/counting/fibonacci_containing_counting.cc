#include <algorithm>
#include <array>
#include <cmath>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct FibonacciContainingCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "FibonacciContainingCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the pairs of first elements from which a sequence of sums, as Fibonacci's, comes "
          "to a given number.",
      .levels =
          "The bound on the number starts at 10 and grows by half each level. Beyond level 90 the "
          "number would not fit 64 bits.",
      .rewards =
          "-1 malformed or negative, else (smaller / larger of answer and count)^10, which is 1 "
          "only if right.",
      .differences =
          "K is above a third of its range, and numbers for which the count is a round multiple "
          "of K are drawn less often.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "More than half of the count are the K - 1 pairs with the sum K, and the rest is nearly "
          "proportional to K, too: 1.75 K earns up to nine tenths of the reward, though it seldom "
          "solves. At levels 0 to 2 there are only about fifteen different problems each.",
      .guess_until_level = 2,
      .version = 2,
      .max_level = 90,
  };

  static constexpr std::int64_t kMaxNumber = std::int64_t{1} << 60;

  struct Config {
    std::int64_t MAX_K = 0;
    REDQUEEN_FIELDS(MAX_K)
  };
  struct Problem {
    std::int64_t MAX_K = 0;
    std::int64_t K = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_K, K, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_K = grow_by_half(10, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.MAX_K = config.MAX_K, .K = rng.integer(config.MAX_K / 3, config.MAX_K)};
      problem.reference_answer = count(problem.K);
      if (some_rule_solves<FibonacciContainingCounting>(problem) && rng.chance(0.85))
        return std::nullopt;
      return problem;
    });
  }

  // K is uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_K = config.MAX_K, .K = rng.integer(2, config.MAX_K)};
    problem.reference_answer = count(problem.K);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("K", problem.K, 2, kMaxNumber));
    return reference_is("reference_answer", problem.reference_answer, count(problem.K));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A pair of positive integers (a, b) begins the sequence f(0) = a, f(1) = b, f(n) = f(n-1) "
        "+ f(n-2) for n ≥ 2. How many pairs (a, b) are there for which some f(n) with n ≥ 2 is "
        "equal to {}? The pairs (a, b) and (b, a) are different unless a = b.\n"
        "Answer with one integer.",
        problem.K);
  }

  static std::vector<SimpleRule<BigInt>> rules(const Problem& problem) {
    const auto times = [&](int percent) { return (BigInt(problem.K) * percent + 50) / 100; };
    return {{"1.6 K", times(160)},
            {"1.65 K", times(165)},
            {"1.7 K", times(170)},
            {"1.75 K", times(175)},
            {"1.8 K", times(180)},
            {"the pairs with n = 2 and n = 3", problem.K - 1 + (problem.K - 1) / 2}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // f(n) = p a + q b with consecutive Fibonacci numbers p and q. f ascends from n = 2 on, so that
  // no pair counts twice.
  static std::int64_t count(std::int64_t number) {
    std::int64_t pairs = 0;
    std::int64_t p = 1;
    std::int64_t q = 1;
    while (q <= number - p) {
      // The least b ≥ 1 with q b ≡ K modulo p; further ones are p apart, as long as p a stays ≥ p.
      std::int64_t b = mul_mod(residue(number, p), *inverse_mod(q, p), p);
      if (b == 0) b = p;
      const Int128 room = Int128{number} - p - Int128{q} * b;
      if (room >= 0) pairs += static_cast<std::int64_t>(room / (Int128{p} * q)) + 1;
      p = std::exchange(q, p + q);
    }
    return pairs;
  }
};
REDQUEEN_ENVIRONMENT(FibonacciContainingCounting);

}  // namespace
}  // namespace redqueen
