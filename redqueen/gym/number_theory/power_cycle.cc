#include <algorithm>
#include <concepts>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/random_integer.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

// Arithmetic of problems with few digits in 64 bits, of others in BigInt.
template <typename Number>
Number power_of(int base, int exponent) {
  if constexpr (std::same_as<Number, BigInt>) {
    return pow(BigInt(base), static_cast<unsigned>(exponent));
  } else {
    Number power = 1;
    for (int i = 0; i < exponent; ++i) power *= base;
    return power;
  }
}

template <typename Number>
Number raised(const Number& base, const Number& exponent, const Number& modulus) {
  if constexpr (std::same_as<Number, BigInt>) {
    return powm(base, exponent, modulus);
  } else {
    return pow_mod(base, exponent, modulus);
  }
}

// The multiplicative order of n modulo prime^k for prime 2 or 5, n not a multiple of it. The order
// d modulo 4 or 5 divides it; n^d is 1 + x with prime^v | x, and raising to the prime adds one to v
// each time (lifting the exponent).
template <typename Number>
Number order_modulo_power(const Number& n, int prime, int k) {
  const Number modulus = power_of<Number>(prime, k);
  const Number base = prime == 2 ? std::min(modulus, Number(4)) : Number(5);
  const Number rest_of_n = n % modulus;
  Number order = 1;
  while (raised<Number>(rest_of_n % base, order, base) != 1 % base) order *= 2;
  Number rest = raised<Number>(rest_of_n, order, modulus) - 1;
  if (rest <= 0) return order;
  int valuation = 0;
  for (; rest % prime == 0; rest /= prime) ++valuation;
  return order * power_of<Number>(prime, k - valuation);
}

// The period of the last k digits of the powers of n.
template <typename Number>
Number period_of(const Number& n, int k) {
  Number period = 1;
  for (const int prime : {2, 5}) {
    if (n % prime == 0) continue;
    const Number order = order_modulo_power<Number>(n, prime, k);
    if constexpr (std::same_as<Number, BigInt>) {
      period = lcm(period, order);
    } else {
      period = std::lcm(period, order);
    }
  }
  return period;
}

struct PowerCycle {
  static constexpr Card card{
      .name = "PowerCycle",
      .published = true,
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
      .slow_reason = SlowReason::kStricter,
      .source = "Cycles (循环), NOIP 2005",
      .version = 2,
      .max_level = 40,
  };

