#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/number/prime_field.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SumSetMultiplication {
  static constexpr Card card{
      .name = "SumSetMultiplication",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Add up the products of all sequences of N different integers of 1 … K, modulo a prime.",
      .levels =
          "The bound on N starts at 3 and grows by one a level, the bound on K starts at 8 and "
          "grows by a half. Beyond level 43 it would pass the prime.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences = "N and K lie in the upper half of their ranges.",
      .source = "Calc, Chinese training team 2013 (集训队互测)",
      .max_level = 43,
  };

  static constexpr std::array<std::int64_t, 3> kPrimes{666'623'333, 998'244'353, 1'000'000'007};
  static constexpr std::int64_t kMostTerms = 200;
  static constexpr std::int64_t kMostNumbers = 600'000'000;

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
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_K, N, K, MOD, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) {
    return {.MAX_N = 3 + level, .MAX_K = grow_by_half(8, level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .MAX_K = config.MAX_K};
    problem.N = draw_upper_half(3, config.MAX_N, rng);
    problem.K = draw_upper_half(problem.N + 1, config.MAX_K, rng);
    problem.MOD = kPrimes[rng.below(kPrimes.size())];
    problem.reference_answer = sum_of_products(problem);
    return problem;
  }

  // N and K are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .MAX_K = config.MAX_K};
    problem.N = rng.integer(3, config.MAX_N);
    problem.K = rng.integer(problem.N + 1, config.MAX_K);
    problem.MOD = rng.choice(kPrimes);
    problem.reference_answer = sum_of_products(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMostTerms));
    RETURN_IF_ERROR(within("K", problem.K, 1, kMostNumbers));
    if (std::ranges::find(kPrimes, problem.MOD) == kPrimes.end()) {
      return failure("\"MOD\": expected {}, found {}", fmt::join(kPrimes, " or "), problem.MOD);
    }
    return reference_is("reference_answer", problem.reference_answer, sum_of_products(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Consider all sequences of {0} pairwise different integers from 1 to {1}. The order "
        "matters: sequences of the same integers in different orders are different. Multiply the "
        "{0} integers of each sequence, and add up the products of all sequences. What is the "
        "remainder of the sum when divided by {2}?\n"
        "Answer with one integer from 0 to {3}.",
        problem.N, problem.K, problem.MOD, problem.MOD - 1);
  }

  static double score(const Problem& problem, Answer answer) {
    return residue_reward(answer, problem.reference_answer, problem.MOD);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.MOD - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const PrimeField field(problem.MOD);
    std::int64_t orders = 1;
    for (std::int64_t i = 2; i <= problem.N; ++i) orders = field.multiply(orders, i);
    const std::int64_t sum = field.reduce(problem.K * (problem.K + 1) / 2);
    return {
        {"order does not matter", format_answer(field.divide(problem.reference_answer, orders))},
        {"integers may be equal", format_answer(field.power(sum, problem.N))}};
  }

 private:
  // N! times the N-th elementary symmetric polynomial of 1 … K, which is the Stirling number of the
  // first kind [K+1, K+1−N]: the sum over j of the second-order Eulerian numbers ⟪N, j⟫ times
  // C(K + 1 + j, 2N) (Graham, Knuth and Patashnik, Concrete Mathematics, equation 6.44). O(N²).
  static std::int64_t sum_of_products(const Problem& problem) {
    const PrimeField field(problem.MOD);
    const std::int64_t n = problem.N;
    std::vector<std::int64_t> eulerian(static_cast<std::size_t>(n) + 1);
    eulerian[0] = 1;  // ⟪0, 0⟫
    for (std::int64_t m = 1; m <= n; ++m) {
      for (std::int64_t j = m - 1; j >= 0; --j) {
        const std::int64_t below = j > 0 ? (2 * m - 1 - j) * eulerian[j - 1] : 0;
        eulerian[j] = field.reduce((j + 1) * eulerian[j] + below);
      }
    }
    std::int64_t sum = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      std::int64_t falling = eulerian[j];
      for (std::int64_t i = 0; i < 2 * n; ++i) {
        falling = field.multiply(falling, field.reduce(problem.K + 1 + j - i));
      }
      sum = field.add(sum, falling);
    }
    // N! / (2N)!
    std::int64_t divisor = 1;
    for (std::int64_t i = n + 1; i <= 2 * n; ++i) divisor = field.multiply(divisor, i);
    return field.divide(sum, divisor);
  }
};
REDQUEEN_ENVIRONMENT(SumSetMultiplication);

}  // namespace
}  // namespace redqueen
