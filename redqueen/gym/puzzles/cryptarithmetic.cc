#include <algorithm>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct Cryptarithmetic {
  static constexpr Card card{
      .name = "Cryptarithmetic",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task = "Find the values of the digits, in any base, that make an addition right.",
      .levels =
          "The base starts at 3 and grows by one a level; the addends have at least three digits "
          "more than the base and at most twice as many.",
      .rewards =
          "-1 malformed, -0.5 not each value once, else (places of the sum that are right / "
          "places)^3.",
      .differences =
          "Every digit occurs. From base 4 on, ascending or descending values are drawn again. An "
          "answer "
          "whose sum has one place more than the printed one is not solved; the reference compares "
          "that place with a digit that is not there.",
      .small_answer_space =
          "At level 0 there are six answers, and a wrong one has a good part of the places right "
          "by chance.",
      .guess_until_level = 0,
  };

  static constexpr int kMaxBase = 400;
  static constexpr std::int64_t kMaxPlaces = 5000;
  static constexpr int kRulesFrom = 4;
  static constexpr double kBeta = 3.0;

  struct Config {
    int N = 0;
    int addend_length = 0;
    REDQUEEN_FIELDS(N, addend_length)
  };
  // Numbers are lists of values, the least significant one first.
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> digits;  // the values of d[0], d[1], …
    std::vector<std::int64_t> addend_1;
    std::vector<std::int64_t> addend_2;
    std::vector<std::int64_t> sum_result;
    REDQUEEN_FIELDS(N, digits, addend_1, addend_2, sum_result)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = 3 + level;
    return {.N = n, .addend_length = static_cast<int>(rng.integer(n + 3, std::max(n + 3, 2 * n)))};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .digits = {}, .addend_1 = {}, .addend_2 = {}, .sum_result = {}};
    problem.digits = ascending_order(config.N);
    do {
      rng.shuffle(problem.digits);
    } while (config.N >= kRulesFrom &&
             (std::ranges::is_sorted(problem.digits) ||
              std::ranges::is_sorted(problem.digits, std::ranges::greater())));
    draw_addends(config, problem, rng);
    std::vector<char> occurs(problem.digits.size(), 0);
    for (const auto* number : {&problem.addend_1, &problem.addend_2, &problem.sum_result}) {
      for (const std::int64_t value : *number) occurs[value] = 1;
    }
    if (std::ranges::find(occurs, 0) != occurs.end()) throw Retry();
    return problem;
  }

  // Digits in any order, addends whose digits are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .digits = ascending_order(config.N)};
    rng.shuffle(problem.digits);
    draw_addends(config, problem, rng);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxBase));
    if (!is_order(problem.N, problem.digits)) {
      return failure("\"digits\": expected each of 0 to {} once", problem.N - 1);
    }
    const std::int64_t places = std::ssize(problem.addend_1);
    RETURN_IF_ERROR(within("addend_1", places, 1, kMaxPlaces));
    RETURN_IF_ERROR(check_numbers("addend_1", problem.addend_1, places, 0, problem.N - 1));
    RETURN_IF_ERROR(check_numbers("addend_2", problem.addend_2, places, 0, problem.N - 1));
    return reference_is("sum_result", problem.sum_result,
                        sum(problem.addend_1, problem.addend_2, problem.N));
  }

  static std::string prompt(const Problem& problem) {
    std::vector<std::int64_t> index(problem.digits.size());
    for (std::size_t i = 0; i < index.size(); ++i) {
      index[problem.digits[i]] = static_cast<std::int64_t>(i);
    }
    const auto written = [&](const std::vector<std::int64_t>& number) {
      std::string text;
      for (auto value = number.rbegin(); value != number.rend(); ++value) {
        append_format(text, "d[{}]", index[*value]);
      }
      return text;
    };
    return fmt::format(
        "Numbers are written in base {0} with the digits d[0] to d[{1}], the most significant one "
        "first. Each of these {0} digits stands for another one of the values 0 to {1}; which one "
        "is not known. A number may begin with the digit for 0. This addition is right:\n"
        "{2}\n+ {3}\n= {4}\n"
        "Find values of the digits that make it so. If there are several ways, any of them will "
        "do.\n"
        "Answer with the {0} values of d[0], d[1], ..., d[{1}] in this order, in decimal and "
        "separated by spaces.",
        problem.N, problem.N - 1, written(problem.addend_1), written(problem.addend_2),
        written(problem.sum_result));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer)) return kInvalidReward;
    std::vector<std::int64_t> value(problem.digits.size());  // by hidden value
    for (std::size_t i = 0; i < value.size(); ++i) value[problem.digits[i]] = answer[i];
    const auto as_answered = [&](const std::vector<std::int64_t>& number) {
      std::vector<std::int64_t> values;
      for (const std::int64_t hidden : number) values.push_back(value[hidden]);
      return values;
    };
    std::vector<std::int64_t> printed = as_answered(problem.sum_result);
    std::vector<std::int64_t> made =
        sum(as_answered(problem.addend_1), as_answered(problem.addend_2), problem.N);
    const std::size_t places = std::max(printed.size(), made.size());
    printed.resize(places, 0);
    made.resize(places, 0);
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < places; ++i) matches += printed[i] == made[i];
    return share_reward(matches, static_cast<std::int64_t>(places), kBeta);
  }

  static Answer solve(const Problem& problem) { return problem.digits; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = ascending_order(problem.N);
    rng.shuffle(answer);
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    // Digits in the order in which the printed sum shows them: what leads it is often 1.
    Answer by_sum(problem.digits.size(), -1);
    std::vector<std::int64_t> left = ascending_order(problem.N);
    if (problem.N > 1) std::swap(left[0], left[1]);
    std::vector<std::int64_t> index(problem.digits.size());
    for (std::size_t i = 0; i < index.size(); ++i) {
      index[problem.digits[i]] = static_cast<std::int64_t>(i);
    }
    std::size_t next = 0;
    for (auto value = problem.sum_result.rbegin(); value != problem.sum_result.rend(); ++value) {
      if (by_sum[index[*value]] < 0) by_sum[index[*value]] = left[next++];
    }
    for (std::int64_t& value : by_sum) {
      if (value < 0) value = left[next++];
    }
    return {{"ascending values", format_answer(ascending_order(problem.N))},
            {"descending values", format_answer(descending_order(problem.N))},
            {"1, 0, 2, 3, ... as the sum shows the digits", format_answer(by_sum)}};
  }

 private:
  // And their sum.
  static void draw_addends(const Config& config, Problem& problem, Rng& rng) {
    for (std::vector<std::int64_t>* addend : {&problem.addend_1, &problem.addend_2}) {
      *addend = draw_numbers(config.addend_length, 0, config.N - 1, rng);
      addend->back() = rng.integer(1, config.N - 1);
    }
    problem.sum_result = sum(problem.addend_1, problem.addend_2, config.N);
  }

  // Of two numbers of equal length; one place more where there is a carry.
  static std::vector<std::int64_t> sum(const std::vector<std::int64_t>& a,
                                       const std::vector<std::int64_t>& b, int base) {
    std::vector<std::int64_t> total;
    std::int64_t carry = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::int64_t value = a[i] + b[i] + carry;
      total.push_back(value % base);
      carry = value / base;
    }
    if (carry > 0) total.push_back(carry);
    return total;
  }
};
REDQUEEN_ENVIRONMENT(Cryptarithmetic);

}  // namespace
}  // namespace redqueen
