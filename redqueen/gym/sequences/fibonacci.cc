#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"

namespace redqueen {
namespace {

struct Fibonacci {
  static constexpr Card card{
      .name = "Fibonacci",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Give an element, modulo 10000, of a sequence in which each element is a linear "
          "combination of the two before it.",
      .levels =
          "The bound on the element's index starts at 3 and doubles with every level up to 2^62.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "The factor of the older element has no divisor in common with 10, so that the sequence "
          "does not collapse to multiples of powers of 2 or 5.",
      .max_level = 60,
  };

  static constexpr std::int64_t kModulus = 10000;

  struct Config {
    std::int64_t MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t N = 0;
    std::int64_t A1 = 0;
    std::int64_t A2 = 0;
    std::int64_t P = 0;
    std::int64_t Q = 0;
    REDQUEEN_FIELDS(MAX_N, N, A1, A2, P, Q)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.MAX_N = multiply(3, 2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N,
                    .N = rng.integer(3, config.MAX_N),
                    .A1 = rng.integer(0, kModulus - 1),
                    .A2 = rng.integer(0, kModulus - 1),
                    .P = rng.integer(1, kModulus - 1),
                    .Q = 0};
    constexpr std::array kUnits{1, 3, 7, 9};
    problem.Q = 10 * rng.integer(0, kModulus / 10 - 1);
    problem.Q += rng.choice(kUnits);
    return problem;
  }

  // Everything is uniform.
  static Problem published(const Config& config, Rng& rng) {
    return {.MAX_N = config.MAX_N,
            .N = rng.integer(3, config.MAX_N),
            .A1 = rng.integer(0, kModulus - 1),
            .A2 = rng.integer(0, kModulus - 1),
            .P = rng.integer(1, kModulus - 1),
            .Q = rng.integer(1, kModulus - 1)};
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1) return failure("\"N\": {} is not positive", problem.N);
    for (const std::int64_t value : {problem.A1, problem.A2, problem.P, problem.Q}) {
      if (value < 0 || value >= kModulus) {
        return failure("\"A1\", \"A2\", \"P\", \"Q\": {} is not in 0..{}", value, kModulus - 1);
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A sequence is defined by A[1] = {}, A[2] = {} and, for every n > 2, A[n] = {}·A[n-1] + "
        "{}·A[n-2]. What is the remainder of A[{}] when divided by {}?\n"
        "Answer with one integer from 0 to {}.",
        problem.A1, problem.A2, problem.P, problem.Q, problem.N, kModulus, kModulus - 1);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == solve(problem));
  }

  // Modulo x² − P x − Q, x^(N−1) is some c + d x, and then A[N] = c A[1] + d A[2].
  static Answer solve(const Problem& problem) {
    struct Linear {
      std::int64_t c;
      std::int64_t d;
    };
    const auto times = [&](const Linear& a, const Linear& b) {
      const std::int64_t square = a.d * b.d % kModulus;
      return Linear{.c = (a.c * b.c + problem.Q * square) % kModulus,
                    .d = (a.c * b.d + a.d * b.c + problem.P * square) % kModulus};
    };
    Linear power{.c = 1, .d = 0};
    Linear base{.c = 0, .d = 1};
    for (std::int64_t exponent = problem.N - 1; exponent > 0; exponent /= 2) {
      if (exponent % 2 == 1) power = times(power, base);
      base = times(base, base);
    }
    return (power.c * problem.A1 + power.d * problem.A2) % kModulus;
  }

  static Answer random_answer(const Problem&, Rng& rng) { return rng.integer(0, kModulus - 1); }
};
REDQUEEN_ENVIRONMENT(Fibonacci);

}  // namespace
}  // namespace redqueen
