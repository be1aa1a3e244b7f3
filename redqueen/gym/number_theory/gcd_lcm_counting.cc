#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

// A number up to `limit` with exactly `count` different prime factors; nullopt if the draw runs
// into the limit.
std::optional<std::int64_t> draw_with_prime_factors(int count, std::int64_t limit, Rng& rng) {
  std::vector<std::int64_t> primes;
  std::int64_t product = 1;
  for (int left = count; left > 0; --left) {
    // A factor below the root of what is left leaves room for the others.
    const double room = static_cast<double>(limit / product);
    const auto largest = static_cast<std::int64_t>(std::pow(room, 1.0 / left) * 1.5) + 1;
    std::int64_t prime = rng.integer(2, std::max<std::int64_t>(largest, 3));
    while (!is_prime(prime) || std::ranges::find(primes, prime) != primes.end()) ++prime;
    if (prime > limit / product) return std::nullopt;
    primes.push_back(prime);
    product *= prime;
  }
  while (!primes.empty() && rng.chance(0.6)) {
    const std::int64_t prime = rng.choice(primes);
    if (prime > limit / product) break;
    product *= prime;
  }
  return product;
}

struct GcdLcmCounting {
  static constexpr Card card{
      .name = "GcdLcmCounting",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the ordered pairs of positive integers with a given gcd and a given lcm.",
      .levels = "The bound on the lcm starts at 10 and grows by half each level.",
      .rewards =
          "-1 malformed or negative, 0 if neither 0 nor a power of two, else (min/max)^10 of the "
          "answer and the count.",
      .differences =
          "The number of primes that decides the count is drawn evenly; drawn through a uniform "
          "lcm, the answer 2 would be right for half of the problems.",
      .small_answer_space =
          "Every count is 0 or a power of two, and up to level 10 the bound allows few of them.",
      .guess_until_level = 10,
      .source =
          "Greatest common divisor and least common multiple (最大公约数和最小公倍数问题), NOIP "
          "2001",
  };

  static constexpr std::int64_t kMaxLcm = std::int64_t{1} << 62;

  struct Config {
    std::int64_t MAX_LCM = 0;
    REDQUEEN_FIELDS(MAX_LCM)
  };
  struct Problem {
    std::int64_t MAX_LCM = 0;
    std::int64_t LCM = 0;
    std::int64_t GCD = 0;
    REDQUEEN_FIELDS(MAX_LCM, LCM, GCD)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_LCM = grow_by_half(10, level)}; }

  // Kind 0 is the count 0, kind w + 1 the count 2^w.
  static Problem generate(const Config& config, Rng& rng) {
    int most_primes = 0;
    std::int64_t product = 1;
    for (const int prime : primes_up_to(53)) {
      if (prime > config.MAX_LCM / product) break;
      product *= prime;
      ++most_primes;
    }
    const auto kind = static_cast<int>(rng.below(static_cast<std::uint64_t>(most_primes) + 2));
    Problem problem{.MAX_LCM = config.MAX_LCM, .LCM = 0, .GCD = 0};
    if (kind == 0) {
      problem.LCM = rng.integer(3, config.MAX_LCM);
      problem.GCD = rng.integer(2, problem.LCM - 1);
      if (problem.LCM % problem.GCD == 0) throw Retry();
      return problem;
    }
    auto quotient = draw_with_prime_factors(kind - 1, config.MAX_LCM, rng);
    for (int attempt = 0; !quotient && attempt < 100; ++attempt) {
      quotient = draw_with_prime_factors(kind - 1, config.MAX_LCM, rng);
    }
    if (!quotient) throw Retry();
    problem.GCD = rng.integer(1, config.MAX_LCM / *quotient);
    problem.LCM = *quotient * problem.GCD;
    return problem;
  }

  // A uniform lcm and one of its divisors; in a hundredth of the problems, a gcd that does not
  // divide it.
  static Problem published(const Config& config, Rng& rng) {
    constexpr double kNoneShare = 0.01;
    Problem problem{.MAX_LCM = config.MAX_LCM, .LCM = 0, .GCD = 0};
    if (rng.chance(kNoneShare)) {
      do {
        problem.LCM = rng.integer(1, config.MAX_LCM);
        problem.GCD = rng.integer(1, problem.LCM);
      } while (problem.LCM % problem.GCD == 0);
      return problem;
    }
    problem.LCM = rng.integer(1, config.MAX_LCM);
    const std::vector<std::int64_t> divisors = divisors_of(problem.LCM);
    problem.GCD = rng.choice(divisors);
    return problem;
  }

  static Status check(const Problem& problem) {
    return within("LCM", problem.LCM, 1, kMaxLcm).and_then([&] {
      return within("GCD", problem.GCD, 1, kMaxLcm);
    });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "How many ordered pairs (P, Q) of positive integers have greatest common divisor {} and "
        "least common multiple {}? If P ≠ Q, the pairs (P, Q) and (Q, P) are different.\n"
        "Answer with the exact count, one integer (0 if there is none).",
        problem.GCD, problem.LCM);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    const bool possible = answer <= 0 || (answer & (answer - 1)) == 0;
    return possible || right == 0 ? count_reward(answer, right, 0) : 0.0;
  }

  // Each prime power of LCM/GCD goes to P or to Q as a whole.
  static Answer solve(const Problem& problem) {
    if (problem.LCM % problem.GCD != 0) return 0;
    return BigInt(1) << factorise(problem.LCM / problem.GCD).size();
  }

  static Answer random_answer(const Problem&, Rng& rng) {
    return BigInt(1) << static_cast<unsigned>(rng.below(5));
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(GcdLcmCounting);

}  // namespace
}  // namespace redqueen
