#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct CirculatingDecimalCounting {
  static constexpr Card card{
      .name = "CirculatingDecimalCounting",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the values x/y with x up to N and y up to M whose expansion in base K repeats "
          "right after the point.",
      .levels =
          "The bounds on N and M start at 5 and grow by half each level, the base slowly. Beyond "
          "level 30 a table of the bound's size takes too long.",
      .rewards = "-1 malformed or not positive, else (min/max)^10 of the answer and the count.",
      .differences =
          "N and M lie in the upper half of their range; only the exact count is solved.",
      .source = "The beauty of cycles (循环之美), NOI 2016",
      .max_level = 30,
  };

  static constexpr std::int64_t kMaxSize = 1'000'000;

  struct Config {
    std::int64_t MAX_N = 0;
    std::int64_t MAX_M = 0;
    std::int64_t MAX_K = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_M, MAX_K)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t MAX_M = 0;
    std::int64_t MAX_K = 0;
    std::int64_t N = 0;
    std::int64_t M = 0;
    std::int64_t K = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_M, MAX_K, N, M, K)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) {
    const std::int64_t bound = grow_by_half(5, level);
    return {.MAX_N = bound, .MAX_M = bound, .MAX_K = grow_by_tenth(3, level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .MAX_M = config.MAX_M, .MAX_K = config.MAX_K};
    problem.N = draw_upper_half(1, config.MAX_N, rng);
    problem.M = draw_upper_half(1, config.MAX_M, rng);
    problem.K = rng.integer(2, config.MAX_K);
    return problem;
  }

  // Uniform N, M and K.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .MAX_M = config.MAX_M, .MAX_K = config.MAX_K};
    problem.N = rng.integer(1, config.MAX_N);
    problem.M = rng.integer(1, config.MAX_M);
    problem.K = rng.integer(2, config.MAX_K);
    return problem;
  }

  static Status check(const Problem& problem) {
    return within("N", problem.N, 1, kMaxSize)
        .and_then([&] { return within("M", problem.M, 1, kMaxSize); })
        .and_then([&] { return within("K", problem.K, 2, kMaxSize); });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Consider the rational numbers x/y with integers 1 ≤ x ≤ {} and 1 ≤ y ≤ {}, written in "
        "base {}. How many different numbers among them are purely periodic, that is, have digits "
        "after the point that consist of a repeating block from the first one on? Integers count "
        "(their block is 0); other numbers with a finite expansion do not. Equal fractions such as "
        "1/2 and 2/4 are one number.\n"
        "Answer with the exact count, one integer.",
        problem.N, problem.M, problem.K);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 1);
  }

  // Purely periodic are the reduced fractions whose denominator is coprime to K. For each common
  // divisor d of x and y the sum takes those with y coprime to K, signed by μ(d).
  static Answer solve(const Problem& problem) {
    std::vector<std::int64_t> coprime{0};  // entry t: how many of 1 … t are coprime to K, t < K
    for (std::int64_t t = 1; t < std::min(problem.K, problem.M + 1); ++t) {
      coprime.push_back(coprime.back() + (std::gcd(t, problem.K) == 1));
    }
    const auto coprime_up_to = [&](std::int64_t t) {
      return t < problem.K ? coprime[t] : t / problem.K * coprime.back() + coprime[t % problem.K];
    };
    const auto limit = static_cast<int>(std::min(problem.N, problem.M));
    const std::vector<int> moebius = moebius_up_to(limit);
    std::int64_t count = 0;
    for (int d = 1; d <= limit; ++d) {
      if (moebius[d] == 0 || std::gcd<std::int64_t>(d, problem.K) != 1) continue;
      count += moebius[d] * (problem.N / d) * coprime_up_to(problem.M / d);
    }
    return count;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(CirculatingDecimalCounting);

}  // namespace
}  // namespace redqueen
