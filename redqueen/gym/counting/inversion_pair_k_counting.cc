#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/random_modulus.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct InversionPairK_Counting : StoredResidue {
  static constexpr Card card{
      .name = "InversionPairK_Counting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Count, modulo a number, the permutations with a given number of inversions.",
      .levels =
          "The length starts at 3 and grows by a tenth and one each level. Beyond level 35 the "
          "table of the reference solution would take too long.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "The number of inversions lies in the middle half of its range, where counts are not "
          "tiny, and a modulus above the count is not drawn, unless that is below 10.",
      .small_answer_space = "At level 0 there are six permutations of three elements.",
      .guess_until_level = 0,
      .source = "Inversion pair sequences (逆序对数列), HAOI 2009",
      .max_level = 35,
  };

  static constexpr std::int64_t kMaxLength = 400;
  static constexpr std::int64_t kMaxModulus = 1'000'000'000;
  static constexpr std::int64_t kMaxDrawnModulus = 1'000'000;

  struct Config {
    std::int64_t N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    std::int64_t N = 0;
    std::int64_t K = 0;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, K, MOD, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t pairs = config.N * (config.N - 1) / 2;
    Problem problem{.N = config.N, .K = rng.integer(pairs / 4, pairs - pairs / 4)};
    if (config.N <= 20) {  // 20! fits 64 bits
      const std::int64_t permutations = count(problem, std::int64_t{1} << 62);
      problem.MOD = draw_modulus(static_cast<double>(std::max<std::int64_t>(permutations, 10)), 2,
                                 kMaxDrawnModulus, rng);
      problem.reference_answer = permutations % problem.MOD;
    } else {
      problem.MOD = rng.integer(kMaxDrawnModulus / 2, kMaxDrawnModulus);
      problem.reference_answer = count(problem, problem.MOD);
    }
    return problem;
  }

  // K and the modulus are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N,
                    .K = rng.integer(0, config.N * (config.N - 1) / 2),
                    .MOD = rng.integer(2, kMaxDrawnModulus)};
    problem.reference_answer = count(problem, problem.MOD);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(within("K", problem.K, 0, problem.N * (problem.N - 1) / 2));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 1, kMaxModulus));
    return reference_is("reference_answer", problem.reference_answer, count(problem, problem.MOD));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "An inversion of a sequence is a pair of places i < j such that the element at place i is "
        "greater than the one at place j. Count the permutations of the numbers 1 to {} that have "
        "exactly {} inversion{}.\n"
        "{}",
        problem.N, problem.K, problem.K == 1 ? "" : "s", ask_for_count_residue(problem.MOD));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::int64_t permutations = 1;
    for (std::int64_t i = 2; i <= problem.N; ++i) permutations = permutations * i % problem.MOD;
    return {{"K itself", format_answer(problem.K % problem.MOD)},
            {"all permutations", format_answer(permutations)}};
  }

 private:
  // Element after element: the i-th makes 0 to i − 1 inversions with those before it. As many
  // permutations have K inversions as have all but K.
  static std::int64_t count(const Problem& problem, std::int64_t modulus) {
    const std::int64_t inversions =
        std::min(problem.K, problem.N * (problem.N - 1) / 2 - problem.K);
    std::vector<std::int64_t> with(static_cast<std::size_t>(inversions) + 1);
    std::vector<std::int64_t> next(with.size());
    with[0] = 1 % modulus;
    for (std::int64_t i = 2; i <= problem.N; ++i) {
      std::int64_t window = 0;  // of the last i entries
      for (std::int64_t k = 0; k <= inversions; ++k) {
        window += with[k];
        if (window >= modulus) window -= modulus;
        if (k >= i) {
          window -= with[k - i];
          if (window < 0) window += modulus;
        }
        next[k] = window;
      }
      std::swap(with, next);
    }
    return with[inversions];
  }
};
REDQUEEN_ENVIRONMENT(InversionPairK_Counting);

}  // namespace
}  // namespace redqueen
