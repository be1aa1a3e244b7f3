#include <algorithm>
#include <array>
#include <bit>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/random_integer.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct DigitLISCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "DigitLISCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the integers of a range whose decimal digits have a longest strictly ascending "
          "subsequence of a given length.",
      .levels =
          "The upper end of the range has 2 digits and one more a level. Beyond level 60 the "
          "table of the reference solution would take too long.",
      .rewards =
          "-1 malformed or negative, else (smaller / larger of answer and count)^10, which is 1 "
          "only if right.",
      .differences =
          "The range begins at 1 or later, holds at least ten numbers, and one of them is "
          "counted. (Where it begins at 0, the published count leaves out the number 0, whose "
          "subsequence has the length 1.)",
      .source = "XHXJ's LIS, HDU 4352",
      .max_level = 60,
  };

  static constexpr int kMaxDigits = 80;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    BigInt R;
    BigInt L;
    std::int64_t K = 0;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, R, L, K, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = 2 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N};
    problem.R = random_integer(power_of_ten(config.N - 1), power_of_ten(config.N) - 1, rng);
    problem.L = random_integer(1, problem.R, rng);
    if (problem.R - problem.L < 9) throw Retry();
    problem.K = rng.integer(1, std::min(config.N, 10));
    problem.reference_answer = count(problem);
    if (problem.reference_answer == 0) throw Retry();
    return problem;
  }

  // R is uniform among the numbers of N digits, L among those up to it.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N};
    problem.R = random_integer(power_of_ten(config.N - 1), power_of_ten(config.N) - 1, rng);
    problem.L = random_integer(0, problem.R, rng);
    problem.K = rng.integer(1, std::min(config.N, 10));
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.R < 0 || problem.R >= power_of_ten(kMaxDigits)) {
      return failure("\"R\": expected an integer of up to {} digits", kMaxDigits);
    }
    if (problem.L < 0 || problem.L > problem.R) {
      return failure("\"L\": expected an integer from 0 to \"R\"");
    }
    RETURN_IF_ERROR(within("K", problem.K, 1, 10));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "For an integer n, written in decimal without leading zeros, let P(n) be the length of the "
        "longest strictly ascending subsequence of its digits, read from left to right. The digits "
        "of a subsequence keep their order but need not be neighbours: P(1324) = 3, by 1, 3, 4. "
        "How many integers n from {} to {} (both included) have P(n) = {}?\n"
        "Answer with one integer.",
        problem.L.str(), problem.R.str(), problem.K);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const BigInt numbers = problem.R - problem.L + 1;
    return {{"all numbers", format_answer(numbers)},
            {"half of all numbers", format_answer(BigInt(numbers / 2))},
            {"a third of all numbers", format_answer(BigInt(numbers / 3))}};
  }

 private:
  // Of the subsequences of each length, the one with the least last digit is kept: a set of digits,
  // in ascending order of lengths. A further digit takes the place of the least one that is not
  // below it.
  static unsigned after_digit(unsigned set, unsigned digit) {
    const unsigned not_below = set >> digit << digit;
    return (set ^ (not_below & -not_below)) | 1U << digit;
  }

  static BigInt count(const Problem& problem) {
    if (problem.R < power_of_ten(18)) return count_as<std::int64_t>(problem);
    if (problem.R < power_of_ten(37)) return BigInt(count_as<Int128>(problem));
    return count_as<BigInt>(problem);
  }

  // Counts the numbers below R + 1, less those below L, digit by digit, by the set of what was read
  // so far.
  template <typename Number>
  static Number count_as(const Problem& problem) {
    struct Bound {
      std::string digits;
      int sign;
      unsigned set = 0;  // of its own digits read so far
    };
    std::array<Bound, 2> bounds{Bound{BigInt(problem.R + 1).str(), 1}, Bound{problem.L.str(), -1}};
    const auto wanted = static_cast<int>(problem.K);
    std::vector<Number> numbers(1024, Number(0));
    std::vector<Number> next(1024, Number(0));
    std::vector<unsigned> sets;  // those with an entry
    std::vector<unsigned> next_sets;
    std::vector<char> listed(1024);
    for (int left = static_cast<int>(bounds[0].digits.size()); left > 0; --left) {
      const auto add = [&](unsigned set, const Number& more) {
        const int length = std::popcount(set);
        if (length > wanted || length + left - 1 < wanted) return;
        if (listed[set] == 0) {
          listed[set] = 1;
          next_sets.push_back(set);
        }
        next[set] += more;
      };
      for (const unsigned set : sets) {
        for (unsigned digit = 0; digit < 10; ++digit) add(after_digit(set, digit), numbers[set]);
        numbers[set] = 0;
      }
      for (Bound& bound : bounds) {
        const auto read = static_cast<int>(bound.digits.size()) - left;
        if (read < 0) continue;
        const auto own = static_cast<unsigned>(bound.digits[read] - '0');
        // Numbers that are below the bound from this digit on, and those that begin with it.
        for (unsigned digit = read == 0 ? 1 : 0; digit < own; ++digit) {
          add(after_digit(bound.set, digit), Number(bound.sign));
        }
        for (unsigned digit = 1; digit < 10 && read > 0; ++digit) {
          add(1U << digit, Number(bound.sign));
        }
        bound.set = after_digit(bound.set, own);
      }
      for (const unsigned set : next_sets) listed[set] = 0;
      std::swap(sets, next_sets);
      next_sets.clear();
      std::swap(numbers, next);
    }
    Number sum(problem.L == 0 && wanted == 1 ? 1 : 0);  // the number 0
    for (const unsigned set : sets) sum += numbers[set];
    return sum;
  }
};
REDQUEEN_ENVIRONMENT(DigitLISCounting);

}  // namespace
}  // namespace redqueen
