#include <algorithm>
#include <array>
#include <functional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/random_modulus.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct KiddingMe : StoredResidue {
  static constexpr Card card{
      .name = "KiddingMe",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo a prime, the matrices of small integers that ascend along rows and along "
          "diagonals to the upper right.",
      .levels =
          "The bound on rows and columns starts at 3 and grows by a tenth and one each level. "
          "Beyond level 60 the table of the reference solution would take too long.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "Instead of one of two large primes, the modulus is a random one that is not above the "
          "count, so that there are more than a few problems a level; rows and columns lie in the "
          "upper half of their range.",
      .source = "Are you kidding me (骗我呢), JLOI 2015",
      .max_level = 60,
  };

  static constexpr std::int64_t kMaxSide = 5000;
  static constexpr std::int64_t kMaxModulus = 2'147'483'647;
  static constexpr std::int64_t kMaxDrawnModulus = 1'000'000'007;

  struct Config {
    std::int64_t MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    std::int64_t MAX_N_M = 0;
    std::int64_t N = 0;
    std::int64_t M = 0;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_N_M, N, M, MOD, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M,
                    .N = draw_upper_half(2, config.MAX_N_M, rng),
                    .M = draw_upper_half(2, config.MAX_N_M, rng)};
    // No fewer than with fewer rows and columns, which 20 of each suffice for.
    const double matrices = count<double>(std::min<std::int64_t>(problem.N, 20),
                                          std::min<std::int64_t>(problem.M, 20), std::plus());
    problem.MOD = draw_prime_modulus(matrices, 5, kMaxDrawnModulus, rng);
    problem.reference_answer = residue_of_count(problem);
    return problem;
  }

  // Rows and columns are uniform, and the modulus is one of two large primes.
  static Problem published(const Config& config, Rng& rng) {
    static constexpr std::array<std::int64_t, 2> kPrimes{1'000'000'007, 998'244'353};
    Problem problem{.MAX_N_M = config.MAX_N_M,
                    .N = rng.integer(2, config.MAX_N_M),
                    .M = rng.integer(2, config.MAX_N_M),
                    .MOD = rng.choice(kPrimes)};
    problem.reference_answer = residue_of_count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxSide));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxSide));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 2, kMaxModulus));
    return reference_is("reference_answer", problem.reference_answer, residue_of_count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Count the matrices X with {0} rows and {1} columns, filled with integers from 0 to {1} "
        "(both included, so {2} values are allowed), that have these two properties:\n"
        "1. Every row ascends strictly: X[i][j] < X[i][j+1] for 1 ≤ i ≤ {0}, 1 ≤ j < {1}.\n"
        "2. Every entry is less than the one to its upper right: X[i][j] < X[i-1][j+1] for 2 ≤ i "
        "≤ {0}, 1 ≤ j < {1}.\n"
        "{3}",
        problem.N, problem.M, problem.M + 1, ask_for_count_residue(problem.MOD));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"rows that do not depend on each other",
             format_answer(pow_mod(problem.M + 1, problem.N, problem.MOD))}};
  }

 private:
  // A row is 0 … M without one value. The second property says that this value is at least that of
  // the row above, less one.
  template <typename Number, typename Add>
  static Number count(std::int64_t rows, std::int64_t columns, Add add) {
    std::vector<Number> without(static_cast<std::size_t>(columns) + 1, Number{1});
    for (std::int64_t row = 1; row < rows; ++row) {
      Number sum = without[0];
      for (std::int64_t value = 0; value <= columns; ++value) {
        if (value < columns) sum = add(sum, without[value + 1]);
        without[value] = sum;
      }
    }
    Number total{0};
    for (const Number& ways : without) total = add(total, ways);
    return total;
  }

  static std::int64_t residue_of_count(const Problem& problem) {
    return count<std::int64_t>(problem.N, problem.M, [&](std::int64_t a, std::int64_t b) {
      return a + b >= problem.MOD ? a + b - problem.MOD : a + b;
    });
  }
};
REDQUEEN_ENVIRONMENT(KiddingMe);

}  // namespace
}  // namespace redqueen
