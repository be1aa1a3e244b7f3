#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SumGCD {
  static constexpr Card card{
      .name = "SumGCD",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Add up gcd(i, j)^K over all i from 1 to N and j from 1 to M.",
      .levels =
          "The bound on N and M starts at 5 and grows by half each level; K is 1 to 5. Beyond "
          "level 30 a table of the bound's size takes too long.",
      .rewards = "-1 malformed or not positive, else (min/max)^10 of the answer and the sum.",
      .differences = "N and M lie in the upper half of their range; only the exact sum is solved.",
      .max_level = 30,
  };

  static constexpr std::int64_t kMaxSize = 1'000'000;
  static constexpr std::int64_t kMaxK = 5;  // sums of the largest sizes then stay within 128 bits

  struct Config {
    std::int64_t MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    std::int64_t MAX_N_M = 0;
    std::int64_t N = 0;
    std::int64_t M = 0;
    std::int64_t K = 0;
    REDQUEEN_FIELDS(MAX_N_M, N, M, K)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_half(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M, .N = 0, .M = 0, .K = 0};
    problem.N = draw_upper_half(2, config.MAX_N_M, rng);
    problem.M = draw_upper_half(2, config.MAX_N_M, rng);
    problem.K = rng.integer(1, kMaxK);
    return problem;
  }

  // Uniform N, M and K.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M, .N = 0, .M = 0, .K = 0};
    problem.N = rng.integer(2, config.MAX_N_M);
    problem.M = rng.integer(2, config.MAX_N_M);
    problem.K = rng.integer(1, kMaxK);
    return problem;
  }

  static Status check(const Problem& problem) {
    return within("N", problem.N, 1, kMaxSize)
        .and_then([&] { return within("M", problem.M, 1, kMaxSize); })
        .and_then([&] { return within("K", problem.K, 0, kMaxK); });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Find the sum of gcd(i, j){} over all ordered pairs of integers (i, j) with 1 ≤ i ≤ {} "
        "and 1 ≤ j ≤ {}.\n"
        "Answer with the exact sum, one integer.",
        problem.K == 1 ? "" : fmt::format("^{}", problem.K), problem.N, problem.M);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 1);
  }

  // n^K is the sum over d | n of Jordan's totient J_K(d), so each d counts ⌊N/d⌋·⌊M/d⌋ times.
  static Answer solve(const Problem& problem) {
    const auto limit = static_cast<int>(std::min(problem.N, problem.M));
    const auto jordan = multiplicative_up_to<Int128>(limit, [&](int prime, int exponent) {
      Int128 power = 1;
      for (std::int64_t i = 0; i < problem.K; ++i) power *= prime;
      Int128 value = power - 1;
      for (; exponent > 1; --exponent) value *= power;
      return value;
    });
    Int128 sum = 0;
    for (int d = 1; d <= limit; ++d) sum += jordan[d] * (problem.N / d) * (problem.M / d);
    return BigInt(sum);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(SumGCD);

}  // namespace
}  // namespace redqueen
