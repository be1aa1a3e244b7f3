#include <algorithm>
#include <bit>
#include <cmath>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/random_modulus.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct FixedModK_Selection_Counting : StoredResidue {
  static constexpr Card card{
      .name = "FixedModK_Selection_Counting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo a number, the subsets of a set of N·K elements whose size leaves the "
          "remainder R when divided by K.",
      .levels =
          "The bound on N starts at 8 and doubles, that on K starts at 5 and grows by a tenth and "
          "one each level. Beyond level 35 the products of the reference solution would take too "
          "long.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "N and K lie in the upper half of their ranges and K is at least 4: for 2 and 3, and "
          "for a few R otherwise, which are drawn again, the answer is a power of two over K, "
          "rounded. The modulus is large, but not above the count.",
      .source = "Combination problem (组合数问题), six provinces' joint selection 2017",
      .max_level = 35,
  };

  static constexpr std::int64_t kMaxK = 1000;
  static constexpr std::int64_t kMaxN = std::int64_t{1} << 50;
  static constexpr std::int64_t kMaxModulus = 1'000'000'000;
  static constexpr std::int64_t kMaxDrawnModulus = 1'000'000;

  struct Config {
    std::int64_t MAX_N = 0;
    std::int64_t MAX_K = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_K)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t MAX_K = 0;
    std::int64_t N = 0;
    std::int64_t K = 0;
    std::int64_t R = 0;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_K, N, K, R, MOD, reference_answer)
  };

  static Config at_level(int level, Rng&) {
    return {.MAX_N = multiply(8, 2, level), .MAX_K = grow_by_tenth(5, level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N,
                    .MAX_K = config.MAX_K,
                    .N = draw_upper_half(1, config.MAX_N, rng),
                    .K = draw_upper_half(4, config.MAX_K, rng)};
    problem.R = rng.integer(0, problem.K - 1);
    const double subsets =
        std::exp2(static_cast<double>(problem.N * problem.K)) / static_cast<double>(problem.K);
    problem.MOD = draw_modulus(subsets, 2, kMaxDrawnModulus, rng);
    problem.reference_answer = count(problem);
    if (some_rule_solves<FixedModK_Selection_Counting>(problem)) throw Retry();
    return problem;
  }

  // Everything is uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N,
                    .MAX_K = config.MAX_K,
                    .N = rng.integer(1, config.MAX_N),
                    .K = rng.integer(2, config.MAX_K)};
    problem.R = rng.integer(0, problem.K - 1);
    problem.MOD = rng.integer(2, kMaxDrawnModulus);
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    RETURN_IF_ERROR(within("K", problem.K, 1, kMaxK));
    RETURN_IF_ERROR(within("R", problem.R, 0, problem.K - 1));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 1, kMaxModulus));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "How many subsets of a set of {0} elements have a size that leaves the remainder {1} when "
        "divided by {2}? (This is the sum of the binomial coefficients C({0}, {1}), C({0}, {1} + "
        "{2}), C({0}, {1} + 2·{2}) and so on.)\n"
        "{3}",
        problem.N * problem.K, problem.R, problem.K, ask_for_count_residue(problem.MOD));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    // ⌊2^(NK) / K⌋ modulo MOD.
    const std::int64_t share =
        pow_mod(2, problem.N * problem.K, problem.K * problem.MOD) / problem.K;
    return {{"all subsets over K, rounded down", share},
            {"all subsets over K, rounded up", (share + 1) % problem.MOD}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Sizes modulo K are exponents of z modulo z^K − 1: the coefficient of z^R in (1 + z)^(NK), by
  // squaring.
  static std::int64_t count(const Problem& problem) {
    const auto k = static_cast<std::size_t>(problem.K);
    const auto modulus = static_cast<std::uint64_t>(problem.MOD);
    const std::uint64_t square_of_modulus = modulus * modulus;
    const auto size = static_cast<std::uint64_t>(problem.N * problem.K);
    std::vector<std::uint64_t> power(k);
    std::vector<std::uint64_t> square(2 * k);
    power[0] = 1 % modulus;
    for (int bit = static_cast<int>(std::bit_width(size)) - 1; bit >= 0; --bit) {
      std::ranges::fill(square, 0);
      for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < k; ++j) {
          std::uint64_t& sum = square[i + j];  // stays below twice the square of the modulus
          sum += power[i] * power[j];
          if (sum >= square_of_modulus) sum -= square_of_modulus;
        }
      }
      for (std::size_t i = 0; i < k; ++i) power[i] = (square[i] + square[i + k]) % modulus;
      if ((size >> bit & 1) == 0) continue;
      std::uint64_t before = power[k - 1];  // times 1 + z
      for (std::uint64_t& coefficient : power) {
        before = std::exchange(coefficient, (coefficient + before) % modulus);
      }
    }
    return static_cast<std::int64_t>(power[problem.R]);
  }
};
REDQUEEN_ENVIRONMENT(FixedModK_Selection_Counting);

}  // namespace
}  // namespace redqueen
