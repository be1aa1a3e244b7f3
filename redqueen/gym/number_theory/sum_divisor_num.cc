#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/number/quotient_blocks.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct Sum_DivisorNum {
  static constexpr Card card{
      .name = "Sum_DivisorNum",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Add up the number of divisors of all integers from L to R.",
      .levels =
          "The bound on R starts at 10 and grows by half each level. Beyond level 50 the sum takes "
          "too long.",
      .rewards = "-1 malformed or not positive, else (min/max)^10 of the answer and the sum.",
      .differences =
          "R lies in the upper half of its range and the interval holds at least a quarter of the "
          "numbers below R; problems that Dirichlet's estimate answers are drawn again; only the "
          "exact sum is solved.",
      .version = 2,
      .max_level = 50,
  };

  static constexpr std::int64_t kMaxR = 10'000'000'000;

  struct Config {
    std::int64_t MAX_R = 0;
    REDQUEEN_FIELDS(MAX_R)
  };
  struct Problem {
    std::int64_t MAX_R = 0;
    std::int64_t R = 0;
    std::int64_t L = 0;
    REDQUEEN_FIELDS(MAX_R, R, L)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_R = grow_by_half(10, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.MAX_R = config.MAX_R, .R = draw_upper_half(2, config.MAX_R, rng), .L = 0};
      problem.L = rng.integer(1, problem.R - problem.R / 4);
      if (solve(problem) == estimate(problem)) return std::nullopt;
      return problem;
    });
  }

  // Dirichlet's estimate of the sum up to n is n·ln n + (2γ − 1)·n.
  static std::int64_t estimate(const Problem& problem) {
    const auto up_to = [](double n) { return n == 0.0 ? 0.0 : n * (std::log(n) + 0.1544); };
    return std::lround(up_to(static_cast<double>(problem.R)) -
                       up_to(static_cast<double>(problem.L - 1)));
  }

  // A uniform R and a uniform L up to it.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_R = config.MAX_R, .R = rng.integer(2, config.MAX_R), .L = 0};
    problem.L = rng.integer(1, problem.R);
    return problem;
  }

  static Status check(const Problem& problem) {
    return within("R", problem.R, 1, kMaxR).and_then([&] {
      return within("L", problem.L, 1, problem.R);
    });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Let d(i) be the number of positive divisors of i. Find the sum of d(i) over all integers "
        "i with {} ≤ i ≤ {}.\n"
        "Answer with the exact sum, one integer.",
        problem.L, problem.R);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 1);
  }

  static Answer solve(const Problem& problem) {
    return divisor_count_sum(problem.R) - divisor_count_sum(problem.L - 1);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"Dirichlet's estimate", format_answer(estimate(problem))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(Sum_DivisorNum);

}  // namespace
}  // namespace redqueen
