#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MinNoSolutionLinearDiophantineEquation {
  static constexpr Card card{
      .name = "MinNoSolutionLinearDiophantineEquation",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Find the largest number that is no sum of multiples of two coprime numbers.",
      .levels = "The bound on both numbers starts at 16 and doubles each level.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences = "The larger number lies in the upper half of its range.",
      .source = "Xiao Kai's doubt (小凯的疑惑), NOIP 2017; the formula is Sylvester's",
      .version = 2,
      .max_level = 57,
  };

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

  static Config at_level(int level, Rng&) { return {.MAX_A_B = multiply(16, 2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.MAX_A_B = config.MAX_A_B, .A = 0, .B = 0};
      problem.A = draw_upper_half(3, config.MAX_A_B, rng);
      problem.B = rng.integer(2, config.MAX_A_B);
      if (std::gcd(problem.A, problem.B) != 1) return std::nullopt;
      if (rng.chance(0.5)) std::swap(problem.A, problem.B);
      return problem;
    });
  }

  // Uniform A and B without a common factor.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_A_B = config.MAX_A_B, .A = 0, .B = 0};
    do {
      problem.A = rng.integer(2, config.MAX_A_B);
      problem.B = rng.integer(2, config.MAX_A_B);
    } while (std::gcd(problem.A, problem.B) != 1);
    return problem;
  }

  static Status check(const Problem& problem) {
    // A gcd of the least 64-bit integer overflows; the ranges below refuse what this lets through.
    if (problem.A > 0 && problem.B > 0 && std::gcd(problem.A, problem.B) != 1) {
      return failure("\"A\" and \"B\": share a factor");
    }
    return within("A", problem.A, 2, kMaxNumber).and_then([&] {
      return within("B", problem.B, 2, kMaxNumber);
    });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Find the largest integer z for which {}·x + {}·y = z has no solution in non-negative "
        "integers x and y.\n"
        "Answer with one integer.",
        problem.A, problem.B);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == solve(problem));
  }

  // Sylvester 1882.
  static Answer solve(const Problem& problem) {
    return BigInt(Int128{problem.A} * problem.B - problem.A - problem.B);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the product", format_answer(BigInt(Int128{problem.A} * problem.B))}};
  }
};
REDQUEEN_ENVIRONMENT(MinNoSolutionLinearDiophantineEquation);

}  // namespace
}  // namespace redqueen
