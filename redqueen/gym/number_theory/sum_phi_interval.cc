#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SumPHIInterval {
  static constexpr Card card{
      .name = "SumPHIInterval",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Add up, over all x from L to R, how many of 1 to x share a factor with x.",
      .levels =
          "The bound on R - L starts at 5 and grows by a tenth and one each level; L grows with "
          "its square. Beyond level 80 an interval takes too long.",
      .rewards =
          "-1 malformed or negative, else (min/max)^10 of the answer and the sum: the mean share "
          "of "
          "numbers with a common factor, 1 - 6/pi^2, earns much without solving.",
      .differences =
          "L and R - L lie in the upper halves of their ranges; only the exact sum is solved.",
      .max_level = 80,
  };

  static constexpr std::int64_t kMaxR = 1'000'000'000'000;
  static constexpr std::int64_t kMaxLength = 1'000'000;

  struct Config {
    std::int64_t MAX_DELTA = 0;
    REDQUEEN_FIELDS(MAX_DELTA)
  };
  struct Problem {
    std::int64_t MAX_DELTA = 0;
    std::int64_t L = 0;
    std::int64_t R = 0;
    REDQUEEN_FIELDS(MAX_DELTA, L, R)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_DELTA = grow_by_tenth(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_DELTA = config.MAX_DELTA, .L = 0, .R = 0};
    problem.L = draw_upper_half(1, config.MAX_DELTA * config.MAX_DELTA, rng);
    problem.R = problem.L + draw_upper_half(1, config.MAX_DELTA, rng);
    return problem;
  }

  // A uniform L and a uniform length.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_DELTA = config.MAX_DELTA, .L = 0, .R = 0};
    problem.L = rng.integer(1, config.MAX_DELTA * config.MAX_DELTA);
    problem.R = problem.L + rng.integer(1, config.MAX_DELTA);
    return problem;
  }

  static Status check(const Problem& problem) {
    return within("R", problem.R, 1, kMaxR).and_then([&] {
      return within("L", problem.L, std::max<std::int64_t>(1, problem.R - kMaxLength), problem.R);
    });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "For a positive integer x let F(x) be the number of integers t with 1 ≤ t ≤ x and gcd(t, "
        "x) > 1. Find the sum of F(x) over all integers x with {} ≤ x ≤ {}.\n"
        "Answer with the exact sum, one integer.",
        problem.L, problem.R);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 0);
  }

  // F(x) = x − φ(x), with φ from a sieve of the interval: what its small primes leave of x is 1 or
  // a prime.
  static Answer solve(const Problem& problem) {
    const auto length = static_cast<std::size_t>(problem.R - problem.L + 1);
    std::vector<std::int64_t> rest(length);
    for (std::size_t i = 0; i < length; ++i) rest[i] = problem.L + static_cast<std::int64_t>(i);
    std::vector<std::int64_t> totient = rest;
    const auto root = static_cast<int>(std::sqrt(static_cast<double>(problem.R)) + 1.0);
    for (const std::int64_t prime : primes_up_to(root)) {
      for (std::int64_t x = (problem.L + prime - 1) / prime * prime; x <= problem.R; x += prime) {
        const std::int64_t i = x - problem.L;
        totient[i] -= totient[i] / prime;
        while (rest[i] % prime == 0) rest[i] /= prime;
      }
    }
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < length; ++i) {
      if (rest[i] > 1) totient[i] -= totient[i] / rest[i];
      sum += problem.L + static_cast<std::int64_t>(i) - totient[i];
    }
    return sum;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    constexpr double kShare = 1.0 - 0.60792710185402662866;  // 1 − 6/π²
    const double sum = static_cast<double>(problem.R - problem.L + 1) *
                       static_cast<double>(problem.L + problem.R) / 2;
    return {
        {"the mean share of all numbers", format_answer(std::int64_t{std::llround(kShare * sum)})}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(SumPHIInterval);

}  // namespace
}  // namespace redqueen
