#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

// The sum of the digits of all numbers from 0 to n, place by place: a place runs through full
// rounds of 0 … 9, then through the digits below its own, then stays at its own.
Int128 digit_sum_up_to(std::int64_t n) {
  Int128 sum = 0;
  for (Int128 place = 1; place <= n; place *= 10) {
    const Int128 above = n / (place * 10);
    const Int128 digit = n / place % 10;
    const Int128 below = n % place;
    sum += above * 45 * place + digit * (digit - 1) / 2 * place + digit * (below + 1);
  }
  return sum;
}

struct ConstructHackInterval {
  static constexpr Card card{
      .name = "ConstructHackInterval",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task = "Find an interval of numbers whose digits add up to a multiple of the modulus.",
      .levels =
          "The bound on the modulus starts at 10 and doubles each level. A run from 1 on hits a "
          "multiple after about as many numbers as the modulus is large, so that adding up digits "
          "patiently solves the first levels; from level 6 on, none of the first 60 runs does.",
      .rewards = "-1 malformed, -0.5 out of bounds, 0 not a multiple, 1 right.",
      .differences =
          "The modulus lies in the upper half of its range and does not divide 45, which 1 to 9 "
          "add up to. From a bound of 600 on, no run from 1 to 60 or less will do.",
      .slow_reason = SlowReason::kTiny,
      .small_answer_space =
          "Up to level 4, the modulus is at most 160, and the sums of the first digits meet a "
          "multiple of most of these soon.",
      .guess_until_level = 4,
      .source = "Hack it!, Codeforces 468C",
      .version = 2,
      .max_level = 36,
  };

  static constexpr std::int64_t kMaxModulus = 1'000'000'000'000;
  static constexpr std::int64_t kDigitTotal = 45;
  static constexpr std::int64_t kLongRuns = 600;  // smaller bounds leave too few moduli
  static constexpr std::int64_t kEarly = 60;

  struct Config {
    std::int64_t MAX_MOD = 0;
    REDQUEEN_FIELDS(MAX_MOD)
  };
  struct Problem {
    std::int64_t MAX_MOD = 0;
    std::int64_t MOD = 0;
    REDQUEEN_FIELDS(MAX_MOD, MOD)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.MAX_MOD = multiply(10, 2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t least = config.MAX_MOD == 10 ? 4 : config.MAX_MOD / 2;
    const Problem problem{.MAX_MOD = config.MAX_MOD, .MOD = rng.integer(least, config.MAX_MOD)};
    if (kDigitTotal % problem.MOD == 0) throw Retry();
    if (config.MAX_MOD >= kLongRuns && early_hit(problem.MOD)) throw Retry();
    return problem;
  }

  // The first r, if it is soon reached, for which the digits of 1 … r will do.
  static std::optional<std::int64_t> early_hit(std::int64_t modulus) {
    std::int64_t sum = 0;
    for (std::int64_t r = 1; r <= kEarly; ++r) {
      sum += r / 10 + r % 10;
      if (sum % modulus == 0) return r;
    }
    return std::nullopt;
  }

  // A uniform modulus, which may be 1.
  static Problem published(const Config& config, Rng& rng) {
    return {.MAX_MOD = config.MAX_MOD, .MOD = rng.integer(1, config.MAX_MOD)};
  }

  static Status check(const Problem& problem) { return within("MOD", problem.MOD, 1, kMaxModulus); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Let f(x) be the sum of the decimal digits of x. Find two integers L and R with 1 ≤ L ≤ R "
        "≤ {} such that f(L) + f(L+1) + … + f(R) is divisible by {}. Any such pair is right.\n"
        "Answer with L and R, separated by a space.",
        10 * problem.MOD, problem.MOD);
  }

  static std::optional<Answer> parse(std::string_view answer) {
    auto pair = parse_int_list(answer);
    if (!pair || pair->size() != 2) return std::nullopt;
    return pair;
  }

  static double score(const Problem& problem, const Answer& answer) {
    const std::int64_t left = answer[0];
    const std::int64_t right = answer[1];
    if (left < 1 || left > right || right > 10 * problem.MOD) return kInvalidReward;
    return exact_reward((digit_sum_up_to(right) - digit_sum_up_to(left - 1)) % problem.MOD == 0);
  }

  // An interval whose digits add up to the modulus itself. As the left end moves on, the first
  // total to reach the modulus passes it by less than one number's digits, so one of a few hundred
  // intervals hits it; and one starts at the modulus where that is a single digit.
  static Answer solve(const Problem& problem) {
    for (std::int64_t left = 1;; ++left) {
      const Int128 wanted = digit_sum_up_to(left - 1) + problem.MOD;
      std::int64_t low = left;
      std::int64_t high = left + problem.MOD;
      while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (digit_sum_up_to(middle) >= wanted) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      if (digit_sum_up_to(low) == wanted) return {left, low};
    }
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::int64_t left = rng.integer(1, 10 * problem.MOD);
    return {left, rng.integer(left, 10 * problem.MOD)};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"1 to 9", "1 9"},
            {"the modulus alone", fmt::format("{0} {0}", problem.MOD)},
            {"1 to the modulus", fmt::format("1 {}", problem.MOD)},
            {"1 to the first number that will do, up to 60",
             fmt::format("1 {}", early_hit(problem.MOD).value_or(kEarly))},
            {"everything", fmt::format("1 {}", 10 * problem.MOD)}};
  }
};
REDQUEEN_ENVIRONMENT(ConstructHackInterval);

}  // namespace
}  // namespace redqueen
