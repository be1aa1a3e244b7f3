#include "redqueen/core/contract.h"
#include "redqueen/gym/common/countdown/countdown.h"
#include "redqueen/gym/common/countdown/countdown_problem.h"
#include "redqueen/gym/common/parameter/numbers.h"

namespace redqueen {
namespace {

// The published verifier takes ** and // and decimal points for arithmetic, and does not know the
// best value of more than six numbers: then the target may be out of reach, and nothing counts as
// solved. Here only the four operations count, in exact fractions, and with six or more numbers the
// target can be made.
struct CountdownClose {
  static constexpr Card card{
      .name = "CountdownClose",
      .published = true,
      .family = Family::kArithmetic,
      .answer = AnswerKind::kExpression,
      .scoring = Scoring::kQuality,
      .task =
          "Come as near as possible to a given number with others, joined by + - * / and "
          "parentheses, each used once.",
      .levels =
          "3 numbers, one more a level, each up to 8, 16, 24, 32, 40 or 48; the target is up to "
          "ten times that. From about ten numbers on, "
          "most targets can be reached by joining the numbers from left to right with some choice "
          "of signs, among the millions that there are. Level 97 has 100 numbers.",
      .rewards =
          "-1 malformed or a division by 0, -0.5 other numbers than the given ones, else 1/(1 + "
          "distance from the "
          "target); solved where no value is nearer.",
      .differences =
          "Values are exact fractions; only + - * / are understood. With six or more numbers the "
          "target can always be "
          "made. The order of checks is the published one: text without the right numbers earns "
          "-0.5 even if it is no "
          "expression. Numbers that make the target from left to right, always by the sign that "
          "comes nearest, are drawn again.",
      .source = "the numbers round of the television game Countdown",
      .version = 3,
      .max_level = 97,
  };

  static constexpr int kMostSearched = 6;         // numbers for which the nearest value is known
  static constexpr double kLeastLead = 1e-6;      // of the nearest value over the next
  static constexpr double kRoundingError = 1e-9;  // of recorded nearest values

  using Config = CountdownConfig;
  struct Problem {
    int num_operands = 0;
    std::int64_t max_operand = 0;
    std::int64_t max_target = 0;
    std::int64_t target = 0;
    std::vector<std::int64_t> operands;
    std::optional<double> reference_result;       // the nearest value; missing: the target
    std::optional<std::string> reference_answer;  // found when the problem was made
    REDQUEEN_FIELDS(num_operands, max_operand, max_target, target, operands, reference_result,
                    reference_answer)
  };
  using Answer = CountdownAnswer;

  static Config at_level(int level, Rng& rng) { return countdown_at_level(level, rng); }

  static Problem generate(const Config& config, Rng& rng) {
    const CountdownDraw draw = draw_countdown(config, rng);
    Problem problem{.num_operands = config.num_operands,
                    .max_operand = config.max_operand,
                    .max_target = config.max_target,
                    .target = draw.target,
                    .operands = draw.operands,
                    .reference_result = static_cast<double>(draw.target),
                    .reference_answer =
                        countdown_exact(draw.operands, draw.target, numbers(config.num_operands))};
    if (problem.reference_answer) return problem;
    if (config.num_operands >= kMostSearched) throw Retry();
    const CountdownClosest closest = countdown_closest(draw.operands, draw.target);
    const double distance = std::abs(closest.value - static_cast<double>(draw.target));
    if (closest.runner_up - distance < kLeastLead) throw Retry();
    problem.reference_result = closest.value;
    problem.reference_answer = closest.expression;
    return problem;
  }

  static CountdownNumbers numbers(int operands) {
    return operands <= kMostSearched ? CountdownNumbers::kFractions : CountdownNumbers::kWhole;
  }

