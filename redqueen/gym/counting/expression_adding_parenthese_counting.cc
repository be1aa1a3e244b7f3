#include <algorithm>
#include <bit>
#include <span>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct Expression_AddingParenthese_Counting : StoredCount<1> {
  static constexpr Card card{
      .name = "Expression_AddingParenthese_Counting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the values that parentheses can give to an expression with +, - and *.",
      .levels =
          "The expression has 3 operands and one more a level. Beyond level 11 it can have a "
          "million values.",
      .rewards =
          "-1 malformed or not positive, else (smaller / larger of answer and count)^10, which is "
          "1 only if right.",
      .differences =
          "At levels 0 to 4 all counts that come up are drawn as often. From 5 operands on, "
          "expressions of one value, and those of a different value for every bracketing, are "
          "drawn again.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Three operands, at level 0, can be bracketed in two ways, and five, at level 2, in "
          "fourteen.",
      .guess_until_level = 2,
      .max_level = 11,
  };

  static constexpr int kMaxOperands = 14;
  static constexpr int kMaxBits = 120;  // of the product of all operands

  struct Config {
    int num_operands = 0;
    REDQUEEN_FIELDS(num_operands)
  };
  struct Problem {
    int num_operands = 0;
    std::vector<std::int64_t> operands;
    std::vector<std::string> operations;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(num_operands, operands, operations, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.num_operands = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.num_operands;
    return draw_spread(n > 7   ? 1
                       : n > 5 ? 3
                               : 6,
                       rng, [&] {
                         using Draft = std::pair<std::int64_t, Problem>;
                         Problem draft = published(config, rng);
                         const bool simple = draft.reference_answer == 1 ||
                                             draft.reference_answer == bracketings(n);
                         if (n >= 5 && simple) return std::optional<Draft>();
                         return std::optional<Draft>({draft.reference_answer, std::move(draft)});
                       });
  }

  // Operands and operations are uniform.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.num_operands;
    Problem problem{.num_operands = n, .operands = draw_numbers(n, 1, n * n, rng)};
    for (int i = 1; i < n; ++i) problem.operations.emplace_back(1, "+-*"[rng.integer(0, 2)]);
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("num_operands", problem.num_operands, 1, kMaxOperands));
    const int n = problem.num_operands;
    const std::int64_t largest = (std::int64_t{1} << std::min(kMaxBits / n, 40)) - 1;
    RETURN_IF_ERROR(check_numbers("operands", problem.operands, n, 0, largest));
    if (std::ssize(problem.operations) != n - 1) {
      return failure("\"operations\": expected {}, found {}", n - 1, problem.operations.size());
    }
    for (const std::string& operation : problem.operations) {
      if (operation != "+" && operation != "-" && operation != "*") {
        return failure("\"operations\": one is not +, - or *");
      }
    }
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    std::string text = fmt::format("{}", problem.operands[0]);
    for (std::size_t i = 0; i < problem.operations.size(); ++i) {
      append_format(text, " {} {}", problem.operations[i], problem.operands[i + 1]);
    }
    return fmt::format(
        "Parentheses may be put into the following expression in any way; numbers and operators "
        "stay where they are.\n"
        "{}\n"
        "How many different values can the expression have? The value without parentheses is "
        "among them.\n"
        "Answer with one integer.",
        text);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t ways = bracketings(problem.num_operands);
    return {{"all bracketings", format_answer(ways)},
            {"half of all bracketings", format_answer(std::max<std::int64_t>(ways / 2, 1))},
            {"a value for each operand", format_answer(std::int64_t{problem.num_operands})}};
  }

 private:
  // The Catalan number of n − 1.
  static std::int64_t bracketings(int n) {
    std::int64_t catalan = 1;
    for (int i = 1; i < n; ++i) catalan = catalan * (2 * (2 * i - 1)) / (i + 1);
    return catalan;
  }

  static std::int64_t count(const Problem& problem) {
    const std::int64_t largest = std::ranges::max(problem.operands);
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest) + 1));
    return bits * problem.num_operands <= 60 ? count_as<std::int64_t>(problem)
                                             : count_as<Int128>(problem);
  }

  // A set of numbers that only grows: open addressing, at most half full.
  template <typename Number>
  class NumberSet {
   public:
    explicit NumberSet(std::size_t most)
        : mask_(std::bit_ceil(2 * most + 1) - 1), places_(mask_ + 1) {}

    void insert(const Number& number) {
      auto hash = static_cast<std::uint64_t>(number);
      if constexpr (sizeof(Number) > sizeof hash) {
        hash ^= static_cast<std::uint64_t>(number >> 64) * 0x9e3779b97f4a7c15U;
      }
      hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9U;
      std::size_t place = (hash ^ hash >> 32) & mask_;
      for (; places_[place] != 0; place = (place + 1) & mask_) {
        if (numbers_[places_[place] - 1] == number) return;
      }
      numbers_.push_back(number);
      places_[place] = static_cast<std::uint32_t>(numbers_.size());
    }

    std::vector<Number>& numbers() { return numbers_; }

   private:
    std::size_t mask_;
    std::vector<std::uint32_t> places_;  // 1 + the place in numbers_; 0: free
    std::vector<Number> numbers_;
  };

  // The values of every part of the expression, from those of two smaller ones around its last
  // operation. The product of all numbers + 1 bounds them, so that nothing overflows.
  template <typename Number>
  static std::int64_t count_as(const Problem& problem) {
    const int n = problem.num_operands;
    std::vector<std::vector<Number>> values(static_cast<std::size_t>(n * n));
    for (int i = 0; i < n; ++i) values[i * n + i].push_back(problem.operands[i]);
    for (int length = 2; length <= n; ++length) {
      for (int first = 0; first + length <= n; ++first) {
        const int last = first + length - 1;
        std::size_t pairs = 0;
        for (int middle = first; middle < last; ++middle) {
          pairs += values[first * n + middle].size() * values[(middle + 1) * n + last].size();
        }
        NumberSet<Number> found(pairs);
        for (int middle = first; middle < last; ++middle) {
          const char operation = problem.operations[middle][0];
          for (const Number& a : values[first * n + middle]) {
            for (const Number& b : values[(middle + 1) * n + last]) {
              found.insert(operation == '+' ? a + b : operation == '-' ? a - b : a * b);
            }
          }
        }
        values[first * n + last] = std::move(found.numbers());
      }
    }
    return std::ssize(values[n - 1]);
  }
};
REDQUEEN_ENVIRONMENT(Expression_AddingParenthese_Counting);

}  // namespace
}  // namespace redqueen
