#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/box.h"
#include "redqueen/gym/common/parameter/redraw.h"

namespace redqueen {
namespace {

struct GCDPrime_Counting {
  static constexpr Card card{
      .name = "GCDPrime_Counting",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the pairs (x, y) with x from 1 to N and y from 1 to M whose gcd is prime.",
      .levels =
          "The bound on N and M starts at 5 and grows by half each level. Beyond level 30 a table "
          "of the bound's size takes too long.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the count.",
      .differences =
          "N and M lie in the upper half of their range; problems that the density of such pairs "
          "answers are drawn again; only the exact count is solved.",
      .source = "YY's GCD (YY 的 GCD), BZOJ 2820",
      .version = 2,
      .max_level = 30,
  };

  static constexpr std::int64_t kMaxSize = 1'000'000;

  using Config = BoxConfig;
  using Problem = Box;
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return box_at_level(level); }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      const Problem problem = draw_box(config, 2, rng);
      if (solve(problem) == estimate(problem)) return std::nullopt;
      return problem;
    });
  }

  // By the density of such pairs, (6/π²) · Σ 1/p².
  static std::int64_t estimate(const Problem& problem) {
    return std::lround(0.27493 * static_cast<double>(problem.N * problem.M));
  }

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
        "Count the ordered pairs of integers (x, y) with 1 ≤ x ≤ {} and 1 ≤ y ≤ {} whose greatest "
        "common divisor is a prime number (1 is not prime).\n"
        "Answer with the exact count, one integer.",
        problem.N, problem.M);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 0);
  }

  // Σ over primes p and k of μ(k)·⌊N/pk⌋·⌊M/pk⌋: coprime pairs in the box shrunk by p.
  static Answer solve(const Problem& problem) {
    const auto limit = static_cast<int>(std::min(problem.N, problem.M));
    const std::vector<int> moebius = moebius_up_to(limit);
    std::int64_t count = 0;
    for (const int prime : primes_up_to(limit)) {
      for (std::int64_t k = 1, t = prime; t <= limit; ++k, t += prime) {
        count += moebius[k] * (problem.N / t) * (problem.M / t);
      }
    }
    return count;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the density times N·M", format_answer(estimate(problem))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(GCDPrime_Counting);

}  // namespace
}  // namespace redqueen
