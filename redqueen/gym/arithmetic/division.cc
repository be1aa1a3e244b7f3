// Differs from the reference: its wording on how often one number fits into another names the
// operands the wrong way round; ours asks how often b fits into a, which is what the answer floor(a
// / b) counts.
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/random_integer.h"

namespace redqueen {
namespace {

constexpr std::array kDivisionWordings{
    "What is {0} divided by {1}, rounded down to an integer?",
    "Divide {0} by {1} and drop the remainder.",
    "Find the integer quotient of {0} divided by {1}, without the remainder.",
    "How many whole times does {1} fit into {0}?",
    "Work out floor({0} / {1}).",
    "In Python, what is {0} // {1}?",
    "{0} apples are packed into boxes of {1} apples each. How many boxes are filled completely?",
    "What is the largest integer q such that q * {1} is at most {0}?",
    "Give the whole part of {0} / {1}.",
    "How often can {1} be subtracted from {0} before the result would be negative?",
};

struct Division {
  static constexpr Card card{
      .name = "Division",
      .published = true,
      .family = Family::kArithmetic,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Divide a non-negative integer by a positive one, rounding down.",
      .levels = "Divisor and quotient have up to 1 digit and one more each level.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Divisors are at least 2, and every wording asks for the dividend over the divisor.",
      .slow_reason = SlowReason::kTiny,
  };

  // Python reads integers of up to 4300 digits, so a longer quotient could not be answered.
  static constexpr unsigned kMaxBits = 14000;

  struct Config {
    int divisor_digit_num = 0;
    int answer_digit_num = 0;
    REDQUEEN_FIELDS(divisor_digit_num, answer_digit_num)
  };
  struct Problem {
    int divisor_digit_num = 0;
    int answer_digit_num = 0;
    BigInt b;
    BigInt a;
    int prompt_template = 0;
    REDQUEEN_FIELDS(divisor_digit_num, answer_digit_num, b, a, prompt_template)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) {
    return {.divisor_digit_num = 1 + level, .answer_digit_num = 1 + level};
  }

  static Problem generate(const Config& config, Rng& rng) { return drawn(config, 2, rng); }

  static Problem published(const Config& config, Rng& rng) { return drawn(config, 1, rng); }

  static Problem drawn(const Config& config, int least_divisor, Rng& rng) {
    const BigInt greatest = power_of_ten(config.divisor_digit_num) - 1;
    Problem problem{.divisor_digit_num = config.divisor_digit_num,
                    .answer_digit_num = config.answer_digit_num,
                    .b = random_integer(least_divisor, greatest, rng),
                    .a = 0,
                    .prompt_template = 0};
    const BigInt quotient = random_integer(0, power_of_ten(config.answer_digit_num) - 1, rng);
    const BigInt remainder = random_integer(0, problem.b - 1, rng);
    problem.a = problem.b * quotient + remainder;
    problem.prompt_template = static_cast<int>(rng.below(kDivisionWordings.size()));
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.b < 1) return failure("\"b\": the divisor is not positive");
    if (problem.a < 0) return failure("\"a\": the dividend is negative");
    if (msb(problem.b) >= kMaxBits || (problem.a > 0 && msb(problem.a) >= kMaxBits)) {
      return failure("\"a\", \"b\": a number has more than {} bits", kMaxBits);
    }
    if (problem.prompt_template < 0 || problem.prompt_template >= std::ssize(kDivisionWordings)) {
      return failure("\"prompt_template\": {} is not in 0..{}", problem.prompt_template,
                     std::ssize(kDivisionWordings) - 1);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    const auto wording = static_cast<std::size_t>(problem.prompt_template);
    return fmt::format(fmt::runtime(kDivisionWordings[wording]), problem.a.str(), problem.b.str()) +
           "\nAnswer with one integer in plain digits.";
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return exact_reward(answer == right);
  }

  static Answer solve(const Problem& problem) { return problem.a / problem.b; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_integer(0, 2 * solve(problem) + 1, rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(Division);

}  // namespace
}  // namespace redqueen
