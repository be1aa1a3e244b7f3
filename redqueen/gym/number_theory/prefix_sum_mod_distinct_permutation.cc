#include <bit>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/sequence/prefix_residues.h"

namespace redqueen {
namespace {

struct PrefixSumMODDistinctPermutation {
  static constexpr Card card{
      .name = "PrefixSumMODDistinctPermutation",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kQuality,
      .task = "Order 1, …, N such that all prefix sums differ modulo N.",
      .levels =
          "The bound on the even N starts at 8 and grows by half each level. Beyond level 20 "
          "answers are too long to write.",
      .rewards = "-1 malformed, -0.5 not a permutation, else (different residues / N)^10.",
      .differences =
          "From level 4 on N lies in the upper half of its range; before, 2 is a size, too, so "
          "that level 0 has four problems. From level 2 on powers of two, which descending order "
          "solves, are rare.",
      .version = 3,
      .max_level = 20,
  };

  static constexpr std::int64_t kFewSizes =
      30;  // bounds below it leave too few sizes in their upper half
  static constexpr std::int64_t kFewOthers = 18;
  static constexpr double kPowerShare = 0.2;  // of the powers of two drawn
  static constexpr std::int64_t kMaxN = 1'000'000;

  struct Config {
    std::int64_t MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    std::int64_t MAX_N = 0;
    std::int64_t N = 0;
    REDQUEEN_FIELDS(MAX_N, N)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_half(8, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      const std::int64_t least = config.MAX_N < kFewSizes ? 2 : config.MAX_N / 2;
      const Problem problem{.MAX_N = config.MAX_N,
                            .N = 2 * rng.integer((least + 1) / 2, config.MAX_N / 2)};
      const bool descending_solves = std::has_single_bit(static_cast<std::uint64_t>(problem.N));
      const bool few_others = config.MAX_N < kFewOthers;
      if (descending_solves && !few_others && !rng.chance(kPowerShare)) return std::nullopt;
      return problem;
    });
  }

  // An even number from 4, each as likely.
  static Problem published(const Config& config, Rng& rng) {
    return {.MAX_N = config.MAX_N, .N = 2 * rng.integer(2, config.MAX_N / 2)};
  }

  static Status check(const Problem& problem) {
    if (problem.N % 2 != 0) return failure("\"N\": {} is odd: there is no solution", problem.N);
    return within("N", problem.N, 2, kMaxN);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Order the integers from 1 to {0}, each used once, such that no two prefix sums are equal "
        "modulo {0}. The prefix sums are the first number, the sum of the first two, and so on to "
        "the sum of all. Any such order is right.\n"
        "Answer with all {0} integers on one line, separated by spaces.",
        problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    const auto distinct = distinct_prefix_residues(
        answer, problem.N, [](std::int64_t sum, std::int64_t number) { return sum + number; });
    return distinct ? share_reward(*distinct, problem.N) : kInvalidReward;
  }

  // N, 1, N − 2, 3, N − 4, …: the prefix sums are 0, 1, −1, 2, −2, …
  static Answer solve(const Problem& problem) {
    Answer answer{problem.N};
    for (std::int64_t i = 1; i < problem.N; ++i) {
      answer.push_back(i % 2 == 1 ? i : problem.N - i);
    }
    return answer;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = numbers_up_to(problem.N);
    rng.shuffle(answer);
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const Answer ascending = numbers_up_to(problem.N);
    return {{"ascending order", format_answer(ascending)},
            {"descending order", format_answer(Answer(ascending.rbegin(), ascending.rend()))}};
  }
};
REDQUEEN_ENVIRONMENT(PrefixSumMODDistinctPermutation);

}  // namespace
}  // namespace redqueen
