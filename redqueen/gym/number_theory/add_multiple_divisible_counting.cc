#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct AddMultiple_Divisible_Counting {
  static constexpr Card card{
      .name = "AddMultiple_Divisible_Counting",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the pairs a < b up to N for which a + b divides a·b.",
      .levels =
          "The bound on N starts at 16 and grows by half each level. Beyond level 30 the count "
          "takes too long.",
      .rewards =
          "-1 malformed or not positive, else (min/max)^10 of the answer and the count: who only "
          "knows the size of it, earns much without solving.",
      .differences = "N lies in the upper half of its range; only the exact count is solved.",
      .small_answer_space =
          "At level 0 the only possible counts are 1, 3 and 4, at level 2 there are about ten.",
      .guess_until_level = 2,
      .version = 2,
      .max_level = 30,
  };

  // The count stays the same over runs of N; drawn uniformly, the longest run would decide.
  static constexpr std::int64_t kFewNumbers = 500;

  static constexpr std::int64_t kMaxN = 5'000'000;

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

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_half(16, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int draws = config.MAX_N < kFewNumbers ? 8 : 1;
    return draw_spread(draws, rng, [&]() -> std::optional<std::pair<std::int64_t, Problem>> {
      const Problem problem{.MAX_N = config.MAX_N, .N = draw_upper_half(6, config.MAX_N, rng)};
      return std::pair(draws == 1 ? 0 : count_pairs(problem.N), problem);
    });
  }

  // A uniform N.
  static Problem published(const Config& config, Rng& rng) {
    return {.MAX_N = config.MAX_N, .N = rng.integer(6, config.MAX_N)};
  }

  static Status check(const Problem& problem) { return within("N", problem.N, 1, kMaxN); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Count the pairs of integers (a, b) with 1 ≤ a < b ≤ {} for which a + b divides a·b.\n"
        "Answer with the exact count, one integer.",
        problem.N);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 1);
  }

  // With a = gx, b = gy and x, y coprime, the condition is that x + y divides g: ⌊N / (y(x + y))⌋
  // choices. Every coprime pair x < y descends once from (1, 2) by (x, y) → (x, x + y), (y, x + y),
  // and y(x + y) grows on the way.
  static Answer solve(const Problem& problem) { return count_pairs(problem.N); }

  static std::int64_t count_pairs(std::int64_t n) {
    std::int64_t count = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> open{{1, 2}};
    while (!open.empty()) {
      const auto [x, y] = open.back();
      open.pop_back();
      const std::int64_t choices = n / (y * (x + y));
      if (choices == 0) continue;
      count += choices;
      open.emplace_back(x, x + y);
      open.emplace_back(y, x + y);
    }
    return count;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(AddMultiple_Divisible_Counting);

}  // namespace
}  // namespace redqueen
