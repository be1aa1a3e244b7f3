#include <bit>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

// The limit modulo m. From some exponent on, 2^e mod m depends on e mod φ(m) alone, and the tower's
// exponents pass it: φ(m) is added so that the reduced exponent passes it, too.
std::int64_t tower_limit(std::int64_t modulus) {
  if (modulus == 1) return 0;
  const std::int64_t period = totient(modulus);
  return pow_mod(2, tower_limit(period) + period, modulus);
}

struct SelfPowerSequenceMOD {
  static constexpr Card card{
      .name = "SelfPowerSequenceMOD",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Find the residue at which the tower 2^2^2^… becomes constant modulo MOD.",
      .levels = "The bound on MOD starts at 16 and doubles each level.",
      .rewards = "-1 malformed, -0.5 not a residue, 0 wrong, 1 right.",
      .differences =
          "MOD lies in the upper half of its range, the residue is not 0 or 16, the commonest "
          "ones, and for most problems not that of a(4) = 65536 from level 3 on (half of them at "
          "level 2), nor that of a(5) = 2^65536 from level 5 on. A modulus of another kind is "
          "drawn again.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "A problem is one number MOD, and for all but one of those up to level 3, and all but "
          "eight at level 4, the remainder is that of 2^65536 already.",
      .guess_until_level = 4,
      .version = 2,
      .max_level = 57,
  };

  static constexpr std::int64_t kMaxModulus = std::int64_t{1} << 61;

  static constexpr std::int64_t kFourthTerm = 65536;
  static constexpr double kEarlyShare = 0.1;  // of problems that an early term may answer
  static constexpr double kEarlyShareAtFirst = 0.5;
  // From these bounds on, there are others; in the first range only three.
  static constexpr std::int64_t kFourthTermBound = 64;
  static constexpr std::int64_t kFourthTermSecondBound = 128;
  static constexpr std::int64_t kFifthTermBound = 512;

  struct Config {
    std::int64_t MAX_MOD = 0;
    REDQUEEN_FIELDS(MAX_MOD)
  };
  struct Problem {
    std::int64_t MAX_MOD = 0;
    std::int64_t MOD = 0;
    REDQUEEN_FIELDS(MAX_MOD, MOD)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.MAX_MOD = multiply(16, 2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const bool at_first = config.MAX_MOD < kFourthTermSecondBound;
    const bool may_be_early = rng.chance(at_first ? kEarlyShareAtFirst : kEarlyShare);
    for (;;) {
      const Problem problem{.MAX_MOD = config.MAX_MOD,
                            .MOD = draw_upper_half(3, config.MAX_MOD, rng)};
      const Answer limit = solve(problem);
      if (limit == 0 || limit == 16) continue;
      if (may_be_early || !is_early(problem, limit)) return problem;
    }
  }

  // Whether a term that is easily found is the answer, though there are problems where it is not.
  static bool is_early(const Problem& problem, Answer limit) {
    if (problem.MAX_MOD < kFourthTermBound) return false;
    if (limit == kFourthTerm % problem.MOD) return true;
    return problem.MAX_MOD >= kFifthTermBound && limit == pow_mod(2, kFourthTerm, problem.MOD);
  }

  // A uniform modulus.
  static Problem published(const Config& config, Rng& rng) {
    return {.MAX_MOD = config.MAX_MOD, .MOD = rng.integer(3, config.MAX_MOD)};
  }

  static Status check(const Problem& problem) { return within("MOD", problem.MOD, 1, kMaxModulus); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A sequence starts with a(0) = 1 and goes on with a(n) = 2^a(n-1): 1, 2, 4, 16, 65536, … "
        "From some n on, the remainder of a(n) divided by {0} stays the same. Find this "
        "remainder.\n"
        "Answer with one integer from 0 to {1}.",
        problem.MOD, problem.MOD - 1);
  }

  static double score(const Problem& problem, Answer answer, Answer right) {
    if (answer < 0 || answer >= problem.MOD) return kInvalidReward;
    return exact_reward(answer == right);
  }

  static Answer solve(const Problem& problem) { return tower_limit(problem.MOD); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.MOD - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"a(4) = 65536, reduced", format_answer(kFourthTerm % problem.MOD)},
            {"a(5) = 2^65536, reduced", format_answer(pow_mod(2, kFourthTerm, problem.MOD))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(SelfPowerSequenceMOD);

}  // namespace
}  // namespace redqueen
