#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/quotient_blocks.h"
#include "redqueen/gym/common/number/triangular.h"
#include "redqueen/gym/common/parameter/box.h"

namespace redqueen {
namespace {

// 1 + … + n.
// 1² + … + n².
Int128 pyramid(std::int64_t n) { return Int128{n} * (n + 1) * (2 * Int128{n} + 1) / 6; }

// (n mod 1) + … + (n mod n).
Int128 remainder_sum(std::int64_t n) {
  Int128 sum = Int128{n} * n;
  for_each_quotient_block(n, [&](std::int64_t first, std::int64_t last, std::int64_t quotient) {
    sum -= (triangular(last) - triangular(first - 1)) * quotient;
  });
  return sum;
}

// Σ over i ≤ min(n, m) of (n mod i)·(m mod i).
Int128 remainder_product_sum(std::int64_t n, std::int64_t m) {
  Int128 sum = 0;
  for_each_quotient_block(
      n, m, std::min(n, m),
      [&](std::int64_t first, std::int64_t last, std::int64_t a, std::int64_t b) {
        sum += Int128{n} * m * (last - first + 1) + (pyramid(last) - pyramid(first - 1)) * a * b -
               (triangular(last) - triangular(first - 1)) * (Int128{n} * b + Int128{m} * a);
      });
  return sum;
}

struct SumMOD {
  static constexpr Card card{
      .name = "SumMOD",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Add up (N mod i)(M mod j) over all i from 1 to N and j from 1 to M that differ.",
      .levels =
          "The bound on N and M starts at 5 and grows by half each level. Beyond level 40 the sums "
          "leave 128 bits.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the sum.",
      .differences = "N and M lie in the upper half of their range; only the exact sum is solved.",
      .source = "Sum of products of remainders (模积和), Tsinghua training 2012",
      .max_level = 40,
  };

  static constexpr std::int64_t kMaxSize = 1'000'000'000;

  using Config = BoxConfig;
  using Problem = Box;
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return box_at_level(level); }

  static Problem generate(const Config& config, Rng& rng) { return draw_box(config, 3, rng); }

  // Uniform bounds.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M, .N = 0, .M = 0};
    problem.N = rng.integer(3, config.MAX_N_M);
    problem.M = rng.integer(3, config.MAX_N_M);
    return problem;
  }

  static Status check(const Problem& problem) { return check_box(problem, kMaxSize); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Find the sum of ({0} mod i) · ({1} mod j) over all pairs of integers (i, j) with 1 ≤ i ≤ "
        "{0}, 1 ≤ j ≤ {1} and i ≠ j. Here a mod b is the remainder of a divided by b.\n"
        "Answer with the exact sum, one integer.",
        problem.N, problem.M);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 0);
  }

  static Answer solve(const Problem& problem) {
    return BigInt(remainder_sum(problem.N) * remainder_sum(problem.M) -
                  remainder_product_sum(problem.N, problem.M));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(SumMOD);

}  // namespace
}  // namespace redqueen
