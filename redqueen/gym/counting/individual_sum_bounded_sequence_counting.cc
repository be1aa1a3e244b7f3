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

namespace redqueen {
namespace {

struct IndividualSumBounded_SequenceCounting : StoredResidue {
  static constexpr Card card{
      .name = "IndividualSumBounded_SequenceCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo a number, the sequences of positive integers whose elements after the "
          "first are bounded and whose sum is bounded.",
      .levels =
          "The bound on the sum starts at 4 and doubles with every level. Beyond level 56 it "
          "would not fit 64 bits.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "The bound N lies in the upper half of its range, M is at least 2 and, where N allows "
          "it, K at least 3: otherwise the count is one short product. A modulus above the count "
          "is not drawn, unless that is below 10.",
      .small_answer_space = "At level 0 a handful of sequences fits the bounds.",
      .guess_until_level = 0,
      .source = "Sequence (数列), HNOI 2013",
      .max_level = 56,
  };

  static constexpr std::int64_t kMaxNumber = std::int64_t{1} << 60;
  static constexpr std::int64_t kMaxModulus = 1'000'000'000;

  struct Config {
    std::int64_t MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t N = 0;
    std::int64_t K = 0;
    std::int64_t M = 0;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_N, N, K, M, MOD, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N = multiply(4, 2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = draw_upper_half(3, config.MAX_N, rng)};
    // A size of K is drawn before K, so that few long elements are as likely as many short ones.
    const std::int64_t most = (problem.N - 1) / 2 + 1;  // which allow elements up to 2
    const std::int64_t least = std::min<std::int64_t>(3, most);
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most)));
    const std::int64_t size = std::int64_t{1} << rng.integer(1, bits - 1);
    problem.K = rng.integer(std::clamp(size, least, most), std::clamp(2 * size - 1, least, most));
    problem.M = rng.integer(2, (problem.N - 1) / (problem.K - 1));
    const auto n = static_cast<double>(problem.N);
    const auto k = static_cast<double>(problem.K);
    const auto m = static_cast<double>(problem.M);
    const double sequences = std::pow(m, k - 1.0) * (n - (k - 1.0) * (m + 1.0) / 2.0);
    problem.MOD = draw_modulus(std::max(sequences, 10.0), 2, kMaxModulus, rng);
    problem.reference_answer = count(problem);
    return problem;
  }

  // N is uniform, K on a logarithmic scale, M among what both allow, and the modulus is uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .N = rng.integer(2, config.MAX_N)};
    const double size = rng.real(1.0, std::log2(static_cast<double>(problem.N)));
    problem.K = std::min(static_cast<std::int64_t>(std::exp2(size)), problem.N);
    problem.M = rng.integer(1, (problem.N - 1) / (problem.K - 1));
    problem.MOD = rng.integer(2, kMaxModulus);
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxNumber));
    RETURN_IF_ERROR(within("K", problem.K, 2, problem.N));
    RETURN_IF_ERROR(within("M", problem.M, 1, (problem.N - 1) / (problem.K - 1)));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 1, kMaxModulus));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Count the sequences X[1], …, X[{0}] of {0} positive integers with these two properties:\n"
        "1. X[2] to X[{0}] are each at most {1}. (X[1] may be greater.)\n"
        "2. The sum of all {0} integers is at most {2}.\n"
        "{3}",
        problem.K, problem.M, problem.N, ask_for_count_residue(problem.MOD));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t modulus = problem.MOD;
    const std::int64_t rest = pow_mod(problem.M, problem.K - 1, modulus);
    return {{"the elements after the first are free", format_answer(rest)},
            {"X[1] may be anything up to N", format_answer(mul_mod(problem.N, rest, modulus))}};
  }

 private:
  // The bounds leave room for X[1] whatever the others are: N less their sum, which is (K − 1)(M +
  // 1)/2 on average.
  static std::int64_t count(const Problem& problem) {
    const std::int64_t modulus = problem.MOD;
    const std::int64_t others = pow_mod(problem.M, problem.K - 2, modulus);  // all but X[1], X[i]
    const Int128 sum_of_one = Int128{problem.M} * (problem.M + 1) / 2;
    const std::int64_t without_sum =
        mul_mod(residue(problem.N, modulus), residue(problem.M, modulus), modulus);
    const std::int64_t sums =
        mul_mod(residue(problem.K - 1, modulus), residue(sum_of_one, modulus), modulus);
    return mul_mod(residue(Int128{without_sum} - sums, modulus), others, modulus);
  }
};
REDQUEEN_ENVIRONMENT(IndividualSumBounded_SequenceCounting);

}  // namespace
}  // namespace redqueen
