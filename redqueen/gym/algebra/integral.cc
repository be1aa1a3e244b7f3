#include <algorithm>
#include <cmath>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/expression/calculus_task.h"
#include "redqueen/gym/common/parameter/redraw.h"

namespace redqueen {
namespace {

// The published verifier refuses right answers that are more than four times as long as the hidden
// one, and decides by an absolute tolerance of 1e-5 at 1024 points. Here a right answer of any form
// counts, and equality is relative and far finer (expression.h); unevaluated integrals are not in
// the language.
struct Integral {
  static constexpr Card card{
      .name = "Integral",
      .published = true,
      .family = Family::kAlgebra,
      .answer = AnswerKind::kExpression,
      .scoring = Scoring::kOther,
      .task = "Find a function with a given derivative, both elementary expressions in x.",
      .levels =
          "The hidden function is a random tree of 2 nodes, one more a level. Beyond level 60 "
          "hardly "
          "any draw is of use.",
      .rewards =
          "-1 malformed or with another symbol than x, 0 another derivative, 1 the derivative "
          "asked for.",
      .differences =
          "Long forms of a right answer are accepted; equality is decided to 25 digits; constants "
          "without a real "
          "value are refused; draws that are left with less than half as many operations as nodes "
          "are drawn "
          "again.",
      .version = 2,
      .max_level = 60,
  };

  static constexpr std::size_t kMostBytes = 10'000;
  static constexpr std::int64_t kMostOperations = 2'000;
  static constexpr double kLeastShare = 0.1;  // of [−2, 2] where a problem from outside has a value
  static constexpr std::int64_t kMostOperationsDrawn = 1'000;
  static constexpr std::int64_t kMostRawOperations = 3'000;  // before a derivative is simplified
  static constexpr int kPoints = 1024;
  static constexpr double kLargestValue = 1e4;

  struct Config {
    int node_num = 0;
    REDQUEEN_FIELDS(node_num)
  };
  struct Problem {
    int node_num = 0;
    std::string f_prime;
    std::string reference_answer;
    REDQUEEN_FIELDS(node_num, f_prime, reference_answer)
  };
  using Answer = Expression;

  static Config at_level(int level, Rng&) { return {.node_num = 2 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const FunctionWithDerivative hidden = random_function(config.node_num, rng);
    Problem problem{.node_num = config.node_num,
                    .f_prime = to_text(hidden.derivative),
                    .reference_answer = to_text(hidden.function)};
    if (!check(problem) || score(problem, solve(problem)) < 1.0) throw Retry();
    return problem;
  }

  // The hidden function may be shorter than its tree once it is simplified. Its derivative contains
  // x and has a value at half of kPoints points from -2 to 2, nowhere above kLargestValue.
  static Problem published(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      const Expression function = simplified(random_expression(config.node_num, rng));
      if (!contains_x(function) || count_operations(function) > kMostOperationsDrawn) return {};
      const Expression raw = derivative(function);
      if (count_operations(raw) > kMostRawOperations) return {};
      const Expression slope = simplified(raw);
      if (!contains_x(slope) || count_operations(slope) > kMostOperationsDrawn) return {};
      if (!is_tame(slope)) return {};
      Problem problem{.node_num = config.node_num,
                      .f_prime = to_text(slope),
                      .reference_answer = to_text(function)};
      if (!check(problem) || score(problem, solve(problem)) < 1.0) return {};
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
                               [](const auto& v) { return !v || std::abs(*v) <= kLargestValue; });
  }

  static Status check(const Problem& problem) {
    if (problem.node_num < 1) return failure("\"node_num\": expected at least 1");
    for (const auto& [key, text] : {std::pair{"f_prime", &problem.f_prime},
                                    std::pair{"reference_answer", &problem.reference_answer}}) {
      const auto f = parse_expression(*text);
      if (!f) return failure("\"{}\": {}", key, f.error().message);
      if (count_operations(*f) > kMostOperations) return failure("\"{}\": too long", key);
    }
    if (defined_share(*parse_expression(problem.f_prime)) < kLeastShare) {
      return failure("\"f_prime\": has hardly a real value between -2 and 2");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Find a function F(x) of one real variable with the derivative\n"
        "F'(x) = {}\n"
        "wherever this has a real value. The constant of integration may be any number; do not "
        "write it as a "
        "symbol.\n"
        "Answer with F(x) as {}",
        problem.f_prime, kExpressionForm);
  }

  static std::optional<Answer> parse(std::string_view answer) {
    auto f = parse_expression(answer, {.bytes = kMostBytes});
    if (!f) return std::nullopt;
    return std::move(*f);
  }

  static std::string format(const Answer& answer) { return to_text(answer); }

  static double score(const Problem& problem, const Answer& answer) {
    if (count_operations(answer) > kMostOperations || !constants_have_values(answer)) return 0.0;
    const Agreement agreement =
        compare(*parse_expression(problem.f_prime), derivative(answer), hash_name(problem.f_prime));
    return exact_reward(agreement == Agreement::kEqual);
  }

  static Answer solve(const Problem& problem) {
    return *parse_expression(problem.reference_answer);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return simplified(random_expression(std::min(problem.node_num, 30), rng));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the derivative itself", problem.f_prime},
            {"x times the derivative", fmt::format("x*({})", problem.f_prime)}};
  }
};
REDQUEEN_ENVIRONMENT(Integral);

}  // namespace
}  // namespace redqueen
