#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SumGCDWithIndividual {
  static constexpr Card card{
      .name = "SumGCDWithIndividual",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Add up gcd(i, N) over all i from 1 to N.",
      .levels = "The bound on N starts at 32 and grows by half each level.",
      .rewards = "-1 malformed or not positive, else (min/max)^10 of the answer and the sum.",
      .differences =
          "N lies in the upper three quarters of its range and is rarely prime, because 2N - 1 "
          "answers every prime; only the exact sum is solved.",
      .source = "Longge's problem (Longge 的问题), SDOI 2012",
      .max_level = 90,
  };

  static constexpr std::int64_t kMaxN = std::int64_t{1} << 60;
  static constexpr double kPrimeShare = 0.1;  // of the primes drawn that are kept

  struct Config {
    std::int64_t MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t N = 0;
    REDQUEEN_FIELDS(MAX_N, N)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_half(32, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const Problem problem{.MAX_N = config.MAX_N, .N = rng.integer(config.MAX_N / 4, config.MAX_N)};
    if (is_prime(problem.N) && !rng.chance(kPrimeShare)) throw Retry();
    return problem;
  }

  // A uniform N, which may be prime.
  static Problem published(const Config& config, Rng& rng) {
    return {.MAX_N = config.MAX_N, .N = rng.integer(4, config.MAX_N)};
  }

  static Status check(const Problem& problem) { return within("N", problem.N, 1, kMaxN); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Find gcd(1, {0}) + gcd(2, {0}) + … + gcd({0}, {0}), the sum of gcd(i, {0}) over all "
        "integers i from 1 to {0}.\n"
        "Answer with the exact sum, one integer.",
        problem.N);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 1);
  }

  // The sum is multiplicative in N; at p^e it is p^(e−1)·(p + e·(p − 1)) (Pillai 1933).
  static Answer solve(const Problem& problem) {
    Int128 sum = problem.N;
    for (const auto& [prime, exponent] : factorise(problem.N)) {
      sum = sum / prime * (prime + exponent * (Int128{prime} - 1));
    }
    return BigInt(sum);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"2N - 1, as if N were prime", format_answer(BigInt(2 * BigInt(problem.N) - 1))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(SumGCDWithIndividual);

}  // namespace
}  // namespace redqueen
