#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/number/triangular.h"
#include "redqueen/gym/common/parameter/box.h"

namespace redqueen {
namespace {

struct SumLCM {
  static constexpr Card card{
      .name = "SumLCM",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Add up lcm(i, j) over all i from 1 to N and j from 1 to M.",
      .levels =
          "The bound on N and M starts at 5 and grows by half each level. Beyond level 30 a table "
          "of the bound's size takes too long.",
      .rewards = "-1 malformed or not positive, else (min/max)^10 of the answer and the sum.",
      .differences = "N and M lie in the upper half of their range; only the exact sum is solved.",
      .source = "Crash's number table (Crash 的数字表格), national team of China",
      .max_level = 30,
  };

  static constexpr std::int64_t kMaxSize = 1'000'000;

  using Config = BoxConfig;
  using Problem = Box;
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return box_at_level(level); }

  static Problem generate(const Config& config, Rng& rng) { return draw_box(config, 2, rng); }

  // Uniform bounds.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M, .N = 0, .M = 0};
    problem.N = rng.integer(2, config.MAX_N_M);
    problem.M = rng.integer(2, config.MAX_N_M);
    return problem;
  }

  static Status check(const Problem& problem) { return check_box(problem, kMaxSize); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Find the sum of lcm(i, j), the least common multiple, over all ordered pairs of integers "
        "(i, j) with 1 ≤ i ≤ {} and 1 ≤ j ≤ {}.\n"
        "Answer with the exact sum, one integer.",
        problem.N, problem.M);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 1);
  }

  // Σ over t of t·w(t)·T(⌊N/t⌋)·T(⌊M/t⌋), where T(x) = x(x+1)/2 and w(t) = Σ over k | t of μ(k)·k,
  // by Möbius inversion of the sum over pairs with gcd d.
  static Answer solve(const Problem& problem) {
    const auto limit = static_cast<int>(std::min(problem.N, problem.M));
    const auto weight = multiplicative_up_to<std::int64_t>(
        limit, [](int prime, int) { return std::int64_t{1} - prime; });
    Int128 sum = 0;
    for (int t = 1; t <= limit; ++t) {
      sum += Int128{t} * weight[t] * triangular(problem.N / t) * triangular(problem.M / t);
    }
    return BigInt(sum);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(SumLCM);

}  // namespace
}  // namespace redqueen
