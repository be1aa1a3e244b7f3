#include <algorithm>
#include <bit>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SubsetSumSequence {
  static constexpr Card card{
      .name = "SubsetSumSequence",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Give the N-th of all sums of different powers of K, in ascending order.",
      .levels = "The bound on N starts at 3 and doubles with every level up to 2^62.",
      .rewards =
          "-1 malformed or not positive, 0 no sum of different powers of K, else (min/max)^2 of "
          "the answer and the right number.",
      .differences =
          "N lies in the upper half of its range, and K in 3 … MAX_K + 6: for K = 2 the answer is "
          "N, and level 0 would hold three problems. Only the exact number is solved.",
      .source = "NOIP 2006 (junior), Sequence.",
  };

  static constexpr double kBeta = 2.0;
  static constexpr std::int64_t kMaxBase = 1000;

  struct Config {
    std::int64_t MAX_N = 0;
    std::int64_t MAX_K = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_K)
  };
  struct Problem {
    std::int64_t N = 0;
    std::int64_t K = 0;
    REDQUEEN_FIELDS(N, K)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) {
    const std::int64_t bound = multiply(3, 2, level);
    return {.MAX_N = bound, .MAX_K = std::min<std::int64_t>(bound, 2 + level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem;
    problem.N = draw_upper_half(2, config.MAX_N, rng);
    problem.K = rng.integer(3, config.MAX_K + 6);
    return problem;
  }

  // N and K are uniform.
  static Problem published(const Config& config, Rng& rng) {
    return {.N = rng.integer(1, config.MAX_N), .K = rng.integer(2, config.MAX_K)};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, std::int64_t{1} << 62));
    return within("K", problem.K, 2, kMaxBase);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Take all positive integers that are a sum of one or more different powers of {0}, the "
        "powers being {0}^0 = 1, {0}^1 = {0}, {0}^2 = {1} and so on, each used at most once. In "
        "ascending order they begin 1, {0}, {2}, {1}, …\n"
        "What is the {3}-th of them, 1 being the first?\n"
        "Answer with one integer in decimal notation.",
        problem.K, problem.K * problem.K, problem.K + 1, problem.N);
  }

  static double score(const Problem& problem, const Answer& answer, const Answer& right) {
    if (answer <= 0) return kMalformedReward;
    if (answer == right) return kSolvedReward;
    for (BigInt rest = answer; rest > 0; rest /= problem.K) {
      if (rest % problem.K > 1) return 0.0;
    }
    return closeness_reward(answer, right, kBeta);
  }

  // The binary digits of N, read in base K.
  static Answer solve(const Problem& problem) {
    BigInt value = 0;
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(problem.N)));
    for (int bit = bits - 1; bit >= 0; --bit) value = value * problem.K + (problem.N >> bit & 1);
    return value;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return solve({.N = rng.integer(1, problem.N / 2 * 3 + 1), .K = problem.K});
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"N", format_answer(problem.N)},
            {"the next sum", format_answer(solve({.N = problem.N ^ 1, .K = problem.K}))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(SubsetSumSequence);

}  // namespace
}  // namespace redqueen
