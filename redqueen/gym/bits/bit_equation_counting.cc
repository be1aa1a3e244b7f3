#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/random_integer.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct BitEquationCounting {
  static constexpr Card card{
      .name = "BitEquationCounting",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the assignments that make a Boolean expression true in "
          "which every variable "
          "occurs once.",
      .levels =
          "The number of variables starts at 2 and grows by a tenth and "
          "one a level.",
      .rewards =
          "-1 malformed, -0.5 outside 0 to 2^N, else (min/max)^10 of "
          "the answer and the count.",
      .differences =
          "Parts may be negated with !, since two variables without negation make three problems "
          "only. From 3 variables on, an expression is drawn again that is true for half of all "
          "assignments, as one in five was, and xor is rarer. Only the exact count is solved.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "With two variables, at level 0, the count is 1, 2 or 3.",
      .guess_until_level = 0,
      .max_level = 60,
  };

  static constexpr int kMaxVariables = 10'000;  // 2^N must fit into the digits of an answer
  static constexpr int kDraws = 4;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::string expression;
    REDQUEEN_FIELDS(N, expression)
  };
  using Answer = BigInt;

  static constexpr int kMostInWord = 60;  // variables whose assignments fit 64 bits

  // Of `variables` variables, the assignments that make a part true. Number holds 2^N.
  template <typename Number>
  struct Part {
    Number count;
    int variables = 0;
  };

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return config.N <= kMostInWord ? draw_problem<std::int64_t>(config, rng)
                                   : draw_problem<BigInt>(config, rng);
  }

  template <typename Number>
  static Problem draw_problem(const Config& config, Rng& rng) {
    return draw_spread(kDraws, rng, [&]() -> std::optional<std::pair<Number, Problem>> {
      Problem problem{.N = config.N, .expression = {}};
      write(config.N, true, problem.expression, rng);
      Number count = read<Number>(problem.expression)->count;
      if (config.N >= 3 && count == Number(Number(1) << (config.N - 1))) return std::nullopt;
      return std::pair(std::move(count), std::move(problem));
    });
  }

  // Nothing is negated, and each operator is as likely.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .expression = {}};
    write_plain(config.N, true, problem.expression, rng);
    return problem;
  }

  static void write_plain(int variables, bool outermost, std::string& text, Rng& rng) {
    constexpr std::array kOperators{" & ", " | ", " ^ "};
    if (variables == 1) {
      text += '_';
      return;
    }
    const auto left = static_cast<int>(rng.integer(1, variables - 1));
    if (!outermost) text += '(';
    write_plain(left, false, text, rng);
    text += rng.choice(kOperators);
    write_plain(variables - left, false, text, rng);
    if (!outermost) text += ')';
  }

  static Status check(const Problem& problem) {
    if (Status fits = within("N", problem.N, 1, kMaxVariables); !fits) return fits;
    if (problem.expression.size() > 20 * static_cast<std::size_t>(problem.N)) {
      return failure("\"expression\": too long for \"N\" variables");
    }
    const auto whole = read<BigInt>(problem.expression);
    if (!whole) {
      return failure(
          "\"expression\": expected placeholders _, !, and pairs (a "
          "& b) with &, | or ^");
    }
    if (whole->variables != problem.N) {
      return failure("\"expression\": expected \"N\" = {} placeholders, found {}", problem.N,
                     whole->variables);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "In the Boolean expression\n"
        "{}\n"
        "every _ stands for a variable of its own, {} in all, each of which "
        "may be 0 or 1. The "
        "operators are & (and), | (or), ^ (exclusive or) and ! (not, of what "
        "follows it directly). "
        "How many of the 2^{} assignments make the expression 1?\n"
        "Answer with one integer.",
        problem.expression, problem.N, problem.N);
  }

  static double score(const Problem& problem, const Answer& answer, const Answer& right) {
    if (answer < 0 || answer > BigInt(1) << problem.N) return kInvalidReward;
    return closeness_reward(answer, right);
  }

  static Answer solve(const Problem& problem) {
    if (problem.N <= kMostInWord) {
      const auto whole = read<std::int64_t>(problem.expression);
      return whole ? BigInt(whole->count) : BigInt(0);
    }
    const auto whole = read<BigInt>(problem.expression);
    return whole ? whole->count : BigInt(0);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_integer(1, (BigInt(1) << problem.N) - 1, rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"half of all assignments", format_answer(BigInt(BigInt(1) << (problem.N - 1)))}};
  }

 private:
  static void write(int variables, bool outermost, std::string& text, Rng& rng) {
    const bool negated = rng.chance(0.25);
    if (negated) text += '!';
    if (variables == 1) {
      text += '_';
      return;
    }
    const bool bare = outermost && !negated;
    const auto left = static_cast<int>(rng.integer(1, variables - 1));
    if (!bare) text += '(';
    write(left, false, text, rng);
    const double choice = rng.real();
    text += choice < 0.4 ? " & " : choice < 0.8 ? " | " : " ^ ";
    write(variables - left, false, text, rng);
    if (!bare) text += ')';
  }

  // No variable occurs twice, so the counts of two parts multiply.
  template <typename Number>
  static Part<Number> join(const Part<Number>& a, char op, const Part<Number>& b) {
    const auto falses = [](const Part<Number>& part) -> Number {
      return (Number(1) << part.variables) - part.count;
    };
    Part<Number> joined{.count = 0, .variables = a.variables + b.variables};
    if (op == '&') joined.count = a.count * b.count;
    if (op == '|') joined.count = (Number(1) << joined.variables) - falses(a) * falses(b);
    if (op == '^') joined.count = a.count * falses(b) + falses(a) * b.count;
    return joined;
  }

  // The stack holds what is not finished: "(", "!", operators, and parts. Without recursion, since
  // parentheses may nest deeply. nullopt: not such an expression.
  template <typename Number>
  static std::optional<Part<Number>> read(std::string_view text) {
    struct Item {
      char kind;  // 'p' for a part
      Part<Number> part;
    };
    std::vector<Item> stack;
    stack.reserve(text.size());
    const auto push = [&](Part<Number> part) {
      for (; !stack.empty() && stack.back().kind == '!'; stack.pop_back()) {
        part.count = (Number(1) << part.variables) - part.count;
      }
      stack.push_back({'p', std::move(part)});
    };
    // The last three items, if they are part, operator, part.
    const auto pop_pair = [&]() -> std::optional<Part<Number>> {
      const std::size_t size = stack.size();
      if (size < 3 || stack[size - 3].kind != 'p' || stack[size - 1].kind != 'p') return {};
      const char op = stack[size - 2].kind;
      if (op != '&' && op != '|' && op != '^') return {};
      Part<Number> joined = join(stack[size - 3].part, op, stack[size - 1].part);
      stack.resize(size - 3);
      return joined;
    };
    for (const char c : text) {
      if (c == ' ') continue;
      if (c == '_') {
        push({.count = 1, .variables = 1});
      } else if (c == ')') {
        auto pair = pop_pair();
        if (!pair || stack.empty() || stack.back().kind != '(') return std::nullopt;
        stack.pop_back();
        push(std::move(*pair));
      } else if (std::string_view("(!&|^").find(c) != std::string_view::npos) {
        stack.push_back({c, {}});
      } else {
        return std::nullopt;
      }
    }
    if (stack.size() == 1 && stack[0].kind == 'p') return stack[0].part;
    auto pair = pop_pair();
    if (!stack.empty()) return std::nullopt;
    return pair;
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(BitEquationCounting);

}  // namespace
}  // namespace redqueen
