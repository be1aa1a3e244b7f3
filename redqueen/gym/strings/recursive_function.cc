#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"

namespace redqueen {
namespace {

// m halves on every way down, so there are at most about m^2 calls; the value has about m / 3
// digits.
template <typename Number>
Number value_of_f(int m, const Number& n) {
  if (m == 0) return n + 1;
  if (n == 0) return value_of_f<Number>(m - 1, 1);
  const int half = m / 2;
  const Number left = value_of_f<Number>(half, value_of_f<Number>(half, n / 2));
  return left + value_of_f<Number>(half, value_of_f<Number>(half, n - 1));
}

struct RecursiveFunction {
  static constexpr Card card{
      .name = "RecursiveFunction",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Evaluate a doubly recursive function of two integers.",
      .levels =
          "Both arguments are drawn from 1 up to a bound that grows from 3 by a tenth and one a "
          "level. Beyond level 36 the number of calls grows too large.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .max_level = 36,
  };

  static constexpr int kMaxM = 255;
  static constexpr std::int64_t kMaxN = 1'000'000;

  struct Config {
    int MAX_M_N = 0;
    REDQUEEN_FIELDS(MAX_M_N)
  };
  struct Problem {
    int MAX_M_N = 0;
    int M = 0;
    std::int64_t N = 0;
    REDQUEEN_FIELDS(MAX_M_N, M, N)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_M_N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto m = static_cast<int>(rng.integer(1, config.MAX_M_N));
    return {.MAX_M_N = config.MAX_M_N, .M = m, .N = rng.integer(1, config.MAX_M_N)};
  }

  static Status check(const Problem& problem) {
    if (problem.M < 0 || problem.M > kMaxM)
      return failure("\"M\": {} is not in 0..{}", problem.M, kMaxM);
    if (problem.N < 0 || problem.N > kMaxN)
      return failure("\"N\": {} is not in 0..{}", problem.N, kMaxN);
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "For integers m, n ≥ 0, the function f is defined by\n"
        "f(0, n) = n + 1,\n"
        "f(m, 0) = f(m - 1, 1) if m > 0,\n"
        "f(m, n) = f(h, f(h, floor(n / 2))) + f(h, f(h, n - 1)) with h = floor(m / 2), if m > 0 "
        "and n > 0.\n"
        "What is f({}, {})?\n"
        "Answer with one integer.",
        problem.M, problem.N);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return exact_reward(answer == right);
  }

  static Answer solve(const Problem& problem) {
    // f(63, 10^6) is below 2^58; the next m that doubles the depth, 64, is beyond 64 bits.
    if (problem.M < 64) return BigInt(value_of_f<std::int64_t>(problem.M, problem.N));
    return value_of_f<BigInt>(problem.M, problem.N);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(RecursiveFunction);

}  // namespace
}  // namespace redqueen
