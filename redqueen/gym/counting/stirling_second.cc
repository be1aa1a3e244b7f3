#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/number/prime_field.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct StirlingSecond {
  static constexpr Card card{
      .name = "StirlingSecond",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count the ways to put different balls into different boxes so that no box stays empty, "
          "modulo 10^9 + 7.",
      .levels =
          "The bounds on balls and boxes start at 7 and 2 and grow by a tenth and one a level.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "Balls and boxes lie in the upper half of their ranges, and from level 2 on there are "
          "three boxes at least and more balls than boxes.",
      .small_answer_space = "At level 0 there are two boxes and at most seven balls.",
      .guess_until_level = 0,
  };

  static constexpr std::int64_t kPrime = 1'000'000'007;
  static constexpr std::int64_t kMostBalls = 200'000;

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
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(MAX_N, MAX_R, N, R, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) {
    return {.MAX_N = grow_by_tenth(7, level), .MAX_R = grow_by_tenth(2, level)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .MAX_R = config.MAX_R};
    // Of two boxes, only two placements leave one empty.
    problem.R = draw_upper_half(config.MAX_R > 3 ? 3 : 2, config.MAX_R, rng);
    problem.N = draw_upper_half(problem.R + (config.MAX_R > 3 ? 1 : 0), config.MAX_N, rng);
    problem.reference_answer = count(problem);
    return problem;
  }

  // Balls and boxes are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_N = config.MAX_N, .MAX_R = config.MAX_R};
    problem.N = rng.integer(2, config.MAX_N);
    problem.R = rng.integer(2, std::min(problem.N, config.MAX_R));
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMostBalls));
    RETURN_IF_ERROR(within("R", problem.R, 1, problem.N));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "There are {} balls with different numbers and {} boxes of different colours. In how many "
        "ways can all balls be put into the boxes so that no box stays empty? The order of balls "
        "within a box does not matter. Give the remainder of this number when divided by {}.\n"
        "Answer with one integer from 0 to {}.",
        problem.N, problem.R, kPrime, kPrime - 1);
  }

  static double score(const Problem& problem, Answer answer) {
    return residue_reward(answer, problem.reference_answer, kPrime);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem&, Rng& rng) { return rng.integer(0, kPrime - 1); }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const PrimeField field(kPrime);
    // A ball for every box first, then the rest anywhere.
    std::int64_t first = 1;
    std::int64_t orders = 1;
    for (std::int64_t i = 0; i < problem.R; ++i) {
      first = field.multiply(first, problem.N - i);
      orders = field.multiply(orders, i + 1);
    }
    return {
        {"boxes may stay empty", format_answer(field.power(problem.R, problem.N))},
        {"boxes alike", format_answer(field.divide(problem.reference_answer, orders))},
        {"one ball into each box, then the others anywhere",
         format_answer(field.multiply(first, field.power(problem.R, problem.N - problem.R)))},
        {"R^N - R", format_answer(field.subtract(field.power(problem.R, problem.N), problem.R))}};
  }

 private:
  // Inclusion and exclusion over the boxes that stay empty.
  static std::int64_t count(const Problem& problem) {
    const PrimeField field(kPrime);
    const auto inverses = field.inverses(static_cast<int>(problem.R));
    std::int64_t choices = 1;  // C(R, empty)
    std::int64_t sum = 0;
    for (std::int64_t empty = 0; empty < problem.R; ++empty) {
      const std::int64_t term = field.multiply(choices, field.power(problem.R - empty, problem.N));
      sum = empty % 2 == 0 ? field.add(sum, term) : field.subtract(sum, term);
      choices = field.multiply(field.multiply(choices, problem.R - empty), inverses[empty + 1]);
    }
    return sum;
  }
};
REDQUEEN_ENVIRONMENT(StirlingSecond);

}  // namespace
}  // namespace redqueen
