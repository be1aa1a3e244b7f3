#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/prime_power_factorial.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct PairMoreOneCounting {
  static constexpr Card card{
      .name = "PairMoreOneCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count the pairs of binary strings of given lengths of which the first has more ones, "
          "and give the last digits of their number.",
      .levels =
          "The bound on the shorter length starts at 10 and doubles with every level; the bound on "
          "the difference of lengths starts at 5 and grows by a tenth and one. Beyond level 57 "
          "the lengths leave 64 bits.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "Three to five digits are asked for. The lengths are drawn such that these digits are "
          "not "
          "those of half of all pairs, as they are if the lengths differ by one, and mostly if "
          "they are large. Where that is possible, the shorter length lies in the upper half of "
          "its range.",
      .source = "Coin tossing (抛硬币), AHOI and HNOI 2017",
      .max_level = 57,
  };

  static constexpr int kDraws = 100;
  static constexpr int kMostDigits = 5;
  static constexpr std::int64_t kMaxLength = std::int64_t{1} << 61;
  static constexpr std::int64_t kMaxDifference = 5000;

  struct Config {
    std::int64_t MAX_M = 0;
    int MAX_delta = 0;
    REDQUEEN_FIELDS(MAX_M, MAX_delta)
  };
  struct Problem {
    std::int64_t MAX_M = 0;
    int MAX_delta = 0;
    std::int64_t M = 0;
    std::int64_t delta = 0;
    int K = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_M, MAX_delta, M, delta, K, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) {
    return {.MAX_M = multiply(10, 2, level), .MAX_delta = grow_by_tenth(5, level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] {
          Problem problem{.MAX_M = config.MAX_M, .MAX_delta = config.MAX_delta};
          problem.M = draw_length(config.MAX_M, rng);
          problem.delta = rng.integer(1, config.MAX_delta);
          if (problem.delta == 1) problem.delta = 0;
          problem.K = static_cast<int>(rng.integer(3, kMostDigits));
          problem.reference_answer = count(problem);
          return problem;
        },
        [](const Problem& problem) { return problem.reference_answer != half_of_all(problem); });
  }

  // Everything is uniform; one to five digits are asked for.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_M = config.MAX_M, .MAX_delta = config.MAX_delta};
    problem.M = rng.integer(1, config.MAX_M);
    problem.delta = rng.integer(0, config.MAX_delta);
    problem.K = static_cast<int>(rng.integer(1, kMostDigits));
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxLength));
    RETURN_IF_ERROR(within("delta", problem.delta, 0, kMaxDifference));
    RETURN_IF_ERROR(within("K", problem.K, 1, kMostDigits));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "How many pairs (S, T) are there of a string S of {} characters and a string T of {} "
        "characters, all characters being 0 or 1, such that S has strictly more ones than T? Give "
        "the remainder of this number when divided by 10^{}, which is {}.\n"
        "Answer with one integer from 0 to {}.",
        problem.M + problem.delta, problem.M, problem.K, modulus(problem), modulus(problem) - 1);
  }

  static double score(const Problem& problem, Answer answer) {
    return residue_reward(answer, problem.reference_answer, modulus(problem));
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, modulus(problem) - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"half of all pairs", format_answer(half_of_all(problem))}, {"0", "0"}};
  }

 private:
  static constexpr int kTwos = kMostDigits + 1;
  static constexpr std::int64_t kModulus = 200'000;  // 2^6 · 5^5, twice the largest of ours

  static std::int64_t modulus(const Problem& problem) {
    std::int64_t power = 1;
    for (int i = 0; i < problem.K; ++i) power *= 10;
    return power;
  }

  static std::int64_t half_of_all(const Problem& problem) {
    return pow_mod(2, 2 * problem.M + problem.delta - 1, modulus(problem));
  }

  // In the upper half of 1 … most, then with fewer 3 and 4 among its digits to base 5. By Kummer's
  // theorem, 5 divides C(2M + δ, M + i) as often as their addition carries: of lengths drawn
  // uniformly, nearly all large ones give half of all pairs modulo 10^5.
  static std::int64_t draw_length(std::int64_t most, Rng& rng) {
    std::int64_t length = draw_upper_half(1, most, rng);
    for (std::int64_t place = 1; place <= length / 25; place *= 5) {
      const std::int64_t digit = length / place % 5;
      if (digit >= 3) length -= place * rng.integer(digit - 2, digit);
    }
    return length;
  }

  // C(n, k) modulo kModulus. 0 ≤ k ≤ n.
  static std::int64_t choices(std::int64_t n, std::int64_t k) {
    static const PrimePowerFactorial two(2, kTwos);
    static const PrimePowerFactorial five(5, kMostDigits);
    const std::int64_t a = two.binomial(n, k);
    const std::int64_t b = five.binomial(n, k);
    // 1 modulo 2^6 and 0 modulo 5^5.
    static const std::int64_t unit =
        five.modulus() * *inverse_mod(five.modulus(), two.modulus()) % kModulus;
    return residue(b + (a - b) * unit, kModulus);
  }

  // With T's characters exchanged, S has more ones than T if both together have more than M. Of the
  // 2M + δ characters, M + i are ones as often as M + δ − i: twice the count is everything, and
  // once more what lies between M and M + δ; for δ = 0, less what lies at M.
  static std::int64_t count(const Problem& problem) {
    const std::int64_t characters = 2 * problem.M + problem.delta;
    std::int64_t twice = pow_mod(2, characters, kModulus);
    if (problem.delta == 0) twice += kModulus - choices(characters, problem.M);
    for (std::int64_t i = 1; i < problem.delta; ++i) {
      twice += choices(characters, problem.M + i);
    }
    return twice % kModulus / 2 % modulus(problem);
  }
};
REDQUEEN_ENVIRONMENT(PairMoreOneCounting);

}  // namespace
}  // namespace redqueen
