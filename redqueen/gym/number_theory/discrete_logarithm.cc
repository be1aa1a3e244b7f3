#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct DiscreteLogarithm {
  static constexpr Card card{
      .name = "DiscreteLogarithm",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kMinimise,
      .task = "Find the smallest exponent that turns X into K modulo Z.",
      .levels = "The bound on the modulus starts at 10 and grows by a fifth and one each level.",
      .rewards = "-1 malformed or negative, 0 if the power is not K, else (smallest/answer)^2.",
      .differences =
          "The modulus lies in the upper half of its range, and the smallest exponent is drawn "
          "first, from 2 to three quarters of the bound, and bases are drawn again until one has "
          "it; drawn plainly, 1 or 2 would be right for half of the problems.",
      .slow_reason = SlowReason::kStricter,
      .version = 2,
  };

  static constexpr std::int64_t kMaxModulus = std::int64_t{1} << 32;

  struct Config {
    std::int64_t MAX_Z = 0;
    REDQUEEN_FIELDS(MAX_Z)
  };
  struct Problem {
    std::int64_t MAX_Z = 0;
    std::int64_t Z = 0;
    std::int64_t X = 0;
    std::int64_t K = 0;
    REDQUEEN_FIELDS(MAX_Z, Z, X, K)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) {
    return {.MAX_Z =
                climb(std::int64_t{10}, level, [](std::int64_t z) { return (6 * z + 5) / 5; })};
  }

  static Problem generate(const Config& config, Rng& rng) {
    // Few bases have many different powers: for a large exponent it takes a while to find one.
    constexpr int kTries = 40;
    const std::int64_t exponent = rng.integer(2, config.MAX_Z * 3 / 4);
    for (int i = 0; i < kTries; ++i) {
      Problem problem{.MAX_Z = config.MAX_Z, .Z = 0, .X = 0, .K = 0};
      problem.Z = draw_upper_half(7, config.MAX_Z, rng);
      problem.X = rng.integer(2, problem.Z - 1);
      problem.K = pow_mod(problem.X, exponent, problem.Z);
      if (smallest_exponent(problem) == exponent) return problem;
    }
    throw Retry();
  }

  // A uniform modulus, and a uniform base and exponent from 2 up to it: the smallest exponent is
  // often 0, 1 or 2.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_Z = config.MAX_Z, .Z = rng.integer(2, config.MAX_Z), .X = 0, .K = 0};
    problem.X = rng.integer(2, problem.Z);
    problem.K = pow_mod(problem.X, rng.integer(2, problem.Z), problem.Z);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("Z", problem.Z, 1, kMaxModulus)
                         .and_then([&] { return within("X", problem.X, 0, kMaxModulus); })
                         .and_then([&] { return within("K", problem.K, 0, problem.Z - 1); });
        !sound) {
      return sound;
    }
    if (!discrete_log(problem.X, problem.K, problem.Z)) {
      return failure("\"K\": {} is no power of {} modulo {}", problem.K, problem.X, problem.Z);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Find the smallest integer y ≥ 0 for which {}^y leaves remainder {} when divided by {}. "
        "Any number to the power 0 is 1.\n"
        "Answer with one integer.",
        problem.X, problem.K, problem.Z);
  }

  static double score(const Problem& problem, const Answer& answer, const Answer& right) {
    if (answer < 0) return kMalformedReward;
    if (answer == right) return kSolvedReward;
    if (pow_mod(problem.X, answer, problem.Z) != problem.K) return 0.0;
    return minimise_reward(answer, right, 2.0);
  }

  static std::int64_t smallest_exponent(const Problem& problem) {
    return discrete_log(problem.X, problem.K, problem.Z).value_or(0);
  }

  static Answer solve(const Problem& problem) { return smallest_exponent(problem); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.Z);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(DiscreteLogarithm);

}  // namespace
}  // namespace redqueen