  // Any numbers and any target. Of more than kMostSearched numbers, the target can be made.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.num_operands = config.num_operands,
                    .max_operand = config.max_operand,
                    .max_target = config.max_target,
                    .target = rng.integer(0, config.max_target),
                    .operands = draw_numbers(config.num_operands, 1, config.max_operand, rng),
                    .reference_result = {},
                    .reference_answer = {}};
    problem.reference_result = static_cast<double>(problem.target);
    problem.reference_answer =
        countdown_exact(problem.operands, problem.target, numbers(config.num_operands));
    if (problem.reference_answer) return problem;
    if (config.num_operands > kMostSearched) throw Retry();
    CountdownClosest closest = countdown_closest(problem.operands, problem.target);
    problem.reference_result = closest.value;
    problem.reference_answer = std::move(closest.expression);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = check_countdown(problem.num_operands, problem.operands, problem.target);
        !sound) {
      return sound;
    }
    if (!problem.reference_result && problem.num_operands <= kMostSearched) {
      return failure("\"reference_result\": missing, with no more than {} numbers", kMostSearched);
    }
    if (problem.reference_answer) {
      const auto answer = read_countdown(*problem.reference_answer, problem.operands);
      if (!answer || score(problem, *answer) < passing(problem)) {
        return failure("\"reference_answer\": is not as near as \"reference_result\"");
      }
      if (passing(problem) == kSolvedReward) return {};  // nothing is nearer than the target itself
    }
    return check_reference_result(problem);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Use each of these {} numbers exactly once (a number that is listed twice, twice):\n{}\n"
        "Join them with +, -, *, / and parentheses into an expression whose value is as close as "
        "possible to {}, by absolute difference. Division is exact; intermediate values may be "
        "fractions or negative. A minus may also stand before a number or a parenthesis.\n"
        "Answer with the expression alone, without \"=\".",
        problem.operands.size(), format_answer(problem.operands), problem.target);
  }

  static std::optional<Answer> parse(const Problem& problem, std::string_view answer) {
    return read_countdown(answer, problem.operands);
  }

  static std::string format(const Answer& answer) { return answer.text; }

  static double score(const Problem& problem, const Answer& answer) {
    if (!answer.value) return kInvalidReward;
    const Rational distance = abs(*answer.value - problem.target);
    if (distance == 0) return 1.0;
    return std::min(1.0 / (1.0 + distance.convert_to<double>()), kAlmostSolved);
  }

  static double passing(const Problem& problem) {
    const double nearest = problem.reference_result.value_or(static_cast<double>(problem.target));
    const double distance = std::abs(nearest - static_cast<double>(problem.target));
    return distance < kRoundingError ? kSolvedReward : 1.0 / (1.0 + distance) - kRoundingError;
  }

  static Answer solve(const Problem& problem) {
    if (problem.reference_answer)
      return *read_countdown(*problem.reference_answer, problem.operands);
    auto expression =
        countdown_exact(problem.operands, problem.target, numbers(problem.num_operands));
    if (!expression && problem.num_operands <= kMostSearched) {
      expression = countdown_closest(problem.operands, problem.target).expression;
    }
    return expression ? *read_countdown(*expression, problem.operands)
                      : nothing_better(problem.operands);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return *read_countdown(random_countdown(problem.operands, rng), problem.operands);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return countdown_shortcuts(problem.operands, problem.target);
  }

 private:
  // Whether no value is nearer than the reference, and one is as near. It decides what is solved.
  static Status check_reference_result(const Problem& problem) {
    if (!problem.reference_result) return {};
    const auto target = static_cast<double>(problem.target);
    if (problem.num_operands > kMostSearched) {
      if (*problem.reference_result == target) return {};
      return failure("\"reference_result\": expected the target, with more than {} numbers",
                     kMostSearched);
    }
    const double distance = std::abs(*problem.reference_result - target);
    double nearest = 0.0;
    if (!countdown_exact(problem.operands, problem.target, numbers(problem.num_operands))) {
      nearest = std::abs(countdown_closest(problem.operands, problem.target).value - target);
    }
    if (std::abs(distance - nearest) <= kRoundingError) return {};
    return failure("\"reference_result\": its distance from the target is {}, the least one is {}",
                   distance, nearest);
  }
};
REDQUEEN_ENVIRONMENT(CountdownClose);

}  // namespace
}  // namespace redqueen
