#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/count_answer.h"
#include "redqueen/gym/common/ladder.h"
#include "redqueen/gym/common/random_integer.h"
#include "redqueen/gym/common/spread.h"
#include "redqueen/gym/common/within.h"

namespace redqueen {
namespace {

BigInt power_of(int base, int exponent) {
  return pow(BigInt(base), static_cast<unsigned>(exponent));
}

// The multiplicative order of n modulo prime^k for prime 2 or 5, n not a multiple of it. The order
// d modulo 4 or 5 divides it; n^d is 1 + x with prime^v | x, and raising to the prime adds one to v
// each time (lifting the exponent).
BigInt order_modulo_power(const BigInt& n, int prime, int k) {
  const BigInt modulus = power_of(prime, k);
  const BigInt base = prime == 2 ? std::min(modulus, BigInt(4)) : BigInt(5);
  unsigned order = 1;
  while (powm(n, BigInt(order), base) != 1 % base) order *= 2;
  BigInt rest = powm(n, BigInt(order), modulus) - 1;
  if (rest <= 0) return order;
  int valuation = 0;
  for (; rest % prime == 0; rest /= prime) ++valuation;
  return order * power_of(prime, k - valuation);
}

struct PowerCycle {
  static constexpr Card card{
      .name = "PowerCycle",
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kOther,
      .task = "Find the period of the last K digits of the powers of N.",
      .levels =
          "The digits of N grow from 2 by a tenth and one a level; K is more than half as large. "
          "Beyond level 40 there are too many to write.",
      .rewards =
          "-1 malformed or not positive, 0 if the answer is no period, else smallest/answer.",
      .differences =
          "N is made from remainders modulo 2^K and 5^K whose orders are spread; under a uniform "
          "N, 4·5^(K-1) would be right for a third of the problems.",
      .max_level = 40,
  };

  static constexpr int kMaxDigits = 4000;

  struct Config {
    int digit_num = 0;
    REDQUEEN_FIELDS(digit_num)
  };
  struct Problem {
    int digit_num = 0;
    BigInt N;
    int K = 0;
    REDQUEEN_FIELDS(digit_num, N, K)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.digit_num = grow_by_tenth(2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    // Few digits allow few periods, and some of them are rare.
    const int draws = 4 + 16 / config.digit_num;
    return draw_spread(draws, rng, [&]() -> std::optional<std::pair<Answer, Problem>> {
      Problem problem{.digit_num = config.digit_num, .N = 0, .K = 0};
      problem.K = static_cast<int>(rng.integer(config.digit_num / 2 + 1, config.digit_num));
      problem.N = draw_number(problem.K, config.digit_num, rng);
      if (problem.N < 2) return std::nullopt;
      return std::pair(solve(problem), problem);
    });
  }

  // Below 10^K it is fixed by its remainders modulo 2^K and 5^K, where (5^K + 1) / 2 is the inverse
  // of 2; above, it is any.
  static BigInt draw_number(int k, int digits, Rng& rng) {
    const BigInt twos = power_of(2, k);
    const BigInt fives = power_of(5, k);
    const BigInt by_two = draw_remainder(2, k, rng);
    const BigInt by_five = draw_remainder(5, k, rng);
    if (by_two == 0 && by_five == 0) return 0;
    const BigInt difference = (by_five - by_two % fives + fives) % fives;
    const BigInt inverse = powm(BigInt((fives + 1) / 2), BigInt(k), fives);
    return by_two + twos * (difference * inverse % fives) +
           power_of_ten(k) * random_integer(0, power_of_ten(digits - k) - 1, rng);
  }

  // Modulo prime^k: 0, or a root of unity times 1 + a multiple of a random power of the prime. The
  // higher that power, the smaller the order.
  static BigInt draw_remainder(int prime, int k, Rng& rng) {
    if (rng.chance(0.25)) return 0;
    const BigInt modulus = power_of(prime, k);
    BigInt root = modulus - 1;
    if (prime == 5) {  // i, −1, −i or 1, where i is 2 raised until it no longer changes
      root = powm(powm(BigInt(2), power_of(5, k - 1), modulus), BigInt(rng.integer(1, 4)), modulus);
    } else if (rng.chance(0.5)) {
      root = 1;
    }
    const auto step = static_cast<int>(rng.integer(prime == 2 ? std::min(k, 2) : 1, k));
    const BigInt offset = power_of(prime, step) * random_integer(1, modulus, rng);
    return root * (1 + offset) % modulus;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("K", problem.K, 1, kMaxDigits); !sound) return sound;
    if (problem.N < 1 || problem.N >= power_of_ten(kMaxDigits)) {
      return failure("\"N\": expected 1 to {} digits of a positive integer", kMaxDigits);
    }
    for (const int prime : {2, 5}) {
      if (problem.N % prime == 0 && problem.N % power_of(prime, problem.K) != 0) {
        return failure(
            "\"N\": a multiple of {0} but not of {0}^{1}: its first power does not come back",
            prime, problem.K);
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Look at the last {0} decimal digits of the powers {1}^1, {1}^2, {1}^3, … (a power with "
        "fewer digits has zeros in front). Find the smallest L ≥ 1 such that for every a ≥ 1 they "
        "are the same for {1}^a and {1}^(a+L). There is such an L.\n"
        "Answer with one integer.",
        problem.K, problem.N.str());
  }

  static std::optional<Answer> parse(std::string_view answer) { return parse_integer(answer); }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer <= 0) return kMalformedReward;
    const Answer period = solve(problem);
    return answer % period == 0 ? minimise_reward(answer, period, 1.0) : 0.0;
  }

  static Answer solve(const Problem& problem) {
    Answer period = 1;
    for (const int prime : {2, 5}) {
      if (problem.N % prime != 0) {
        period = lcm(period, order_modulo_power(problem.N, prime, problem.K));
      }
    }
    return period;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const auto fives = static_cast<int>(rng.integer(0, problem.K - 1));
    const auto twos = static_cast<int>(rng.integer(0, 2));
    return power_of(2, twos) * power_of(5, fives);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"4·5^(K-1)", format_answer(BigInt(4 * power_of(5, problem.K - 1)))}};
  }
};
REDQUEEN_ENVIRONMENT(PowerCycle);

}  // namespace
}  // namespace redqueen
