#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

// The least number of signed Fibonacci numbers that add up to n ≥ 0: the nearest one is always
// among some shortest choice.
int least_terms(std::int64_t n) {
  int terms = 0;
  for (; n > 0; ++terms) {
    std::int64_t below = 1;
    std::int64_t above = 2;
    while (above <= n) below = std::exchange(above, below + above);
    n = std::min(n - below, above - n);
  }
  return terms;
}

struct MinimumFibonacciRepresentation {
  static constexpr Card card{
      .name = "MinimumFibonacciRepresentation",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Find the least number of Fibonacci numbers, added or subtracted, that make K.",
      .levels = "The bound on K starts at 15 and grows by half each level.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Numbers of terms are drawn evenly; under a uniform K, 2 or 3 would be right for most "
          "problems of the first levels.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "The number of terms grows with the logarithm of K: 2 at most at level 0, 3 at level "
          "3, 5 at level 10. At level 20, the commonest number is still right in a fifth of the "
          "problems.",
      .guess_until_level = 20,
      .source = "Fibonacci Representation (ROZ), Polish Olympiad in Informatics",
      .version = 2,
  };

  static constexpr std::int64_t kMaxK = std::int64_t{1} << 62;
  static constexpr int kDraws = 24;

  struct Config {
    std::int64_t MAX_K = 0;
    REDQUEEN_FIELDS(MAX_K)
  };
  struct Problem {
    std::int64_t MAX_K = 0;
    std::int64_t K = 0;
    REDQUEEN_FIELDS(MAX_K, K)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_K = grow_by_half(15, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_spread(kDraws, rng, [&]() -> std::optional<std::pair<int, Problem>> {
      const std::int64_t number =
          rng.chance(0.5) ? rng.integer(4, config.MAX_K) : draw_sparse(config.MAX_K, rng);
      if (number < 4 || number > config.MAX_K) return std::nullopt;
      return std::pair(kept_terms(number), Problem{.MAX_K = config.MAX_K, .K = number});
    });
  }

  // Those of small numbers are found once.
  static int kept_terms(std::int64_t number) {
    constexpr std::int64_t kKept = 1 << 14;
    static const std::vector<std::int8_t> kTerms = [] {
      std::vector<std::int8_t> terms;
      for (std::int64_t n = 0; n <= kKept; ++n) {
        terms.push_back(static_cast<std::int8_t>(least_terms(n)));
      }
      return terms;
    }();
    return number <= kKept ? kTerms[number] : least_terms(number);
  }

  // A signed sum of Fibonacci numbers that lie a few places apart: such sums need many terms.
  static std::int64_t draw_sparse(std::int64_t limit, Rng& rng) {
    std::int64_t sum = 0;
    std::int64_t fibonacci = 1;
    std::int64_t next = 2;
    while (fibonacci <= limit / 2) {
      sum += rng.chance(0.5) ? fibonacci : -fibonacci;
      for (std::int64_t step = rng.integer(2, 4); step > 0; --step) {
        fibonacci = std::exchange(next, fibonacci + next);
      }
    }
    return std::abs(sum);
  }

  // A uniform K.
  static Problem published(const Config& config, Rng& rng) {
    return {.MAX_K = config.MAX_K, .K = rng.integer(4, config.MAX_K)};
  }

  static Status check(const Problem& problem) { return within("K", problem.K, 1, kMaxK); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "The number {} is to be written with Fibonacci numbers (1, 2, 3, 5, 8, 13, …, each the sum "
        "of the two before), every one of them added or subtracted; the same one may occur more "
        "than once. What is the least number of terms?\n"
        "Answer with one integer.",
        problem.K);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == solve(problem));
  }

  static Answer solve(const Problem& problem) { return least_terms(problem.K); }

  static Answer random_answer(const Problem&, Rng& rng) { return rng.integer(1, 6); }
};
REDQUEEN_ENVIRONMENT(MinimumFibonacciRepresentation);

}  // namespace
}  // namespace redqueen
