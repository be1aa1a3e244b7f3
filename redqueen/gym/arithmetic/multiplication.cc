#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/random_integer.h"

namespace redqueen {
namespace {

constexpr std::array kMultiplicationWordings{
    "{0} * {1} = ?",
    "What is {0} times {1}?",
    "Multiply {0} by {1}.",
    "Find the product of {0} and {1}.",
    "Work out {0} × {1}.",
    "How much is {0} multiplied by {1}?",
    "Two numbers are given: {0} and {1}. What is their product?",
    "Evaluate the expression {0} * {1}.",
    "What do you get when you multiply {0} and {1}?",
    "A table has {0} rows of {1} cells each. How many cells does it have?",
};

struct Multiplication {
  static constexpr Card card{
      .name = "Multiplication",
      .published = true,
      .family = Family::kArithmetic,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Multiply two integers.",
      .levels = "Factors have up to 2 digits and one more each level.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences = "Factors are at least 2.",
  };

  // Python reads integers of up to 4300 digits, so a longer product could not be answered.
  static constexpr unsigned kMaxBits = 7000;

  struct Config {
    int digit_num = 0;
    REDQUEEN_FIELDS(digit_num)
  };
  struct Problem {
    int digit_num = 0;
    BigInt a;
    BigInt b;
    int prompt_template = 0;
    REDQUEEN_FIELDS(digit_num, a, b, prompt_template)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.digit_num = 2 + level}; }

  static Problem generate(const Config& config, Rng& rng) { return drawn(config, 2, rng); }

  static Problem published(const Config& config, Rng& rng) { return drawn(config, 0, rng); }

  static Problem drawn(const Config& config, int least, Rng& rng) {
    const BigInt largest = power_of_ten(config.digit_num) - 1;
    Problem problem{.digit_num = config.digit_num, .a = 0, .b = 0, .prompt_template = 0};
    problem.a = random_integer(least, largest, rng);
    problem.b = random_integer(least, largest, rng);
    problem.prompt_template = static_cast<int>(rng.below(kMultiplicationWordings.size()));
    return problem;
  }

  static Status check(const Problem& problem) {
    for (const BigInt* factor : {&problem.a, &problem.b}) {
      if (*factor < 0) return failure("\"a\", \"b\": a factor is negative");
      if (*factor > 0 && msb(*factor) >= kMaxBits)
        return failure("\"a\", \"b\": a factor has more than {} bits", kMaxBits);
    }
    if (problem.prompt_template < 0 ||
        problem.prompt_template >= std::ssize(kMultiplicationWordings)) {
      return failure("\"prompt_template\": {} is not in 0..{}", problem.prompt_template,
                     std::ssize(kMultiplicationWordings) - 1);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    const auto wording = static_cast<std::size_t>(problem.prompt_template);
    return fmt::format(fmt::runtime(kMultiplicationWordings[wording]), problem.a.str(),
                       problem.b.str()) +
           "\nAnswer with one integer in plain digits.";
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return exact_reward(answer == right);
  }

  static Answer solve(const Problem& problem) { return problem.a * problem.b; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_integer(0, 2 * solve(problem), rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(Multiplication);

}  // namespace
}  // namespace redqueen
