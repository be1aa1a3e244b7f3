#include "redqueen/core/contract.h"
#include "redqueen/gym/common/countdown/countdown.h"
#include "redqueen/gym/common/countdown/countdown_problem.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/redraw.h"

namespace redqueen {
namespace {

// The published verifier takes ** and // and decimal points for arithmetic, and anything within
// 1e-5 of the target for the target. Here only the four operations count, in exact fractions.
struct CountdownEqual {
  static constexpr Card card{
      .name = "CountdownEqual",
      .published = true,
      .family = Family::kArithmetic,
      .answer = AnswerKind::kExpression,
      .scoring = Scoring::kFeasibility,
      .task = "Make a given number from others by + - * / and parentheses, each used once.",
      .levels =
          "3 numbers, one more a level, each up to 8, 16, 24, 32, 40 or 48; the target is up to "
          "ten times that. From about ten numbers on, "
          "most targets can be reached by joining the numbers from left to right with some choice "
          "of signs, among the millions that there are. Level 97 has 100 numbers.",
      .rewards =
          "-1 malformed or a division by 0, -0.5 other numbers than the given ones, 0 another "
          "value, 1 the target.",
      .differences =
          "Values are exact fractions; only + - * / are understood. The order of checks is the "
          "published one: text "
          "without the right numbers earns -0.5 even if it is no expression. Numbers that make the "
          "target from left to right, always by the sign that comes nearest, are drawn again.",
      .source = "the numbers round of the television game Countdown",
      .version = 2,
      .max_level = 97,
  };

  using Config = CountdownConfig;
  struct Problem {
    int num_operands = 0;
    std::int64_t max_operand = 0;
    std::int64_t max_target = 0;
    std::int64_t target = 0;
    std::vector<std::int64_t> operands;
    std::optional<std::string> reference_answer;  // found when the problem was made
    REDQUEEN_FIELDS(num_operands, max_operand, max_target, target, operands, reference_answer)
  };
  using Answer = CountdownAnswer;

  static Config at_level(int level, Rng& rng) { return countdown_at_level(level, rng); }

  static Problem generate(const Config& config, Rng& rng) {
    const CountdownDraw draw = draw_countdown(config, rng);
    auto expression = countdown_exact(draw.operands, draw.target, CountdownNumbers::kWhole);
    if (!expression) throw Retry();
    return {.num_operands = config.num_operands,
            .max_operand = config.max_operand,
            .max_target = config.max_target,
            .target = draw.target,
            .operands = draw.operands,
            .reference_answer = std::move(*expression)};
  }

  // Any numbers that make a target.
  static Problem published(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.num_operands = config.num_operands,
                      .max_operand = config.max_operand,
                      .max_target = config.max_target,
                      .target = rng.integer(0, config.max_target),
                      .operands = draw_numbers(config.num_operands, 1, config.max_operand, rng),
                      .reference_answer = {}};
      problem.reference_answer =
          countdown_exact(problem.operands, problem.target, CountdownNumbers::kWhole);
      if (!problem.reference_answer) return {};
      return problem;
    });
  }

  static Status check(const Problem& problem) {
    if (auto sound = check_countdown(problem.num_operands, problem.operands, problem.target);
        !sound) {
      return sound;
    }
    if (problem.reference_answer) {
      const auto answer = read_countdown(*problem.reference_answer, problem.operands);
      if (!answer || answer->value != Rational(problem.target)) {
        return failure("\"reference_answer\": does not make the target");
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Use each of these {} numbers exactly once (a number that is listed twice, twice):\n{}\n"
        "Join them with +, -, *, / and parentheses into an expression whose value is exactly {}. "
        "Division is exact; intermediate values may be fractions or negative. A minus may also "
        "stand before a number or a parenthesis.\n"
        "Answer with the expression alone, without \"=\".",
        problem.operands.size(), format_answer(problem.operands), problem.target);
  }

  static std::optional<Answer> parse(const Problem& problem, std::string_view answer) {
    return read_countdown(answer, problem.operands);
  }

  static std::string format(const Answer& answer) { return answer.text; }

  static double score(const Problem& problem, const Answer& answer) {
    if (!answer.value) return kInvalidReward;
    return exact_reward(*answer.value == problem.target);
  }

  static Answer solve(const Problem& problem) {
    if (problem.reference_answer) return {*problem.reference_answer, Rational(problem.target)};
    auto expression = countdown_exact(problem.operands, problem.target, CountdownNumbers::kWhole);
    if (expression) return {std::move(*expression), Rational(problem.target)};
    return nothing_better(problem.operands);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return *read_countdown(random_countdown(problem.operands, rng), problem.operands);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return countdown_shortcuts(problem.operands, problem.target);
  }
};
REDQUEEN_ENVIRONMENT(CountdownEqual);

}  // namespace
}  // namespace redqueen
