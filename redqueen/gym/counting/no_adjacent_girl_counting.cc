#include <algorithm>
#include <optional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct NoAdjacentGirlCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "NoAdjacentGirlCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the rows of given numbers of boys and girls and two teachers in which neither two "
          "girls nor the teachers are neighbours.",
      .levels =
          "The bound on boys and girls starts at 2 and grows by a tenth and one a level. Beyond "
          "level 40 the count would have more digits than an answer may have.",
      .rewards =
          "-1 malformed or negative, else (smaller / larger of answer and count)^10, which is 1 "
          "only if right.",
      .differences =
          "Neither boys nor girls are less than a third of their bound, and from level 1 on there "
          "are two girls at least and not so many that they keep the teachers apart. Only the "
          "exact count is solved.",
      .small_answer_space =
          "At level 0 there are at most two boys and two girls. Higher up, most rows keep the "
          "teachers apart: who forgets about them earns 0.2 in the mean at level 3 and 0.8 at "
          "level 20, without being right.",
      .guess_until_level = 0,
      .source = "Queueing (排队), HNOI 2012",
      .max_level = 40,
  };

  static constexpr std::int64_t kMaxPeople = 600;  // of a kind: (2·600 + 2)! has 3175 digits

  struct Config {
    std::int64_t MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    std::int64_t MAX_N_M = 0;
    std::int64_t N = 0;
    std::int64_t M = 0;
    BigInt reference_answer;
    REDQUEEN_FIELDS(MAX_N_M, N, M, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(2, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_N_M = config.MAX_N_M};
    const std::int64_t least = (config.MAX_N_M + 1) / 3;
    problem.N = rng.integer(std::max<std::int64_t>(1, least), config.MAX_N_M);
    // The only girl has no other beside her.
    const std::int64_t girls = config.MAX_N_M < 3 ? 1 : std::max<std::int64_t>(2, least);
    // With a girl in every gap, the teachers cannot be neighbours.
    problem.M = rng.integer(girls, std::min(config.MAX_N_M, problem.N + 2));
    problem.reference_answer = count(problem);
    return problem;
  }

  // Boys and girls are uniform, drawn until some row is possible.
  static Problem published(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.MAX_N_M = config.MAX_N_M};
      problem.N = rng.integer(1, config.MAX_N_M);
      problem.M = rng.integer(1, config.MAX_N_M);
      if (problem.M > problem.N + 3) return std::nullopt;
      problem.reference_answer = count(problem);
      return problem;
    });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 0, kMaxPeople));
    RETURN_IF_ERROR(within("M", problem.M, 0, kMaxPeople));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "All people of a group stand in one row, side by side. Number of boys: {}. Number of "
        "girls: "
        "{}. Number of teachers: 2. No two girls may stand next to each other, and the two "
        "teachers may not stand next to each other. All people can be told apart, and a row read "
        "from left to right differs from the same row read from "
        "right to left. How many different rows are there?\n"
        "Answer with one integer, the exact number.",
        problem.N, problem.M);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t n = problem.N;
    const std::int64_t m = problem.M;
    const std::int64_t all = n + m + 2;
    return {
        {"all rows", format_answer(ordered_choices(all, all))},
        {"as if teachers might be neighbours",
         format_answer(BigInt(ordered_choices(n + 2, n + 2) * ordered_choices(n + 3, m)))},
        {"as if girls might be neighbours",
         format_answer(BigInt(ordered_choices(all, all) - 2 * ordered_choices(all - 1, all - 1)))}};
  }

 private:
  // n (n − 1) … (n − k + 1); 0 if k > n.
  static BigInt ordered_choices(std::int64_t n, std::int64_t k) {
    BigInt product = 1;
    for (std::int64_t i = 0; i < k; ++i) product *= n - i;
    return product;
  }

  // Boys and teachers stand in any order, girls go to different gaps between and beside them. This
  // counts also the rows with two teachers as neighbours: they are one person of two orders, and no
  // girl goes between them.
  static BigInt count(const Problem& problem) {
    const std::int64_t others = problem.N + 2;
    return ordered_choices(others, others) * ordered_choices(others + 1, problem.M) -
           2 * ordered_choices(others - 1, others - 1) * ordered_choices(others, problem.M);
  }
};
REDQUEEN_ENVIRONMENT(NoAdjacentGirlCounting);

}  // namespace
}  // namespace redqueen
