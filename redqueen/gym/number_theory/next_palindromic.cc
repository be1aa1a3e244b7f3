#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/random_integer.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

// Writes the left half of the digits, the middle one included, over the right half.
std::string mirrored(std::string digits) {
  std::copy(digits.begin(), digits.begin() + static_cast<std::ptrdiff_t>(digits.size() / 2),
            digits.rbegin());
  return digits;
}

struct NextPalindromic {
  static constexpr Card card{
      .name = "NextPalindromic",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kMinimise,
      .task = "Find the smallest palindrome above N.",
      .levels =
          "The digits of N grow from 2 by a tenth and one a level. Beyond level 50 there are too "
          "many to write.",
      .rewards = "-1 malformed, -0.5 not above N or not a palindrome, else (smallest/answer)^5.",
      .differences =
          "Only the smallest palindrome is solved; a longer second one is within rounding of it. "
          "In most problems N is not below its mirrored left half, often with nines that carry.",
      .slow_reason = SlowReason::kTiny,
      .source = "The Next Palindrome, SPOJ 5",
      .max_level = 50,
  };

  static constexpr int kMaxDigits = 4000;
  static constexpr double kBeta = 5.0;

  struct Config {
    int digit_num = 0;
    REDQUEEN_FIELDS(digit_num)
  };
  struct Problem {
    int digit_num = 0;
    BigInt N;
    REDQUEEN_FIELDS(digit_num, N)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.digit_num = grow_by_tenth(2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int length =
        rng.chance(0.8)
            ? config.digit_num
            : static_cast<int>(rng.integer((config.digit_num + 1) / 2, config.digit_num));
    std::string digits =
        random_integer(power_of_ten(length - 1), power_of_ten(length) - 1, rng).str();
    const double kind = rng.real();
    if (kind < 0.4) {
      plant_nines(digits, rng);
    } else if (kind < 0.8 && mirrored(digits) > digits) {
      digits = raised_above_mirror(digits, rng);
    }
    return {.digit_num = config.digit_num, .N = BigInt(digits)};
  }

  // Nines from the middle outwards, mostly to the very end, so that the next palindrome carries.
  static void plant_nines(std::string& digits, Rng& rng) {
    const auto half = static_cast<std::int64_t>((digits.size() + 1) / 2);
    const auto size = static_cast<std::int64_t>(digits.size());
    // A left half of nines alone is followed by 10…01 and must stay rare.
    const std::int64_t longest = rng.chance(0.05) ? half : half - 1;
    if (longest == 0) return;
    const std::int64_t run = rng.integer(1, longest);
    const std::int64_t end = rng.chance(0.7) ? size : size - half + run;
    std::fill(digits.begin() + (half - run), digits.begin() + end, '9');
  }

  // The same left half, with a right half that is its mirror or above it: where one digit is
  // raised, all digits may follow.
  static std::string raised_above_mirror(const std::string& digits, Rng& rng) {
    std::string raised = mirrored(digits);
    const auto size = static_cast<std::int64_t>(raised.size());
    const std::int64_t place = rng.integer((size + 1) / 2, size);
    if (place == size || raised[place] == '9') return raised;
    raised[place] = static_cast<char>(rng.integer(raised[place] + 1, '9'));
    for (std::int64_t i = place + 1; i < size; ++i) {
      raised[i] = static_cast<char>(rng.integer('0', '9'));
    }
    return raised;
  }

  // A uniform N.
  static Problem published(const Config& config, Rng& rng) {
    return {.digit_num = config.digit_num,
            .N = random_integer(1, power_of_ten(config.digit_num) - 1, rng)};
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.N >= power_of_ten(kMaxDigits)) {
      return failure("\"N\": expected 1 to {} digits of a positive integer", kMaxDigits);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Find the smallest integer greater than {} whose decimal digits read the same forwards and "
        "backwards, without leading zeros.\n"
        "Answer with one integer.",
        problem.N.str());
  }

  static double score(const Problem& problem, const Answer& answer, const Answer& right) {
    if (answer == right) return kSolvedReward;
    if (answer <= problem.N) return kInvalidReward;
    const std::string digits = answer.str();
    if (mirrored(digits) != digits) return kInvalidReward;
    return minimise_reward(answer, right, kBeta);
  }

  // Either the mirrored left half is above N, or it is once 1 is added to the left half. Where that
  // carries beyond the first digit, N is all nines up to there, and 10…01 comes next.
  static Answer solve(const Problem& problem) {
    const std::string digits = problem.N.str();
    const Answer candidate(mirrored(digits));
    if (candidate > problem.N) return candidate;
    const std::size_t half = (digits.size() + 1) / 2;
    const std::string raised = Answer(Answer(digits.substr(0, half)) + 1).str();
    if (raised.size() > half) return power_of_ten(static_cast<int>(digits.size())) + 1;
    return Answer(mirrored(raised + digits.substr(half)));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::string digits =
        random_integer(problem.N, power_of_ten(static_cast<int>(problem.N.str().size())), rng)
            .str();
    return Answer(mirrored(digits));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the mirrored left half", mirrored(problem.N.str())}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(NextPalindromic);

}  // namespace
}  // namespace redqueen
