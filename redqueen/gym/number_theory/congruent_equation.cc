#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct CongruentEquation {
  static constexpr Card card{
      .name = "CongruentEquation",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Find the inverse of A modulo B.",
      .levels = "The bound on A and B starts at 5 and doubles each level.",
      .rewards =
          "-1 malformed or not positive, -0.5 no solution, 0 a solution that is not the smallest, "
          "1 the smallest.",
      .differences =
          "A is never 1 modulo B and seldom its own inverse, and B lies in the upper half of its "
          "range.",
      .source = "Congruence equation (同余方程), NOIP 2012",
      .version = 2,
      .max_level = 58,
  };

  static constexpr double kOwnInverseShare = 0.25;  // of the A drawn that are their own inverse
  static constexpr std::int64_t kMaxNumber = std::int64_t{1} << 62;

  struct Config {
    std::int64_t MAX_A_B = 0;
    REDQUEEN_FIELDS(MAX_A_B)
  };
  struct Problem {
    std::int64_t MAX_A_B = 0;
    std::int64_t A = 0;
    std::int64_t B = 0;
    REDQUEEN_FIELDS(MAX_A_B, A, B)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_A_B = multiply(5, 2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.MAX_A_B = config.MAX_A_B, .A = 0, .B = 0};
      problem.A = rng.integer(2, config.MAX_A_B);
      problem.B = draw_upper_half(3, config.MAX_A_B, rng);
      if (std::gcd(problem.A, problem.B) != 1 || problem.A % problem.B == 1) return std::nullopt;
      const bool own_inverse = mul_mod(problem.A, problem.A, problem.B) == 1;
      if (own_inverse && !rng.chance(kOwnInverseShare)) return std::nullopt;
      return problem;
    });
  }

  // Uniform A and B without a common factor.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_A_B = config.MAX_A_B, .A = 0, .B = 0};
    do {
      problem.A = rng.integer(1, config.MAX_A_B);
      problem.B = rng.integer(2, config.MAX_A_B);
    } while (std::gcd(problem.A, problem.B) != 1);
    return problem;
  }

  static Status check(const Problem& problem) {
    return within("A", problem.A, 1, kMaxNumber)
        .and_then([&] { return within("B", problem.B, 2, kMaxNumber); })
        .and_then([&]() -> Status {
          if (std::gcd(problem.A, problem.B) != 1) {
            return failure("\"A\" and \"B\": share a factor");
          }
          return {};
        });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Find the smallest positive integer x for which {}·x leaves remainder 1 when divided by "
        "{}.\n"
        "Answer with one integer.",
        problem.A, problem.B);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer <= 0) return kMalformedReward;
    if (mul_mod(problem.A, residue(answer, problem.B), problem.B) != 1) return kInvalidReward;
    return exact_reward(answer < problem.B);
  }

  static Answer solve(const Problem& problem) {
    return inverse_mod(problem.A, problem.B).value_or(0);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, problem.B - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"A itself", format_answer(problem.A % problem.B)},
            {"B - 1", format_answer(problem.B - 1)}};
  }
};
REDQUEEN_ENVIRONMENT(CongruentEquation);

}  // namespace
}  // namespace redqueen
