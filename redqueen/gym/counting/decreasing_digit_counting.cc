#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct DecreasingDigitCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "DecreasingDigitCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the numbers of limited length in binary whose digits, in a base that is a power "
          "of two, ascend strictly from left to right. (The name says the opposite.)",
      .levels =
          "The bound on the exponent K of the base starts at 2 and grows by one each level, and "
          "that on the length W is K·2^K. Beyond level 50 it would not fit 64 bits.",
      .rewards =
          "-1 malformed or negative, else (smaller / larger of answer and count)^10, which is 1 "
          "only if right.",
      .differences =
          "W allows up to 4 + K/4 digits, of which the first is not a whole one. Otherwise most "
          "answers were 2^(2^K - 1) - 2^K, with hundreds of digits.",
      .small_answer_space = "At level 0, in base 4, there are four such numbers.",
      .guess_until_level = 0,
      .source = "Numbers in base 2^k (2^k进制数), NOIP 2006, senior group",
      .max_level = 50,
  };

  static constexpr std::int64_t kMaxK = 56;
  static constexpr std::int64_t kLargestWholeK = 13;  // a count has at most 2^K bits
  static constexpr std::int64_t kMaxAnswerBits = 14'000;
  static constexpr std::int64_t kMaxBits = kLargestWholeK << kLargestWholeK;  // W

  struct Config {
    std::int64_t MAX_K = 0;
    std::int64_t MAX_W = 0;
    REDQUEEN_FIELDS(MAX_K, MAX_W)
  };
  struct Problem {
    std::int64_t MAX_K = 0;
    std::int64_t MAX_W = 0;
    std::int64_t K = 0;
    std::int64_t W = 0;
    BigInt reference_answer;
    REDQUEEN_FIELDS(MAX_K, MAX_W, K, W, reference_answer)
  };

  static Config at_level(int level, Rng&) {
    const std::int64_t base = 2 + level;
    return {.MAX_K = base, .MAX_W = base << base};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_K = config.MAX_K, .MAX_W = config.MAX_W, .K = 2};
    if (config.MAX_K == 2) {
      problem.W = rng.integer(3, config.MAX_W);
    } else {
      problem.K = rng.integer(std::max<std::int64_t>(3, (config.MAX_K + 1) / 2), config.MAX_K);
      const std::int64_t half = std::int64_t{1} << (problem.K - 1);
      const std::int64_t digits =
          rng.integer(problem.K > 3 ? 3 : 2, std::min(half, 4 + problem.K / 4));
      problem.W = (digits - 1) * problem.K + rng.integer(1, problem.K - 1);
    }
    problem.reference_answer = count(problem);
    return problem;
  }

  // K and W are uniform. Where a count could have more digits than an answer may have, which is
  // from K = 14 on, W is no more than such a count has bits.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_K = config.MAX_K, .MAX_W = config.MAX_W};
    problem.K = rng.integer(2, config.MAX_K);
    std::int64_t most = problem.K << problem.K;
    if (problem.K > kLargestWholeK) most = std::min(most, kMaxAnswerBits);
    problem.W = rng.integer(problem.K + 1, most);
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("K", problem.K, 2, kMaxK));
    RETURN_IF_ERROR(within("W", problem.W, 1, problem.K << problem.K));
    if (problem.W > kMaxBits) {
      return failure("\"W\": {} is more than the {} bits that can be counted", problem.W, kMaxBits);
    }
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Count the positive integers R with these two properties:\n"
        "1. Written in base 2^{0} = {1} without leading zeros, R has at least two digits, and from "
        "left to right (from the most to the least significant) each digit is greater than the one "
        "before it.\n"
        "2. Written in binary without leading zeros, R has at most {2} bits.\n"
        "Answer with one integer, all digits of it.",
        problem.K, std::int64_t{1} << problem.K, problem.W);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const BigInt largest = (BigInt(1) << problem.K) - 1;
    const std::int64_t digits = (problem.W + problem.K - 1) / problem.K;
    if (digits > kFewDigits) return {};
    BigInt whole = 0;  // with less than `digits` digits
    BigInt all_of_length = largest;
    for (std::int64_t length = 2; length <= digits; ++length) {
      whole += length > 2 ? all_of_length : BigInt(0);
      all_of_length = all_of_length * (largest - length + 1) / length;
    }
    return {{"those of whole digits only", format_answer(whole)},
            {"any digits of the largest length", format_answer(all_of_length)},
            {"any digits up to the largest length", format_answer(BigInt(whole + all_of_length))}};
  }

 private:
  static constexpr std::int64_t kFewDigits = 100;

  // A number is a set of digits, none of them 0. With r > 0 bits for the first of the largest
  // number of digits, at least one digit is less than 2^r.
  static BigInt count(const Problem& problem) {
    const std::int64_t largest = (std::int64_t{1} << problem.K) - 1;  // digit
    const std::int64_t first_bits = problem.W % problem.K;
    const std::int64_t digits = (problem.W + problem.K - 1) / problem.K;
    const bool is_cut = first_bits > 0 && digits <= largest;
    BigInt sum = 0;
    BigInt sets = largest;  // of `length` digits
    for (std::int64_t length = 2; length <= std::min(digits, largest); ++length) {
      sets = sets * (largest - length + 1) / length;
      sum += sets;
    }
    if (is_cut && digits >= 2) {
      const std::int64_t large = largest - ((std::int64_t{1} << first_bits) - 1);
      BigInt without_small = 1;
      for (std::int64_t length = 1; length <= digits; ++length) {
        without_small = without_small * (large - length + 1) / length;
        if (without_small == 0) break;
      }
      sum -= without_small;
    }
    return sum;
  }
};
REDQUEEN_ENVIRONMENT(DecreasingDigitCounting);

}  // namespace
}  // namespace redqueen
