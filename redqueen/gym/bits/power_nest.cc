#include <algorithm>
#include <bit>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct PowerNest {
  static constexpr Card card{
      .name = "PowerNest",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kExpression,
      .scoring = Scoring::kExact,
      .task =
          "Write a number as a sum of powers of two whose exponents are "
          "written in the same way.",
      .levels = "The bound on the number starts at 4 and doubles each level.",
      .rewards =
          "-0.5 for what is not such a notation, 0 the notation of "
          "something else, 1 right.",
      .differences =
          "From level 2 on the number lies in the upper half of its "
          "range and is no power of two; "
          "white space in an answer is ignored.",
      .source = "Powers of two (幂次方), NOIP 1998",
      .version = 2,
      .max_level = 58,
  };

  static constexpr std::int64_t kExample = 25;  // of the prompt

  struct Config {
    std::int64_t max_number = 0;
    REDQUEEN_FIELDS(max_number)
  };
  struct Problem {
    std::int64_t max_number = 0;
    std::int64_t number = 0;
    REDQUEEN_FIELDS(max_number, number)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.max_number = multiply(4, 2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      const bool large = config.max_number >= 16;
      Problem problem{.max_number = config.max_number, .number = 0};
      problem.number = rng.integer(large ? config.max_number / 2 : 1, config.max_number);
      const bool power = (problem.number & (problem.number - 1)) == 0;
      if (large && (power || problem.number == kExample)) return std::nullopt;
      return problem;
    });
  }

  // A uniform number.
  static Problem published(const Config& config, Rng& rng) {
    return {.max_number = config.max_number, .number = rng.integer(1, config.max_number)};
  }

  static Status check(const Problem& problem) {
    return within("number", problem.number, 1, std::int64_t{1} << 62);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Every positive integer is a sum of different powers of two. In the "
        "nested notation of "
        "such a sum\n"
        "- the powers stand in descending order, with + between them;\n"
        "- 2^0 is written 2(0), and 2^1 is written 2;\n"
        "- 2^e with e ≥ 2 is written 2(E), where E is the nested notation of "
        "e.\n"
        "For example, 25 = 16 + 8 + 1 is 2(2(2))+2(2+2(0))+2(0).\n"
        "Answer with the nested notation of {}.",
        problem.number);
  }

  static std::optional<Answer> parse(std::string_view answer) {
    std::string text;
    for (const char c : answer) {
      if (!is_space(c)) text += c;
    }
    return text;
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_notation(answer)) return kInvalidReward;
    return exact_reward(answer == solve(problem));
  }

  static Answer solve(const Problem& problem) { return notation(problem.number); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return notation(rng.integer(1, std::max<std::int64_t>(problem.number, 4)));
  }

  // The example of the prompt.
  static std::string example(const Problem&) { return "2(2(2))+2(2+2(0))+2(0)"; }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto highest = std::bit_floor(static_cast<std::uint64_t>(problem.number));
    return {{"the highest power alone", notation(static_cast<std::int64_t>(highest))}};
  }

 private:
  static std::string notation(std::int64_t number) {
    std::string text;
    for (int exponent = 62; exponent >= 0; --exponent) {
      if ((number >> exponent & 1) == 0) continue;
      if (!text.empty()) text += '+';
      text += '2';
      if (exponent != 1) text += '(' + (exponent == 0 ? "0" : notation(exponent)) + ')';
    }
    return text;
  }

  // sum = term {+ term}, term = 2 | 2(0) | 2(sum). Without recursion:
  // parentheses may nest deeply.
  static bool is_notation(std::string_view text) {
    std::size_t depth = 0;
    std::size_t at = 0;
    for (;;) {
      if (at == text.size() || text[at++] != '2') return false;
      if (text.substr(at).starts_with("(0)")) {
        at += 3;
      } else if (text.substr(at).starts_with("(")) {
        ++at;
        ++depth;
        continue;
      }
      for (; depth > 0 && at < text.size() && text[at] == ')'; ++at) --depth;
      if (at == text.size()) return depth == 0;
      if (text[at++] != '+') return false;
    }
  }
};
REDQUEEN_ENVIRONMENT(PowerNest);

}  // namespace
}  // namespace redqueen
