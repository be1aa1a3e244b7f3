#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/box.h"

namespace redqueen {
namespace {

struct SumProductDivisorNum {
  static constexpr Card card{
      .name = "SumProductDivisorNum",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Add up the number of divisors of i·j over all i from 1 to N and j from 1 to M.",
      .levels =
          "The bound on N and M starts at 5 and grows by half each level. Beyond level 30 a table "
          "of the bound's size takes too long.",
      .rewards = "-1 malformed or not positive, else (min/max)^10 of the answer and the sum.",
      .differences = "N and M lie in the upper half of their range; only the exact sum is solved.",
      .source = "Sum of numbers of divisors (约数个数和), SDOI 2015",
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
        "Let d(x) be the number of positive divisors of x. Find the sum of d(i·j) over all ordered "
        "pairs of integers (i, j) with 1 ≤ i ≤ {} and 1 ≤ j ≤ {}.\n"
        "Answer with the exact sum, one integer.",
        problem.N, problem.M);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 1);
  }

  // d(i·j) is the number of coprime pairs (a | i, b | j); μ sorts the pairs by their gcd g, and
  // then ⌊N/g⌋ and ⌊M/g⌋ bound two sums of d that no longer depend on each other.
  static Answer solve(const Problem& problem) {
    const auto limit = static_cast<int>(std::min(problem.N, problem.M));
    const std::vector<int> moebius = moebius_up_to(limit);
    const std::vector<int> counts =
        divisor_counts_up_to(static_cast<int>(std::max(problem.N, problem.M)));
    std::vector<std::int64_t> sums(counts.size());
    std::partial_sum(counts.begin(), counts.end(), sums.begin(), std::plus<std::int64_t>());
    Int128 sum = 0;
    for (int g = 1; g <= limit; ++g) {
      sum += Int128{moebius[g]} * sums[problem.N / g] * sums[problem.M / g];
    }
    return BigInt(sum);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(SumProductDivisorNum);

}  // namespace
}  // namespace redqueen
