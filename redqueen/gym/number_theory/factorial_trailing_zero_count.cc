#include <array>
#include <limits>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/number/smooth.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

// The exponent of a prime in n!, Σ ⌊n/p^t⌋ (Legendre).
std::int64_t exponent_in_factorial(std::int64_t n, std::int64_t prime) {
  std::int64_t exponent = 0;
  for (; n > 0; n /= prime) exponent += n / prime;
  return exponent;
}

struct FactorialTrailingZeroCount {
  static constexpr Card card{
      .name = "FactorialTrailingZeroCount",
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Count the trailing zeros of N! in base K.",
      .levels = "The bound on N and K starts at 10 and grows by half each level.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "N lies in the upper half of its range, no prime of K exceeds half of N, and for most "
          "bases it is not enough to count their largest prime, even by its exponent in K; with "
          "uniform bases 0 and 1 would be right for half of the problems.",
      .version = 3,
  };

  static constexpr std::int64_t kMaxNumber = std::int64_t{1} << 62;
  static constexpr double kPlainShare = 0.05;  // of bases that their largest prime decides
  static constexpr std::array kFactors{2, 2, 2, 3, 3, 5, 7, 11};

  struct Config {
    std::int64_t MAX_N_K = 0;
    REDQUEEN_FIELDS(MAX_N_K)
  };
  struct Problem {
    std::int64_t MAX_N_K = 0;
    std::int64_t N = 0;
    std::int64_t K = 0;
    REDQUEEN_FIELDS(MAX_N_K, N, K)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_N_K = grow_by_half(10, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    // Few small bases are of use, so that more draws are needed among them.
    const auto draws = static_cast<int>(12 + 500 / config.MAX_N_K);
    return draw_spread(draws, rng, [&]() -> std::optional<std::pair<std::int64_t, Problem>> {
      Problem problem{.MAX_N_K = config.MAX_N_K, .N = 0, .K = 0};
      problem.N = draw_upper_half(3, config.MAX_N_K, rng);
      problem.K = draw_base(config.MAX_N_K, rng);
      const std::vector<PrimePower>& factors = base_factors(problem.K);
      const auto [largest, times] = factors.back();
      if (largest > problem.N / 2) return std::nullopt;
      const std::int64_t zeros = trailing_zeros(problem.N, factors);
      const std::int64_t of_largest = exponent_in_factorial(problem.N, largest);
      const bool plain = zeros == of_largest || zeros == of_largest / times;
      if (plain && !rng.chance(kPlainShare)) return std::nullopt;
      return std::pair(zeros, problem);
    });
  }

  // Those of small bases are found once.
  static const std::vector<PrimePower>& base_factors(std::int64_t base) {
    constexpr std::int64_t kKept = 2048;
    static const std::vector<std::vector<PrimePower>> kFactorsOf = [] {
      std::vector<std::vector<PrimePower>> factors;
      for (std::int64_t n = 0; n <= kKept; ++n)
        factors.push_back(factorise(std::max<std::int64_t>(n, 1)));
      return factors;
    }();
    if (base <= kKept) return kFactorsOf[base];
    thread_local std::vector<PrimePower> found;
    found = factorise(base);
    return found;
  }

  // Uniform, or a product of small primes.
  static std::int64_t draw_base(std::int64_t limit, Rng& rng) {
    if (rng.chance(0.15)) return rng.integer(2, limit);
    return 2 * draw_smooth(kFactors, rng.integer(2, limit / 2), rng);
  }

  static Status check(const Problem& problem) {
    return within("N", problem.N, 0, kMaxNumber).and_then([&] {
      return within("K", problem.K, 2, kMaxNumber);
    });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "How many trailing zeros does {}! (factorial) have when it is written in base {}? Both "
        "numbers are given in base ten.\n"
        "Answer with one integer, in base ten.",
        problem.N, problem.K);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == solve(problem));
  }

  static Answer solve(const Problem& problem) {
    return trailing_zeros(problem.N, base_factors(problem.K));
  }

  // Of n! in the base with these factors.
  static std::int64_t trailing_zeros(std::int64_t n, const std::vector<PrimePower>& base) {
    std::int64_t zeros = std::numeric_limits<std::int64_t>::max();
    for (const auto& [prime, exponent] : base) {
      zeros = std::min(zeros, exponent_in_factorial(n, prime) / exponent);
    }
    return zeros;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

  // What is left of the task if one forgets that K may hold a prime more than once.
  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto [largest, times] = base_factors(problem.K).back();
    const std::int64_t exponent = exponent_in_factorial(problem.N, largest);
    return {{"exponent of the largest prime of K", format_answer(exponent)},
            {"the same by its exponent in K", format_answer(exponent / times)},
            {"N divided by K", format_answer(problem.N / problem.K)}};
  }
};
REDQUEEN_ENVIRONMENT(FactorialTrailingZeroCount);

}  // namespace
}  // namespace redqueen
