#include <array>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

constexpr std::array kWordings{
    "What is the least common multiple of {0} and {1}?",
    "lcm({0}, {1}) = ?",
    "Find the smallest positive integer that both {0} and {1} divide.",
    "Compute the least common multiple of {0} and {1}.",
    "Which is the smallest positive number that is a multiple of {0} and also of {1}?",
    "One lamp flashes every {0} seconds, another every {1} seconds, and both flash now. In how "
    "many seconds do they next flash together?",
    "Give the LCM of the numbers {0} and {1}.",
    "A positive integer is divisible by {0} and by {1}. How small can it be?",
    "Determine the least common multiple of the pair {0}, {1}.",
    "Multiples of {0} and multiples of {1} are listed in ascending order, starting above 0. What "
    "is the first number in both lists?",
};

struct LCM {
  static constexpr Card card{
      .name = "LCM",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Find the least common multiple of two numbers.",
      .levels = "The bound on both numbers starts at 15 and grows by half each level.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Most pairs share a factor and neither number divides the other; drawn uniformly, the "
          "product would be right for more than half of the problems.",
      .version = 2,
  };

  static constexpr double kUniformShare = 0.15;

  struct Config {
    std::int64_t MAX_a_b = 0;
    REDQUEEN_FIELDS(MAX_a_b)
  };
  struct Problem {
    std::int64_t MAX_a_b = 0;
    std::int64_t a = 0;
    std::int64_t b = 0;
    int prompt_template = 0;
    REDQUEEN_FIELDS(MAX_a_b, a, b, prompt_template)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_a_b = grow_by_half(15, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.MAX_a_b = config.MAX_a_b, .a = 0, .b = 0, .prompt_template = 0};
      problem.prompt_template = static_cast<int>(rng.below(kWordings.size()));
      if (rng.chance(kUniformShare)) {
        problem.a = rng.integer(2, config.MAX_a_b);
        problem.b = rng.integer(2, config.MAX_a_b);
        return problem;
      }
      const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(config.MAX_a_b)));
      const std::int64_t factor = rng.integer(2, std::max<std::int64_t>(2, root));
      problem.a = factor * draw_upper_half(2, config.MAX_a_b / factor, rng);
      problem.b = factor * rng.integer(2, config.MAX_a_b / factor);
      if (problem.a % problem.b == 0 || problem.b % problem.a == 0) return std::nullopt;
      if (rng.chance(0.5)) std::swap(problem.a, problem.b);
      return problem;
    });
  }

  // Two uniform numbers.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_a_b = config.MAX_a_b, .a = 0, .b = 0, .prompt_template = 0};
    problem.a = rng.integer(2, config.MAX_a_b);
    problem.b = rng.integer(2, config.MAX_a_b);
    problem.prompt_template = static_cast<int>(rng.below(kWordings.size()));
    return problem;
  }

  static Status check(const Problem& problem) {
    return within("a", problem.a, 1, kHugePositive)
        .and_then([&] { return within("b", problem.b, 1, kHugePositive); })
        .and_then([&] {
          return within("prompt_template", problem.prompt_template, 0, kWordings.size() - 1);
        });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(fmt::runtime(kWordings[problem.prompt_template]), problem.a, problem.b) +
           "\nAnswer with one integer.";
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == solve(problem));
  }

  static Answer solve(const Problem& problem) {
    return BigInt(problem.a / std::gcd(problem.a, problem.b)) * problem.b;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return BigInt(problem.a) * rng.integer(1, std::max<std::int64_t>(2, problem.b / 2));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the product", format_answer(BigInt(BigInt(problem.a) * problem.b))},
            {"the larger number", format_answer(std::max(problem.a, problem.b))},
            {"half of the product", format_answer(BigInt(BigInt(problem.a) * problem.b / 2))}};
  }
};
REDQUEEN_ENVIRONMENT(LCM);

}  // namespace
}  // namespace redqueen
