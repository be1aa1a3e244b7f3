#include <algorithm>
#include <array>
#include <limits>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
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
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Count the trailing zeros of N! in base K.",
      .levels = "The bound on N and K starts at 10 and grows by half each level.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "N lies in the upper half of its range and no prime of K exceeds half of N. From level "
          "3 on, the number of zeros comes from the greatest prime of K in half of the problems, "
          "from the least in the others; from level 10 on, in a third each, and else from one "
          "between. With uniform bases the greatest would do, and 0 and 1 would be right for half "
          "of the problems. Of several draws, each number of zeros is as likely.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "The answer is the least of a few quotients, one for each prime of K. Of small bases, up "
          "to level 2, that of the greatest prime is nearly always the least; of others, only two "
          "come into question mostly, so that either prime alone is right for half of the problems "
          "at most.",
      .guess_until_level = 2,
      .guess_bound = 0.65,
      .version = 4,
  };

  static constexpr std::int64_t kMaxNumber = std::int64_t{1} << 62;
  static constexpr std::int64_t kListed = 2048;  // bases up to here are listed by their decider
  static constexpr int kDraws = 12;
  static constexpr std::array kFactors{2, 2, 2, 3, 3, 5, 7, 11};

  // The prime of K that the answer comes from: its exponent in N!, by that in K, is the least.
  enum Decider : std::size_t {
    kGreatestOnce,  // the greatest, which K holds once
    kGreatest,      // the greatest, which K holds more than once
    kLeast,         // the least, not the greatest
    kBetween,       // neither
    kBoth,          // the greatest and the least alike, which are two: no such base is drawn
    kDeciders,
    kAny = kDeciders,
  };

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
    const Decider wanted = draw_decider(config.MAX_N_K, rng);
    return draw_spread(kDraws, rng, [&]() -> std::optional<std::pair<std::int64_t, Problem>> {
      Problem problem{.MAX_N_K = config.MAX_N_K, .N = 0, .K = 0};
      problem.N = draw_upper_half(3, config.MAX_N_K, rng);
      problem.K = draw_base(wanted, config.MAX_N_K, rng);
      const std::vector<PrimePower>& factors = base_factors(problem.K);
      if (factors.back().prime > problem.N / 2) return std::nullopt;
      const std::int64_t zeros = trailing_zeros(problem.N, factors);
      const auto decides = [&](const PrimePower& power) {
        return exponent_in_factorial(problem.N, power.prime) / power.exponent == zeros;
      };
      if (wanted != kAny && decider(factors, decides) != wanted) return std::nullopt;
      return std::pair(zeros, problem);
    });
  }

  static Decider draw_decider(std::int64_t limit, Rng& rng) {
    constexpr std::int64_t kLeastFrom = 33;     // smaller bases are decided by their greatest prime
    constexpr std::int64_t kBetweenFrom = 577;  // smaller ones by an end
    constexpr std::array kOfTwo{0.1, 0.4, 0.5, 0.0};
    constexpr std::array kOfThree{0.05, 0.3, 0.3, 0.35};
    if (limit < kLeastFrom) return kAny;
    return static_cast<Decider>(rng.weighted(limit < kBetweenFrom ? kOfTwo : kOfThree));
  }

  // decides(power) holds for at least one of the prime powers of a base.
  template <typename Decides>
  static Decider decider(const std::vector<PrimePower>& factors, Decides decides) {
    if (factors.size() > 1 && decides(factors.back()) && decides(factors.front())) return kBoth;
    if (decides(factors.back())) return factors.back().exponent == 1 ? kGreatestOnce : kGreatest;
    return decides(factors.front()) ? kLeast : kBetween;
  }

  // Those of listed bases are found once.
  static const std::vector<PrimePower>& base_factors(std::int64_t base) {
    static const std::vector<std::vector<PrimePower>> kFactorsOf = [] {
      std::vector<std::vector<PrimePower>> factors;
      for (std::int64_t n = 0; n <= kListed; ++n)
        factors.push_back(factorise(std::max<std::int64_t>(n, 1)));
      return factors;
    }();
    if (base <= kListed) return kFactorsOf[base];
    thread_local std::vector<PrimePower> found;
    found = factorise(base);
    return found;
  }

  // Bases, ascending, by what decides for large N: there p^e comes N / ((p - 1) e) times. A base
  // without two primes leaves no choice, and is not listed.
  static const std::vector<std::int64_t>& listed_bases(Decider wanted) {
    static const std::array<std::vector<std::int64_t>, kDeciders> kBases = [] {
      std::array<std::vector<std::int64_t>, kDeciders> bases;
      for (std::int64_t base = 2; base <= kListed; ++base) {
        const std::vector<PrimePower>& factors = base_factors(base);
        if (factors.size() < 2) continue;
        const auto rarity = [](const PrimePower& power) {
          return (power.prime - 1) * power.exponent;
        };
        const std::int64_t most = rarity(*std::ranges::max_element(factors, {}, rarity));
        bases[decider(factors, [&](const PrimePower& power) { return rarity(power) == most; })]
            .push_back(base);
      }
      return bases;
    }();
    return kBases[wanted];
  }

  // Any base, or a listed one, times small primes where there is room for them.
  static std::int64_t draw_base(Decider wanted, std::int64_t limit, Rng& rng) {
    if (wanted == kAny) return rng.integer(2, limit);
    const auto& bases = listed_bases(wanted);
    const auto fitting = std::ranges::upper_bound(bases, limit) - bases.begin();
    const std::int64_t base = bases[rng.below(static_cast<std::uint64_t>(fitting))];
    return limit > kListed ? base * draw_smooth(kFactors, limit / base, rng) : base;
  }

  // Uniform N and K.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_K = config.MAX_N_K, .N = 0, .K = 0};
    problem.N = rng.integer(3, config.MAX_N_K);
    problem.K = rng.integer(2, config.MAX_N_K);
    return problem;
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

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return exact_reward(answer == right);
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
    const auto [least, least_times] = base_factors(problem.K).front();
    const std::int64_t of_least = exponent_in_factorial(problem.N, least);
    return {{"exponent of the largest prime of K", format_answer(exponent)},
            {"the same by its exponent in K", format_answer(exponent / times)},
            {"exponent of the least prime of K by its exponent in K",
             format_answer(of_least / least_times)},
            {"N divided by K", format_answer(problem.N / problem.K)}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(FactorialTrailingZeroCount);

}  // namespace
}  // namespace redqueen
