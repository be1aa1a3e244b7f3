#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct ClearSymmetry {
  static constexpr Card card{
      .name = "ClearSymmetry",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Find the smallest square 0/1 matrix that has given many ones, no two of them side by "
          "side, and is symmetric both ways.",
      .levels = "The bound on the ones starts at 5 and grows by half every level.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "The side of the matrix is drawn first, and is as likely any that is possible: of "
          "uniform numbers of ones, most have the largest. In most problems the board of the even "
          "side below would hold as many ones.",
      .small_answer_space =
          "There are few answers, as the side is odd and about the root of twice the ones: three "
          "at level 2, five at level 5.",
      .guess_until_level = 5,
      .source = "Clear Symmetry, Codeforces 201A",
      .version = 2,
  };

  struct Config {
    std::int64_t MAX_X = 0;
    REDQUEEN_FIELDS(MAX_X)
  };
  struct Problem {
    std::int64_t x = 0;  // ones
    REDQUEEN_FIELDS(x)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.MAX_X = grow_by_half(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t largest = std::max(side_for(config.MAX_X), kSideForThree);
    const std::int64_t side = 2 * rng.integer(0, largest / 2) + 1;
    if (side == 1) return {.x = 1};
    const std::int64_t fewest = most_ones(side - 2) + 1;
    if (fewest > config.MAX_X) return {.x = 3};
    // Up to so many ones would fit the even side between, if symmetry did not forbid them.
    const std::int64_t even = (side - 1) * (side - 1) / 2;
    const std::int64_t most = std::min(most_ones(side), config.MAX_X);
    const bool small = config.MAX_X >= kManyOnes && fewest <= even && !rng.chance(kLargeShare);
    const std::int64_t x = rng.integer(fewest, small ? std::min(even, most) : most);
    return {.x = x == 3 ? fewest : x};
  }

  static Problem published(const Config& config, Rng& rng) {
    return {.x = rng.integer(1, config.MAX_X)};
  }

  static Status check(const Problem& problem) {
    return within("x", problem.x, 1, std::int64_t{1} << 61);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Consider square matrices of zeros and ones with three properties: no two ones are next "
        "to each other in a row or in a column; the matrix stays the same when its rows are put "
        "into the opposite order; and it stays the same when its columns are put into the opposite "
        "order. Find the smallest positive integer n for which there is such a matrix of n rows "
        "and n columns that has exactly {} one{}.\n"
        "Answer with n, one integer.",
        problem.x, problem.x == 1 ? "" : "s");
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == solve(problem));
  }

  // Of an even side, the two middle lines are equal and side by side, so that they hold no ones: a
  // side less by one does as well. An odd side takes any number of ones up to the chessboard's,
  // but 3 rows do not take three.
  static Answer solve(const Problem& problem) {
    return problem.x == 3 ? kSideForThree : side_for(problem.x);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, 2 * solve(problem));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::int64_t n = side_for(problem.x);
    if (static_cast<__int128>(n - 1) * (n - 1) + 1 >= 2 * problem.x) --n;
    return {{"the smallest side whose chessboard has as many ones", format_answer(n)}};
  }

 private:
  static constexpr std::int64_t kSideForThree = 5;
  static constexpr std::int64_t kManyOnes = 20;  // of fewer, there are too few problems to choose
  static constexpr double kLargeShare = 0.2;     // of numbers from the whole range of a side

  // Of an odd side.
  static std::int64_t most_ones(std::int64_t side) { return side / 2 * (side / 2 + 1) * 2 + 1; }

  // The smallest odd side whose chessboard has x ones. x ≤ 2^61.
  static std::int64_t side_for(std::int64_t x) {
    std::int64_t low = 0;  // side 2k + 1
    std::int64_t high = std::int64_t{1} << 31;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      const std::int64_t even = 2 * middle * (middle + 1);  // (side² − 1) / 2
      if (even + 1 >= x) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return 2 * low + 1;
  }
};
REDQUEEN_ENVIRONMENT(ClearSymmetry);

}  // namespace
}  // namespace redqueen
