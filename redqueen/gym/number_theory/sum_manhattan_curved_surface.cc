#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/quotient_blocks.h"
#include "redqueen/gym/common/number/triangular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

Int128 square_pyramid(std::int64_t n) { return Int128{n} * (n + 1) * (2 * Int128{n} + 1) / 6; }

// Σ over m ≤ n of m·d(m): every pair (a, b) with a·b ≤ n counts a·b.
Int128 weighted_divisor_sum(std::int64_t n) {
  Int128 sum = 0;
  for_each_quotient_block(n, [&](auto first, auto last, auto quotient) {
    sum += (triangular(last) - triangular(first - 1)) * triangular(quotient);
  });
  return sum;
}

// Σ of (x + y + z)² over positive integers with x·y·z ≤ n. By symmetry it is 3·Σ x² + 6·Σ xy: x
// leaves d(xyz/x) ways for y and z, and z leaves m·d(m) for the products m = xy.
Int128 octant_sum(std::int64_t n) {
  Int128 squares = 0;
  Int128 products = 0;
  Int128 below = 0;
  for_each_quotient_block(n, [&](auto first, auto last, auto quotient) {
    squares += (square_pyramid(last) - square_pyramid(first - 1)) * divisor_count_sum(quotient);
    const Int128 up_to_last = weighted_divisor_sum(last);
    products += (up_to_last - below) * quotient;
    below = up_to_last;
  });
  return 3 * squares + 6 * products;
}

struct SumManhattan_CurvedSurface {
  static constexpr Card card{
      .name = "SumManhattan_CurvedSurface",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Add up (|x| + |y| + |z|)^2 over all integer triples with A ≤ xyz ≤ B.",
      .levels =
          "The bound on A and B starts at 5 and grows by half each level. Beyond level 40 the sum "
          "takes too long.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the sum.",
      .differences =
          "B lies in the upper half of its range and the interval holds at least a quarter of the "
          "numbers below B; only the exact sum is solved.",
      .max_level = 40,
  };

  static constexpr std::int64_t kMaxB = 100'000'000;

  struct Config {
    std::int64_t MAX_A_B = 0;
    REDQUEEN_FIELDS(MAX_A_B)
  };
  struct Problem {
    std::int64_t MAX_A_B = 0;
    std::int64_t A = 0;
    std::int64_t B = 0;
    REDQUEEN_FIELDS(MAX_A_B, A, B)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_A_B = grow_by_half(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{
        .MAX_A_B = config.MAX_A_B, .A = 0, .B = draw_upper_half(2, config.MAX_A_B, rng)};
    problem.A = rng.integer(1, problem.B - problem.B / 4);
    return problem;
  }

  // A uniform A and a uniform B from it.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_A_B = config.MAX_A_B, .A = rng.integer(1, config.MAX_A_B), .B = 0};
    problem.B = rng.integer(problem.A, config.MAX_A_B);
    return problem;
  }

  static Status check(const Problem& problem) {
    return within("B", problem.B, 1, kMaxB).and_then([&] {
      return within("A", problem.A, 1, problem.B);
    });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Find the sum of (|x| + |y| + |z|)^2 over all ordered triples of integers (x, y, z) with "
        "{} ≤ x·y·z ≤ {}. Negative integers are allowed; triples that differ in order or in signs "
        "count separately.\n"
        "Answer with the exact sum, one integer.",
        problem.A, problem.B);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 0);
  }

  // A positive product allows four patterns of signs.
  static Answer solve(const Problem& problem) {
    return BigInt(4 * (octant_sum(problem.B) - octant_sum(problem.A - 1)));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(SumManhattan_CurvedSurface);

}  // namespace
}  // namespace redqueen
