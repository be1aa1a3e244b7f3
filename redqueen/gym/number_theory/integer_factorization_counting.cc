#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/number/smooth.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct IntegerFactorizationCounting {
  static constexpr Card card{
      .name = "IntegerFactorizationCounting",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the sets of at least two different integers above 1 whose product is N.",
      .levels =
          "The bound on N starts at 16 and grows by half each level. Beyond level 40 numbers have "
          "so many divisors that the count takes too long.",
      .rewards = "-1 malformed or negative, else (min/max)^10 of the answer and the count.",
      .differences =
          "Most N are products of small primes, and of several draws each count is as likely; "
          "with a uniform N, 0 or 1 would be right for most.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Below level 3 no N has more than four such sets, and few numbers have many: at level 5 "
          "the commonest count still comes up in one problem of four.",
      .guess_until_level = 5,
      .max_level = 40,
  };

  static constexpr std::int64_t kMaxN = 1'000'000'000;
  static constexpr double kUniformShare = 0.15;
  static constexpr std::array kFactors{2, 2, 2, 3, 3, 5, 7, 11};

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
    // Among small numbers few have many divisors, so that more draws are needed.
    const auto draws = static_cast<int>(5 + std::min<std::int64_t>(15, 1200 / config.MAX_N));
    return draw_spread(draws, rng, [&]() -> std::optional<std::pair<Answer, Problem>> {
      const Problem problem{.MAX_N = config.MAX_N, .N = draw_number(config.MAX_N, rng)};
      if (problem.N < 4) return std::nullopt;
      return std::pair(solve(problem), problem);
    });
  }

  // Uniform, or a product of small primes.
  static std::int64_t draw_number(std::int64_t limit, Rng& rng) {
    if (rng.chance(kUniformShare)) return rng.integer(4, limit);
    return draw_smooth(kFactors, draw_upper_half(4, limit, rng), rng);
  }

  // A uniform N: the count is mostly 0 or 1.
  static Problem published(const Config& config, Rng& rng) {
    return {.MAX_N = config.MAX_N, .N = rng.integer(4, config.MAX_N)};
  }

  static Status check(const Problem& problem) { return within("N", problem.N, 2, kMaxN); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "In how many ways can {} be written as a product of at least two integers that are all "
        "greater than 1 and all different? The order of the factors does not matter.\n"
        "Answer with the exact count, one integer.",
        problem.N);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 0);
  }

  // Every divisor above 1 joins the product once or not at all. Larger products first, so that none
  // takes it twice.
  static Answer solve(const Problem& problem) {
    const std::vector<std::int64_t> divisors = divisors_of(problem.N);
    std::vector<std::int64_t> ways(divisors.size(), 0);  // of reaching each divisor
    ways[0] = 1;
    for (std::size_t factor = 1; factor < divisors.size(); ++factor) {
      std::size_t source = divisors.size();  // falls with the product, as divisors ascend
      for (std::size_t product = divisors.size(); product-- > factor;) {
        if (divisors[product] % divisors[factor] != 0) continue;
        const std::int64_t rest = divisors[product] / divisors[factor];
        while (divisors[--source] != rest) {
        }
        ways[product] += ways[source];
      }
    }
    return ways.back() - 1;  // N alone is not a product of two
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(IntegerFactorizationCounting);

}  // namespace
}  // namespace redqueen
