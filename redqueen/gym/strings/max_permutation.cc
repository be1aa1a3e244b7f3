#include <algorithm>
#include <array>
#include <functional>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct MaxPermutation {
  static constexpr Card card{
      .name = "MaxPermutation",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Order strings of digits so that they concatenate to the largest number, and give the "
          "indices.",
      .levels =
          "From 3 strings of up to 5 digits, a tenth and one more a level. Beyond level 70 the "
          "list would be too long to read.",
      .rewards =
          "-1 malformed, -0.5 not an order of the indices, else (number / greatest number)^5.",
      .differences =
          "Only an order with the greatest number is solved: the reference also takes numbers "
          "within a millionth of it, which are most mistakes at higher levels. From 5 strings on, "
          "a problem is drawn again that is solved by the given order, its reverse, or a "
          "descending order of the numbers, of the strings or of the strings filled up to equal "
          "length.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "The first digits decide the quotient, so that any order that begins with a large number "
          "earns much, and a descending one nearly everything; from level 2 on, neither solves "
          "anything.",
      .guess_until_level = 2,
      .source = "A standard task on greedy orders, LeetCode 179 (Largest Number) among others.",
      .max_level = 70,
  };

  static constexpr double kBeta = 5.0;
  static constexpr double kPrefixes = 0.6;  // the share of beginnings of other strings
  static constexpr int kRulesFrom = 5;
  static constexpr std::size_t kMaxDigits = 100;
  static constexpr std::size_t kMaxTotal = 1'000'000;
  static constexpr int kDraws = 200;

  struct Config {
    int N = 0;
    int MAX_DIGIT_NUM = 0;
    REDQUEEN_FIELDS(N, MAX_DIGIT_NUM)
  };
  struct Problem {
    int N = 0;
    std::vector<std::string> array;
    REDQUEEN_FIELDS(N, array)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) {
    return {.N = grow_by_tenth(3, level), .MAX_DIGIT_NUM = 5};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config, rng); },
        [&](const Problem& problem) {
          const std::string greatest = joined(problem, solve(problem));
          if (config.N < kRulesFrom) return joined(problem, ascending_order(config.N)) != greatest;
          for (int rule = static_cast<int>(kRules.size()) - 1; rule >= 0; --rule) {
            if (joined(problem, order_by(rule, problem)) == greatest) return false;
          }
          return true;
        });
  }

  static Problem draw(const Config& config, Rng& rng) {
    const int whole = config.N - static_cast<int>(kPrefixes * config.N);
    Problem problem{.N = config.N, .array = {}};
    for (int i = 0; i < config.N; ++i) {
      std::string digits;
      if (i < whole) {
        for (int d = 0; d < config.MAX_DIGIT_NUM; ++d) digits += rng.chance(0.5) ? '2' : '1';
      } else {
        digits = problem.array[rng.below(static_cast<std::uint64_t>(whole))];
        digits.resize(rng.integer(1, config.MAX_DIGIT_NUM));
      }
      problem.array.push_back(std::move(digits));
    }
    rng.shuffle(problem.array);
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) { return draw(config, rng); }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    if (std::ssize(problem.array) != problem.N) {
      return failure("\"array\": expected \"N\" strings, {}, found {}", problem.N,
                     problem.array.size());
    }
    std::size_t total = 0;
    for (const std::string& digits : problem.array) {
      if (digits.empty() || digits.size() > kMaxDigits ||
          digits.find_first_not_of("123456789") != std::string::npos) {
        return failure("\"array\": expected strings of 1 to {} digits 1 to 9", kMaxDigits);
      }
      total += digits.size();
    }
    if (total > kMaxTotal) return failure("\"array\": more than {} digits", kMaxTotal);
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (std::size_t i = 0; i < problem.array.size(); ++i) {
      append_format(list, "{}A[{}]={}", i == 0 ? "" : " ", i, problem.array[i]);
    }
    return fmt::format(
        "Here are {} strings of digits, with their indices from 0: {}\n"
        "Write all of them one after the other, each once, in such an order that the decimal "
        "number which they make together is as large as possible. If several orders make the "
        "largest number, any of them will do.\n"
        "Answer with the {} indices in this order, separated by spaces.",
        problem.N, list, problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer)) return kInvalidReward;
    const std::string number = joined(problem, answer);
    const std::string greatest = joined(problem, solve(problem));
    if (number == greatest) return 1.0;
    return partial_reward(leading(number) / leading(greatest), kBeta);
  }

  static Answer solve(const Problem& problem) {
    return sorted(problem,
                  [](const std::string& a, const std::string& b) { return joins_greater(a, b); });
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer order = ascending_order(problem.N);
    rng.shuffle(order);
    return order;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::vector<NamedAnswer> named;
    for (int rule = 0; rule < std::ssize(kRules); ++rule) {
      named.push_back({std::string(kRules[rule]), format_answer(order_by(rule, problem))});
    }
    return named;
  }

 private:
  static constexpr std::array<std::string_view, 7> kRules{
      "the given order",
      "the reverse of the given order",
      "in descending order as in a dictionary",
      "in that order, but beginnings before the strings they begin",
      "in descending order of the numbers",
      "in descending order, filled up with the first digit",
      "in descending order, filled up with the last digit"};

  static Answer order_by(int rule, const Problem& problem) {
    using Text = const std::string&;
    switch (rule) {
      case 0:
        return ascending_order(problem.N);
      case 1:
        return descending_order(problem.N);
      case 2:
        return sorted(problem, std::greater<>());
      case 3:
        return sorted(problem, [](Text a, Text b) {
          const auto [i, j] = std::ranges::mismatch(a, b);
          return i != a.end() && j != b.end() ? *i > *j : a.size() < b.size();
        });
      case 4:
        return sorted(problem, [](Text a, Text b) {
          return a.size() != b.size() ? a.size() > b.size() : a > b;
        });
      default:
        return sorted(problem, [with_first = rule == 5](Text a, Text b) {
          const auto at = [&](Text digits, std::size_t i) {
            return i < digits.size() ? digits[i] : with_first ? digits.front() : digits.back();
          };
          for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
            if (at(a, i) != at(b, i)) return at(a, i) > at(b, i);
          }
          return false;
        });
    }
  }

  // Whether a before b makes a larger number than b before a.
  static bool joins_greater(const std::string& a, const std::string& b) {
    const std::size_t length = a.size() + b.size();
    for (std::size_t i = 0; i < length; ++i) {
      const char ab = i < a.size() ? a[i] : b[i - a.size()];
      const char ba = i < b.size() ? b[i] : a[i - b.size()];
      if (ab != ba) return ab > ba;
    }
    return false;
  }

  template <typename Before>
  static Answer sorted(const Problem& problem, Before before) {
    Answer order = ascending_order(problem.N);
    std::ranges::sort(order, [&](std::int64_t i, std::int64_t j) {
      if (before(problem.array[i], problem.array[j])) return true;
      return i < j && !before(problem.array[j], problem.array[i]);
    });
    return order;
  }

  static std::string joined(const Problem& problem, const Answer& order) {
    std::string number;
    for (const std::int64_t i : order) number += problem.array[i];
    return number;
  }

  // The first digits of numbers of equal length stand for their quotient.
  static double leading(const std::string& number) {
    double value = 0.0;
    for (std::size_t i = 0; i < std::min<std::size_t>(number.size(), 18); ++i) {
      value = 10.0 * value + (number[i] - '0');
    }
    return value;
  }
};
REDQUEEN_ENVIRONMENT(MaxPermutation);

}  // namespace
}  // namespace redqueen
