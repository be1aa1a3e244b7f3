#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/binomial.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct LDSTwo_Counting : StoredCount<0> {
  static constexpr Card card{
      .name = "LDSTwo_Counting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the permutations without a decreasing subsequence of three elements that have a "
          "given value at a given position.",
      .levels =
          "The length starts at 4 and grows by a tenth and one a level. Beyond level 60 the count "
          "would have more digits than an answer may have.",
      .rewards =
          "-1 malformed or negative, else (smaller / larger of answer and count)^10, which is 1 "
          "only if right.",
      .differences =
          "From length 5 on, positions and values are avoided for which a single permutation "
          "remains or the count is a Catalan number, as it is if one element of the permutation "
          "could be struck out. Of short permutations, counts are drawn evenly among those that "
          "come up. Only the exact count is solved.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "With four elements, at level 0, the count is 1 to 5; with five it is 4, 9 or 10, and "
          "with six, at level 2, there are seven counts, three of which are near 27.",
      .guess_until_level = 2,
      .max_level = 60,
  };

  static constexpr int kShortest = 6;
  static constexpr int kShort = 12;  // up to here, many positions and values have the same count
  static constexpr int kDraws = 8;
  static constexpr int kMaxLength = 7000;  // 4^N must have no more than 4300 digits

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int X = 0;
    int Y = 0;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, X, Y, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int draws = config.N <= kShortest ? 5 * kDraws : config.N <= kShort ? kDraws : 2;
    return draw_spread(draws, rng, [&]() -> std::optional<std::pair<BigInt, Problem>> {
      Problem problem{.N = config.N};
      problem.X = static_cast<int>(rng.integer(1, config.N));
      problem.Y = static_cast<int>(rng.integer(1, config.N));
      if (config.N >= 5 && is_degenerate(problem)) return std::nullopt;
      problem.reference_answer = count(problem);
      BigInt answer = problem.reference_answer;
      return std::pair(std::move(answer), std::move(problem));
    });
  }

  // The position and the value are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N};
    problem.X = static_cast<int>(rng.integer(1, config.N));
    problem.Y = static_cast<int>(rng.integer(1, config.N));
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(within("X", problem.X, 1, problem.N));
    RETURN_IF_ERROR(within("Y", problem.Y, 1, problem.N));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Count the permutations p[1], p[2], …, p[{0}] of the numbers 1 to {0} with p[{1}] = {2} in "
        "which there are no three positions a < b < c with p[a] > p[b] > p[c].\n"
        "Answer with one integer, the exact number.",
        problem.N, problem.X, problem.Y);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const BigInt all = catalan(problem.N);
    return {{"all permutations without such three, over the length", BigInt(all / problem.N)},
            {"those of one element less", catalan(problem.N - 1)},
            {"those of the elements before times those of the elements after",
             BigInt(catalan(problem.X - 1) * catalan(problem.N - problem.X))},
            {"those of the values below times those of the values above",
             BigInt(catalan(problem.Y - 1) * catalan(problem.N - problem.Y))}};
  }

 private:
  static BigInt catalan(int n) { return binomial(2 * n, n) / (n + 1); }

  // The value is at most one off the end that it stands at, or at the opposite end.
  static bool is_degenerate(const Problem& problem) {
    const int low = std::min(problem.X, problem.Y);
    const int high = std::max(problem.X, problem.Y);
    const bool at_end = high <= 2 || low >= problem.N - 1;
    const bool at_opposite_end = low == 1 && high == problem.N;
    return at_end || at_opposite_end;
  }

  // Lattice paths from (from, from') to (to, to') by steps right and up that do not rise above the
  // diagonal, by reflection.
  static BigInt paths(int from_x, int from_y, int to_x, int to_y) {
    const int steps = to_x + to_y - from_x - from_y;
    return binomial(steps, to_x - from_x) - binomial(steps, to_y + 1 - from_x);
  }

  // The permutations correspond to paths along their prefix maxima. A permutation and its inverse
  // are counted alike, so the smaller one of X and Y may be the position.
  static BigInt count(const Problem& problem) {
    const int low = std::min(problem.X, problem.Y);
    const int high = std::max(problem.X, problem.Y);
    return paths(0, 0, low - 1, high - 1) * paths(low, high, problem.N, problem.N);
  }
};
REDQUEEN_ENVIRONMENT(LDSTwo_Counting);

}  // namespace
}  // namespace redqueen
