#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct NegativeBase {
  static constexpr Card card{
      .name = "NegativeBase",
      .published = true,
      .family = Family::kArithmetic,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task = "Write an integer in a negative base.",
      .levels =
          "The bound on the integer starts at 4 and doubles each level; the base is between -2 and "
          "minus that bound, -16 at most.",
      .rewards = "-1 malformed, 0 wrong number of digits, else (digits that are right / digits).",
      .differences =
          "The integer lies in the upper half of its range, with either sign, and takes two digits "
          "or more.",
      .source = "Base conversion (进制转换), NOIP 2000",
      .max_level = 60,
  };

  static constexpr std::int64_t kLargestBase = 16;
  static constexpr std::int64_t kLargestValue = std::int64_t{1} << 62;

  struct Config {
    std::int64_t MAX_N = 0;
    std::int64_t MAX_R = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_R)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t MAX_R = 0;
    std::int64_t N = 0;
    std::int64_t R = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_R, N, R)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) {
    const std::int64_t most = multiply(4, 2, level);
    return {.MAX_N = most, .MAX_R = std::min(most, kLargestBase)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t size = draw_upper_half(1, config.MAX_N, rng);
    Problem problem{.MAX_N = config.MAX_N,
                    .MAX_R = config.MAX_R,
                    .N = rng.chance(0.5) ? size : -size,
                    .R = rng.integer(2, config.MAX_R)};
    // A single digit is written as in any base.
    if (problem.N > 0 && problem.N < problem.R) throw Retry();
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t size = rng.integer(1, config.MAX_N);
    return {.MAX_N = config.MAX_N,
            .MAX_R = config.MAX_R,
            .N = rng.chance(0.5) ? size : -size,
            .R = rng.integer(2, config.MAX_R)};
  }

  static Status check(const Problem& problem) {
    if (problem.N == 0) return failure("\"N\": must not be 0");
    return within("N", problem.N, -kLargestValue, kLargestValue).and_then([&] {
      return within("R", problem.R, 2, 1'000'000'000);
    });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Write {0} in base -{1}: find the digits d_k, …, d_1, d_0, each from 0 to {2}, with d_k "
        "not 0, such that the sum of d_i·(-{1})^i over all i from 0 to k is {0}. There is exactly "
        "one such sequence.\n"
        "Answer with the digits in decimal, d_k first and d_0 last, separated by spaces.",
        problem.N, problem.R, problem.R - 1);
  }

  static double score(const Problem& problem, const Answer& answer) {
    const Answer digits = solve(problem);
    if (answer.size() != digits.size()) return 0.0;
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) matches += answer[i] == digits[i];
    return share_reward(matches, static_cast<std::int64_t>(digits.size()), 1.0);
  }

  static Answer solve(const Problem& problem) {
    return digits_of(
        problem.N, [&](std::int64_t n, std::int64_t digit) { return -((n - digit) / problem.R); },
        problem.R);
  }

  // Digits from the last one up, each the remainder in 0 … base − 1; `rest` says what is left after
  // a digit.
  template <typename Rest>
  static Answer digits_of(std::int64_t n, Rest rest, std::int64_t base) {
    Answer digits;
    while (n != 0) {
      digits.push_back((n % base + base) % base);
      n = rest(n, digits.back());
    }
    std::ranges::reverse(digits);
    return digits;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = solve(problem);
    for (std::int64_t& digit : answer) digit = rng.integer(0, problem.R - 1);
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto in_positive_base = digits_of(
        std::abs(problem.N),
        [&](std::int64_t n, std::int64_t digit) { return (n - digit) / problem.R; }, problem.R);
    return {{"the digits in the positive base", format_answer(in_positive_base)}};
  }
};
REDQUEEN_ENVIRONMENT(NegativeBase);

}  // namespace
}  // namespace redqueen
