#include <algorithm>
#include <limits>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/random_modulus.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct Canon : StoredResidue {
  static constexpr Card card{
      .name = "Canon",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo a number, the sequences of different non-empty subsets in which every "
          "element occurs an even number of times.",
      .levels =
          "The bound on the number of elements and of subsets starts at 3 and grows by a tenth "
          "and one each level.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "N is at least 3 and, above level 0, M at least 4, as two different subsets always "
          "decide a third. Problems with the answer 0 are drawn again, and the modulus is a prime "
          "above M: the count is a multiple of M! and was 0 for half of the small problems. A "
          "modulus above the count is not drawn.",
      .slow_reason = SlowReason::kStricter,
      .source = "Canon (卡农), HNOI 2011",
  };

  static constexpr std::int64_t kMaxSize = 1'000'000;
  static constexpr std::int64_t kMaxModulus = 1'000'000'000;
  static constexpr std::int64_t kMaxDrawnModulus = 1'000'000;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int MAX_N_M = 0;
    std::int64_t N = 0;
    std::int64_t M = 0;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_N_M, N, M, MOD, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M,
                    .N = draw_upper_half(3, config.MAX_N_M, rng),
                    .M = draw_upper_half(std::min(4, config.MAX_N_M), config.MAX_N_M, rng)};
    // The count is below 2^(N·M); where that is little, it is found without a modulus.
    const double sequences = problem.N * problem.M <= 50
                                 ? static_cast<double>(count(problem, std::int64_t{1} << 60))
                                 : std::numeric_limits<double>::infinity();
    if (sequences == 0) throw Retry();
    problem.MOD = draw_prime_modulus(sequences, std::max<std::int64_t>(problem.M + 1, 5),
                                     kMaxDrawnModulus, rng);
    problem.reference_answer = count(problem, problem.MOD);
    if (problem.reference_answer == 0) throw Retry();
    return problem;
  }

  // The numbers of elements and of subsets are uniform up to their bound, and so is the modulus.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M,
                    .N = rng.integer(2, config.MAX_N_M),
                    .M = rng.integer(2, config.MAX_N_M),
                    .MOD = rng.integer(2, kMaxDrawnModulus)};
    problem.reference_answer = count(problem, problem.MOD);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxSize));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxSize));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 1, kMaxModulus));
    return reference_is("reference_answer", problem.reference_answer, count(problem, problem.MOD));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Count the sequences of {0} non-empty subsets of the set {{1, 2, …, {1}}} such that the "
        "{0} subsets of a sequence are all different and every number from 1 to {1} lies in an "
        "even number of them (which may be none). Sequences of the same subsets in a different "
        "order are different sequences.\n"
        "{2}",
        problem.M, problem.N, ask_for_count_residue(problem.MOD));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t subsets = pow_mod(2, problem.N, problem.MOD) - 1;
    std::int64_t ordered = 1;  // sequences of different subsets, but one less
    for (std::int64_t i = 0; i < problem.M - 1; ++i) {
      ordered = residue(Int128{ordered} * (subsets - i), problem.MOD);
    }
    return {{"the last subset follows from the others", format_answer(ordered)},
            {"two to the power of N times (M - 1)",
             format_answer(pow_mod(2, problem.N * (problem.M - 1), problem.MOD))}};
  }

 private:
  // Sequences of i subsets: i − 1 different ones decide the last. It is empty if they are such a
  // sequence themselves; it equals one of them, in one of i − 1 places, if the i − 2 others are
  // such a sequence, and then it is any of the T − (i − 2) subsets that are not among these.
  static std::int64_t count(const Problem& problem, std::int64_t modulus) {
    const std::int64_t subsets = residue(pow_mod(2, problem.N, modulus) - 1, modulus);  // T
    std::int64_t before = 1 % modulus;   // sequences of i − 2
    std::int64_t here = 0;               // of i − 1
    std::int64_t ordered = 1 % modulus;  // sequences of i − 1 different subsets, whatever they are
    for (std::int64_t i = 2; i <= problem.M; ++i) {
      ordered = mul_mod(ordered, subsets - (i - 2), modulus);
      const std::int64_t repeats =
          mul_mod(mul_mod(i - 1, subsets - (i - 2), modulus), before, modulus);
      before = std::exchange(here, residue(Int128{ordered} - here - repeats, modulus));
    }
    return here;
  }
};
REDQUEEN_ENVIRONMENT(Canon);

}  // namespace
}  // namespace redqueen
