#include <algorithm>
#include <cmath>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/expression/calculus_task.h"
#include "redqueen/gym/common/parameter/redraw.h"

namespace redqueen {
namespace {

// The published verifier refuses right answers that are more than four times as long as its own,
// and decides by an absolute tolerance of 1e-5. Here a right answer of any form counts, and
// equality is relative and far finer (expression.h).
struct Differentiate {
  static constexpr Card card{
      .name = "Differentiate",
      .published = true,
      .family = Family::kAlgebra,
      .answer = AnswerKind::kExpression,
      .scoring = Scoring::kExact,
      .task = "Differentiate an elementary function of x.",
      .levels =
          "The function is a random tree of 2 nodes, one more a level. Beyond level 60 hardly "
          "any draw is of use.",
      .rewards = "-1 malformed or with another symbol than x, 0 wrong, 1 right.",
      .differences =
          "Long forms of a right answer are accepted; equality is decided to 25 digits; functions "
          "whose derivative is "
          "a number, or that are left with less than half as many operations as nodes, are drawn "
          "again.",
      .version = 2,
      .max_level = 60,
  };

  static constexpr std::size_t kMostBytes = 10'000;
  static constexpr std::int64_t kMostOperations = 2'000;
  static constexpr std::int64_t kMostOperationsOfFunction = 1'000;
  static constexpr std::int64_t kMostOperationsOfDerivative = 3'000;
  static constexpr double kLeastShare = 0.1;  // of [−2, 2] where a problem from outside has a value
  static constexpr int kPoints = 1024;
  static constexpr double kLargestSlope = 1e4;

  struct Config {
    int node_num = 0;
    REDQUEEN_FIELDS(node_num)
  };
  struct Problem {
    int node_num = 0;
    std::string function;
    REDQUEEN_FIELDS(node_num, function)
  };
  using Answer = Expression;

  static Config at_level(int level, Rng&) { return {.node_num = 2 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const FunctionWithDerivative drawn = random_function(config.node_num, rng);
    Problem problem{.node_num = config.node_num, .function = to_text(drawn.function)};
    // Only a derivative that is recognised can be asked for.
    if (!check(problem) || score(problem, drawn.derivative) < 1.0) throw Retry();
    return problem;
  }

  // A function of x, which may be shorter than its tree once it is simplified. Its derivative has
  // a value at half of kPoints points from -2 to 2, nowhere above kLargestSlope.
  static Problem published(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      const Expression function = simplified(random_expression(config.node_num, rng));
      if (!contains_x(function) || count_operations(function) > kMostOperationsOfFunction)
        return {};
      const Expression raw = derivative(function);
      if (count_operations(raw) > kMostOperationsOfDerivative) return {};
      const Expression slope = simplified(raw);
      if (count_operations(slope) > kMostOperationsOfFunction || !is_tame(slope)) return {};
      Problem problem{.node_num = config.node_num, .function = to_text(function)};
      if (!check(problem) || score(problem, slope) < 1.0) return {};
      return problem;
    });
  }

  static bool is_tame(const Expression& slope) {
    std::vector<double> points(kPoints);
    for (int i = 0; i < kPoints; ++i) points[i] = -2.0 + 4.0 * i / (kPoints - 1);
    const auto values = evaluate(slope, points);
    return 2 * std::ranges::count_if(values, [](const auto& v) { return v.has_value(); }) >=
               kPoints &&
           std::ranges::all_of(values,
                               [](const auto& v) { return !v || std::abs(*v) <= kLargestSlope; });
  }

  static Status check(const Problem& problem) {
    if (problem.node_num < 1) return failure("\"node_num\": expected at least 1");
    const auto f = parse_expression(problem.function);
    if (!f) return failure("\"function\": {}", f.error().message);
    if (count_operations(*f) > kMostOperationsOfFunction) return failure("\"function\": too long");
    const Expression slope = derivative(*f);
    if (count_operations(slope) > kMostOperationsOfDerivative) {
      return failure("\"function\": its derivative is too long");
    }
    if (defined_share(slope) < kLeastShare) {
      return failure("\"function\": has hardly a real derivative between -2 and 2");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Differentiate this function of one real variable:\n"
        "F(x) = {}\n"
        "Answer with F'(x) as {}",
        problem.function, kExpressionForm);
  }

  static std::optional<Answer> parse(std::string_view answer) {
    auto f = parse_expression(answer, {.bytes = kMostBytes});
    if (!f) return std::nullopt;
    return std::move(*f);
  }

  static std::string format(const Answer& answer) { return to_text(answer); }

  static double score(const Problem& problem, const Answer& answer) {
    if (count_operations(answer) > kMostOperations) return 0.0;
    const Agreement agreement = compare(derivative(*parse_expression(problem.function)), answer,
                                        hash_name(problem.function));
    return exact_reward(agreement == Agreement::kEqual);
  }

  static Answer solve(const Problem& problem) {
    return simplified(derivative(*parse_expression(problem.function)));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return simplified(random_expression(std::min(problem.node_num, 30), rng));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the function itself", problem.function}, {"the number 1", "1"}};
  }
};
REDQUEEN_ENVIRONMENT(Differentiate);

}  // namespace
}  // namespace redqueen
