#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct DeltaMinPopcount {
  static constexpr Card card{
      .name = "DeltaMinPopcount",
      .published = true,
      .family = Family::kBits,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Given d in binary, find the fewest 1 bits that n XOR (n + d) "
          "can have for any n ≥ 0.",
      .levels =
          "The number of binary digits starts at 4 and grows by a tenth "
          "and one a level.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "The answer is drawn first, evenly from a sixth to half of the number of digits; random "
          "digits nearly always gave about a third of it. Where that can be, it is not the number "
          "of "
          "ones of d, as it was for most short ones.",
      .small_answer_space =
          "The answer is at most half the number of digits plus one: up to level 8, with 14 "
          "digits, one number is right in a fifth of the problems or more.",
      .guess_until_level = 8,
      .version = 2,
      .max_level = 80,
  };

  static constexpr int kMaxDigits = 1'000'000;
  static constexpr int kDraws = 30;
  static constexpr double kPlainShare = 0.1;

  struct Config {
    int digit_num = 0;
    REDQUEEN_FIELDS(digit_num)
  };
  struct Problem {
    int digit_num = 0;
    std::string binary_string;
    REDQUEEN_FIELDS(digit_num, binary_string)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.digit_num = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int digits = config.digit_num;
    const auto weight = static_cast<int>(rng.integer((digits + 3) / 6, digits / 2 + 1));
    const bool plain = rng.chance(kPlainShare);
    return draw_preferred(
        kDraws,
        [&] {
          return Problem{.digit_num = digits,
                         .binary_string = to_binary(draw_signed(digits, weight, rng))};
        },
        [&](const Problem& problem) { return plain || ones_of(problem) != weight; });
  }

  static std::int64_t ones_of(const Problem& problem) {
    return std::ranges::count(problem.binary_string, '1');
  }

  // Random digits after a one.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.digit_num = config.digit_num, .binary_string = "1"};
    for (int i = 1; i < config.digit_num; ++i) {
      problem.binary_string += rng.chance(0.5) ? '1' : '0';
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    if (Status fits = within("digit_num", problem.digit_num, 1, kMaxDigits); !fits) return fits;
    const std::string& bits = problem.binary_string;
    if (bits.size() != static_cast<std::size_t>(problem.digit_num) || bits[0] != '1' ||
        bits.find_first_not_of("01") != std::string::npos) {
      return failure(
          "\"binary_string\": expected \"digit_num\" binary digits, "
          "the first one 1");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "The binary number {}, of {} digits, is d. For an "
        "integer n ≥ 0, count the 1 bits of "
        "n XOR (n + d), where XOR works on the binary digits "
        "and + is ordinary addition. What is "
        "the smallest count that any n attains?\n"
        "Answer with one integer, in decimal.",
        problem.binary_string, problem.digit_num);
  }

  static double score(const Problem&, Answer answer, Answer right) {
    return exact_reward(answer == right);
  }

  // Every 1 of n XOR (n + d) is a power of two that n + d has and n has not, or
  // the reverse: their signed sum is d. The fewest signed powers are those of
  // the non-adjacent form, read off from the low digit.
  static Answer solve(const Problem& problem) {
    const std::string& bits = problem.binary_string;
    const auto bit = [&](std::size_t i) {
      return i < bits.size() && bits[bits.size() - 1 - i] == '1';
    };
    std::int64_t count = 0;
    bool carry = false;
    for (std::size_t i = 0; i <= bits.size(); ++i) {
      if (bit(i) == carry) continue;
      ++count;
      carry = bit(i + 1);
    }
    return count;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, problem.digit_num / 2 + 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"a third of the digits and one", format_answer((problem.digit_num + 1) / 3 + 1)},
            {"the ones of d", format_answer(ones_of(problem))}};
  }

 private:
  // A non-adjacent form of `weight` signed digits, the lowest first, of a number that has `digits`
  // binary digits. Such a number starts with 2^(digits−1) and goes on with a plus, or with 2^digits
  // and goes on with a minus.
  static std::vector<int> draw_signed(int digits, int weight, Rng& rng) {
    const bool minus = weight > (digits + 1) / 2 || (weight >= 2 && rng.chance(0.5));
    const int top = minus ? digits : digits - 1;
    std::vector<int> form(static_cast<std::size_t>(digits) + 1, 0);
    form[top] = 1;
    // Places without neighbours among 0 … top − 2 are any places of a row that
    // is shorter by the number of gaps.
    const int rest = weight - 1;
    std::vector<std::int64_t> places;
    if (rest > 0) places = rng.sample(0, top - 1 - rest, static_cast<std::size_t>(rest));
    std::ranges::sort(places);
    for (int i = 0; i < rest; ++i) form[places[i] + i] = rng.chance(0.5) ? 1 : -1;
    if (rest > 0) form[places.back() + rest - 1] = minus ? -1 : 1;
    return form;
  }

  static std::string to_binary(const std::vector<int>& form) {
    std::string bits;
    int carry = 0;
    for (const int digit : form) {
      const int sum = digit + carry;
      bits += (sum & 1) != 0 ? '1' : '0';
      carry = sum < 0 ? -1 : 0;
    }
    while (bits.back() == '0') bits.pop_back();
    std::ranges::reverse(bits);
    return bits;
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(DeltaMinPopcount);

}  // namespace
}  // namespace redqueen