  static constexpr int kMaxDigits = 4000;
  static constexpr int kSmallPeriod = 4;
  static constexpr double kRefusedShare = 0.8;  // of draws with such a period
  static constexpr int kFewDigits = 9;          // products of two remainders then fit 64 bits
  static constexpr std::int64_t kLeastLongNumber = 1'000'000'000'000'000'000;

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
    if (config.digit_num <= kFewDigits) return draw_problem<std::int64_t>(config, rng);
    return draw_problem<BigInt>(config, rng);
  }

  template <typename Number>
  static Problem draw_problem(const Config& config, Rng& rng) {
    // Few digits allow few periods, and some of them are rare.
    const int draws = 4 + (config.digit_num <= kFewDigits ? 32 : 16) / config.digit_num;
    struct Draw {
      Number n;
      int k;
    };
    const Draw drawn = draw_spread(draws, rng, [&]() -> std::optional<std::pair<Number, Draw>> {
      const auto k = static_cast<int>(rng.integer(config.digit_num / 2 + 1, config.digit_num));
      const Number n = draw_number<Number>(k, config.digit_num, rng);
      if (n < 2) return std::nullopt;
      const Number period = period_of<Number>(n, k);
      // What is a multiple of all of them would earn too often.
      if (period <= kSmallPeriod && rng.chance(kRefusedShare)) return std::nullopt;
      return std::pair(period, Draw{n, k});
    });
    return {.digit_num = config.digit_num, .N = BigInt(drawn.n), .K = drawn.k};
  }

  // Below 10^K it is fixed by its remainders modulo 2^K and 5^K, where (5^K + 1) / 2 is the inverse
  // of 2; above, it is any.
  template <typename Number>
  static Number draw_number(int k, int digits, Rng& rng) {
    const Number twos = power_of<Number>(2, k);
    const Number fives = power_of<Number>(5, k);
    const Number by_two = draw_remainder<Number>(2, k, rng);
    const Number by_five = draw_remainder<Number>(5, k, rng);
    if (by_two == 0 && by_five == 0) return 0;
    const Number difference = (by_five - by_two % fives + fives) % fives;
    const Number inverse = raised<Number>(Number((fives + 1) / 2), Number(k), fives);
    return by_two + twos * (difference * inverse % fives) +
           power_of<Number>(10, k) *
               random_number<Number>(0, power_of<Number>(10, digits - k) - 1, rng);
  }

  template <typename Number>
  static Number random_number(const Number& low, const Number& high, Rng& rng) {
    if constexpr (std::same_as<Number, BigInt>) {
      return random_integer(low, high, rng);
    } else {
      return rng.integer(low, high);
    }
  }

  // Modulo prime^k: 0, or a root of unity times 1 + a multiple of a random power of the prime. The
  // higher that power, the smaller the order.
  template <typename Number>
  static Number draw_remainder(int prime, int k, Rng& rng) {
    if (rng.chance(0.25)) return 0;
    const Number modulus = power_of<Number>(prime, k);
    Number root = modulus - 1;
    if (prime == 5) {  // i, −1, −i or 1, where i is 2 raised until it no longer changes
      const Number i = raised<Number>(Number(2) % modulus, power_of<Number>(5, k - 1), modulus);
      root = raised<Number>(i, Number(rng.integer(1, 4)), modulus);
    } else if (rng.chance(0.5)) {
      root = 1;
    }
    const auto step = static_cast<int>(rng.integer(prime == 2 ? std::min(k, 2) : 1, k));
    const Number offset =
        power_of<Number>(prime, step) % modulus * random_number<Number>(1, modulus, rng) % modulus;
    return root * (1 + offset) % modulus;
  }

  // Uniform N and K, drawn again until the last K digits of N come back.
  static Problem published(const Config& config, Rng& rng) {
    const BigInt largest = power_of_ten(config.digit_num) - 1;
    Problem problem{.digit_num = config.digit_num, .N = 0, .K = 0};
    do {
      problem.N = random_integer(1, largest, rng);
      problem.K = static_cast<int>(rng.integer(1, config.digit_num));
    } while (config.digit_num <= kFewDigits
                 ? obstacle<std::int64_t>(static_cast<std::int64_t>(problem.N), problem.K) != 0
                 : obstacle<BigInt>(problem.N, problem.K) != 0);
    return problem;
  }

  // The prime, 2 or 5, for which the last k digits of n do not come back: n is a multiple of it,
  // but not of its k-th power. 0: they do.
  template <typename Number>
  static int obstacle(const Number& n, int k) {
    for (const int prime : {2, 5})
      if (n % prime == 0 && n % power_of<Number>(prime, k) != 0) return prime;
    return 0;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("K", problem.K, 1, kMaxDigits); !sound) return sound;
    static const BigInt kBeyond = power_of_ten(kMaxDigits);
    if (problem.N < 1 || problem.N >= kBeyond) {
      return failure("\"N\": expected 1 to {} digits of a positive integer", kMaxDigits);
    }
    if (const int prime = obstacle<BigInt>(problem.N, problem.K); prime != 0) {
      return failure(
          "\"N\": a multiple of {0} but not of {0}^{1}: its first power does not come back", prime,
          problem.K);
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

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    if (answer <= 0) return kMalformedReward;
    return answer % right == 0 ? minimise_reward(answer, right, 1.0) : 0.0;
  }

  static Answer solve(const Problem& problem) {
    if (problem.K <= kFewDigits && problem.N < kLeastLongNumber) {
      return period_of<std::int64_t>(problem.N.convert_to<std::int64_t>(), problem.K);
    }
    return period_of<BigInt>(problem.N, problem.K);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const auto fives = static_cast<int>(rng.integer(0, problem.K - 1));
    const auto twos = static_cast<int>(rng.integer(0, 2));
    return power_of<BigInt>(2, twos) * power_of<BigInt>(5, fives);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"4·5^(K-1)", format_answer(BigInt(4 * power_of<BigInt>(5, problem.K - 1)))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(PowerCycle);

}  // namespace
}  // namespace redqueen
