#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/quotient_blocks.h"
#include "redqueen/gym/common/number/xor_blocks.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SumXorDivisorNum {
  static constexpr Card card{
      .name = "SumXorDivisorNum",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Add up the number of divisors of i XOR j XOR X over all i from "
          "0 to N and j from 0 to "
          "M, where 0 has none.",
      .levels =
          "The bound on N, M and X starts at 5 and grows by half each "
          "level. Beyond level 35 the "
          "sums take too long.",
      .rewards =
          "-1 malformed or negative, else (min/max)^10 of the answer "
          "and the sum.",
      .differences =
          "N and M lie in the upper half of their range, X is not "
          "0; only the exact sum is solved.",
      .max_level = 35,
  };

  static constexpr std::int64_t kMaxSize = 10'000'000;

  struct Config {
    std::int64_t MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    std::int64_t MAX_N_M = 0;
    std::int64_t N = 0;
    std::int64_t M = 0;
    std::int64_t X = 0;
    REDQUEEN_FIELDS(MAX_N_M, N, M, X)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_half(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M, .N = 0, .M = 0, .X = 0};
    problem.N = draw_upper_half(3, config.MAX_N_M, rng);
    problem.M = draw_upper_half(3, config.MAX_N_M, rng);
    problem.X = rng.integer(1, config.MAX_N_M);
    return problem;
  }

  // Uniform N, M and X, which may be 0.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M, .N = 0, .M = 0, .X = 0};
    problem.N = rng.integer(3, config.MAX_N_M);
    problem.M = rng.integer(3, config.MAX_N_M);
    problem.X = rng.integer(0, config.MAX_N_M);
    return problem;
  }

  static Status check(const Problem& problem) {
    return within("N", problem.N, 1, kMaxSize)
        .and_then([&] { return within("M", problem.M, 1, kMaxSize); })
        .and_then([&] { return within("X", problem.X, 0, kMaxSize); });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "For an integer x ≥ 1, let d(x) be the number of its "
        "positive divisors, and let d(0) = 0. "
        "Find the sum of d(i XOR j XOR {2}) over all pairs of "
        "integers (i, j) with 0 ≤ i ≤ {0} and "
        "0 ≤ j ≤ {1}, where XOR is bitwise.\n"
        "Answer with the exact sum, one integer.",
        problem.N, problem.M, problem.X);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 0);
  }

  static Answer solve(const Problem& problem) {
    std::int64_t sum = 0;
    for_each_xor_block(problem.N + 1, problem.M + 1, problem.X,
                       [&](std::int64_t first, std::int64_t last, std::int64_t times) {
                         const std::int64_t before = first == 0 ? 0 : divisor_count_sum(first - 1);
                         sum += (divisor_count_sum(last) - before) * times;
                       });
    return BigInt(sum);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(SumXorDivisorNum);

}  // namespace
}  // namespace redqueen
