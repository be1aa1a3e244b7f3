#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MaxMultiplicationFixedSum {
  static constexpr Card card{
      .name = "MaxMultiplicationFixedSum",
      .published = true,
      .family = Family::kArithmetic,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Find the largest product of positive integers with a given sum.",
      .levels =
          "The bound on the sum starts at 10 and grows by half each level, up to 27000: then the "
          "product has 4300 digits, the most that an answer may have.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences = "The sum lies in the upper half of its range, and does not pass 27000.",
      .source = "Partition of an integer (整数划分), SCOI 2006",
      .max_level = 20,
  };

  static constexpr std::int64_t kLargestSum = 27'000;

  struct Config {
    std::int64_t MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t N = 0;
    REDQUEEN_FIELDS(MAX_N, N)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_half(10, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return {.MAX_N = config.MAX_N,
            .N = draw_upper_half(4, std::min(config.MAX_N, kLargestSum), rng)};
  }

  static Problem published(const Config& config, Rng& rng) {
    return {.MAX_N = config.MAX_N, .N = rng.integer(4, std::min(config.MAX_N, kLargestSum))};
  }

  static Status check(const Problem& problem) { return within("N", problem.N, 4, kLargestSum); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Write {} as a sum of one or more positive integers, repetitions allowed, so that their "
        "product is as large as possible. What is this product?\n"
        "Answer with one integer, with all its digits.",
        problem.N);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return exact_reward(answer == right);
  }

  // No part above 4, no 1, and no three twos (3·3 > 2·2·2): threes, and what they leave as 2 or 4.
  static Answer solve(const Problem& problem) {
    const std::int64_t rest = problem.N % 3 == 0 ? 0 : problem.N % 3 == 1 ? 4 : 2;
    const auto threes = static_cast<unsigned>((problem.N - rest) / 3);
    return pow(BigInt(3), threes) * (rest == 0 ? 1 : rest);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const BigInt half = problem.N / 2;
    const auto twos = static_cast<unsigned>(problem.N / 2);
    return {{"two halves", format_answer(BigInt(half * (problem.N - half)))},
            {"all twos", format_answer(BigInt(BigInt(1) << twos))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(MaxMultiplicationFixedSum);

}  // namespace
}  // namespace redqueen
