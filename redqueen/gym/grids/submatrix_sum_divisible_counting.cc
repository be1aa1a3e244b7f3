#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct SubmatrixSumDivisibleCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "SubmatrixSumDivisibleCounting",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the contiguous rectangles of a matrix whose sum is divisible by a number.",
      .levels = "The bound on rows and columns starts at 3 and grows by one a level.",
      .rewards =
          "-1 malformed or negative, else (smaller / larger of answer and count)^10; 0 if just "
          "one of them is 0.",
      .differences =
          "Sides are drawn from the upper half of their range. Some entries are 0, and some are "
          "multiples of a divisor of the number, in shares that differ from matrix to matrix. From "
          "level 2 on, a matrix is drawn again if the share of rectangles that random entries "
          "would give is nearly right.",
      .max_level = 100,
  };

  static constexpr std::int64_t kMaxK = 1'000'000;
  static constexpr double kMostZeros = 0.4;
  static constexpr int kStrictFrom = 5;            // the bound on sides
  static constexpr double kMostForEstimate = 0.5;  // reward
  static constexpr int kDraws = 300;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;           // rows
    int M = 0;           // columns
    std::int64_t K = 0;  // divisor
    std::vector<std::vector<std::int64_t>> matrix;
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, M, K, matrix, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.MAX_N_M = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config, rng); },
        [&](const Problem& problem) {
          const double paid = score(problem, estimate(problem));
          return paid < (config.MAX_N_M < kStrictFrom ? kSolvedReward : kMostForEstimate);
        });
  }

  // Sides, the divisor and the entries are uniform.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    Problem problem{.N = shape.rows, .M = shape.columns, .K = 0, .matrix = {}};
    problem.K = rng.integer(2, shape.cells());
    problem.matrix = draw_matrix(shape, 0, problem.K - 1, rng);
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(within("K", problem.K, 1, kMaxK));
    RETURN_IF_ERROR(
        check_matrix("matrix", problem.matrix, {problem.N, problem.M}, 0, problem.K - 1));
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a matrix of {} rows and {} columns:\n"
        "{}\n"
        "How many of its rectangles have a sum that is divisible by {}? A rectangle consists of "
        "the numbers in some consecutive rows and some consecutive columns, from a single number "
        "to the whole matrix. Rectangles are different if they do not cover the same places. 0 is "
        "divisible.\n"
        "Answer with one integer.",
        problem.N, problem.M, format_answer(problem.matrix), problem.K);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::int64_t zeros = 0;
    for (const auto& row : problem.matrix) zeros += std::ranges::count(row, 0);
    return {{"all rectangles, divided by the number", format_answer(estimate(problem))},
            {"the number of zeros", format_answer(zeros)},
            {"all rectangles", format_answer(rectangles(problem))}};
  }

 private:
  static Problem draw(const Config& config, Rng& rng) {
    const GridShape shape = draw_shape(2, config.MAX_N_M, rng);
    Problem problem{.N = shape.rows, .M = shape.columns, .K = 0, .matrix = {}};
    problem.K = rng.integer(2, shape.cells());
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d < problem.K; ++d) {
      if (problem.K % d == 0) divisors.push_back(d);
    }
    const std::int64_t divisor = rng.choice(divisors);
    const double multiples = rng.real();
    const double zeros = rng.real(0.0, kMostZeros);
    problem.matrix = draw_matrix(shape, 0, problem.K - 1, rng);
    for (auto& row : problem.matrix) {
      for (std::int64_t& entry : row) {
        if (rng.chance(multiples)) entry -= entry % divisor;
        if (rng.chance(zeros)) entry = 0;
      }
    }
    problem.reference_answer = count(problem);
    return problem;
  }

  static std::int64_t rectangles(const Problem& problem) {
    return std::int64_t{problem.N} * (problem.N + 1) / 2 * problem.M * (problem.M + 1) / 2;
  }

  static std::int64_t estimate(const Problem& problem) {
    return (rectangles(problem) + problem.K / 2) / problem.K;
  }

  // For every strip of consecutive lines along the longer side: two of its beginnings with sums of
  // equal residue are the ends of a rectangle.
  static BigInt count(const Problem& problem) {
    const bool turned = problem.M < problem.N;
    const int lines = std::min(problem.N, problem.M);
    const int length = std::max(problem.N, problem.M);
    std::vector<std::int64_t> sums(static_cast<std::size_t>(length));
    std::vector<std::int64_t> seen(static_cast<std::size_t>(problem.K));
    std::int64_t count = 0;
    for (int first = 0; first < lines; ++first) {
      std::ranges::fill(sums, 0);
      for (int line = first; line < lines; ++line) {
        std::int64_t residue = 0;
        seen[0] = 1;
        for (int i = 0; i < length; ++i) {
          sums[i] += turned ? problem.matrix[i][line] : problem.matrix[line][i];
          residue = (residue + sums[i]) % problem.K;
          count += seen[residue]++;
        }
        residue = 0;
        seen[0] = 0;
        for (int i = 0; i < length; ++i) {
          residue = (residue + sums[i]) % problem.K;
          seen[residue] = 0;
        }
      }
    }
    return count;
  }
};
REDQUEEN_ENVIRONMENT(SubmatrixSumDivisibleCounting);

}  // namespace
}  // namespace redqueen
