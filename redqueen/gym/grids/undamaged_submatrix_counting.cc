#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"

namespace redqueen {
namespace {

struct UndamagedSubmatrixCounting {
  static constexpr Card card{
      .name = "UndamagedSubmatrixCounting",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Count the contiguous rectangles of a 0/1 matrix that hold only ones.",
      .levels =
          "The longest possible side is 3, and grows by a tenth and one a level; beyond level 30 "
          "the matrix would be too large to read.",
      .rewards =
          "-1 malformed or negative, else (smaller / larger of answer and count)^10; 0 if just "
          "one of them is 0.",
      .differences =
          "Sides are drawn from the upper half of their range and a half to 95 % of the cells "
          "are ones, so that neither tiny nor nearly empty matrices are frequent; a matrix of "
          "equal cells is drawn again.",
      .max_level = 30,
  };

  static constexpr int kMaxCells = 1'000'000;  // the count stays below 2^40
  static constexpr double kFewestOnes = 0.5;
  static constexpr double kMostOnes = 0.95;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<std::vector<int>> matrix;  // N rows of M cells
    REDQUEEN_FIELDS(N, M, matrix)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem;
    problem.N = static_cast<int>(draw_upper_half(2, config.MAX_N_M, rng));
    problem.M = static_cast<int>(draw_upper_half(2, config.MAX_N_M, rng));
    const double share = rng.real(kFewestOnes, kMostOnes);
    int ones = 0;
    problem.matrix.assign(problem.N, std::vector<int>(problem.M));
    for (std::vector<int>& row : problem.matrix) {
      for (int& cell : row) ones += cell = rng.chance(share) ? 1 : 0;
    }
    if (ones == 0 || ones == problem.N * problem.M) throw Retry();
    return problem;
  }

  // Sides are uniform, and any share of the cells are ones.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem;
    problem.N = static_cast<int>(rng.integer(2, config.MAX_N_M));
    problem.M = static_cast<int>(rng.integer(2, config.MAX_N_M));
    const double share = rng.real();
    problem.matrix.assign(problem.N, std::vector<int>(problem.M));
    for (std::vector<int>& row : problem.matrix) {
      for (int& cell : row) cell = rng.chance(share) ? 1 : 0;
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.M < 1 || problem.N > kMaxCells / problem.M) {
      return failure("\"N\" and \"M\": expected positive sides and at most {} cells", kMaxCells);
    }
    if (problem.matrix.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"matrix\": expected {} rows", problem.N);
    }
    for (const std::vector<int>& row : problem.matrix) {
      const auto is_bit = [](int cell) { return cell == 0 || cell == 1; };
      if (row.size() != static_cast<std::size_t>(problem.M) || !std::ranges::all_of(row, is_bit)) {
        return failure("\"matrix\": expected rows of {} cells that are 0 or 1", problem.M);
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string rows;
    for (const std::vector<int>& row : problem.matrix) {
      for (const int cell : row) rows += cell == 1 ? '1' : '0';
      rows += '\n';
    }
    return fmt::format(
        "Here is a matrix of {} rows and {} columns:\n"
        "{}How many of its rectangles consist of ones only? A rectangle is the set of cells in "
        "some consecutive rows and some consecutive columns, from a single cell to the whole "
        "matrix; two rectangles are different if they do not cover the same cells.\n"
        "Answer with one integer.",
        problem.N, problem.M, rows);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 0);
  }

  // For every cell the rectangles whose lower right corner it is: with a stack of ascending column
  // heights, those that reach past the last lower column are as many as end there, the others are
  // its own height times the distance.
  static Answer solve(const Problem& problem) {
    std::vector<int> height(problem.M);
    std::vector<std::int64_t> ending(problem.M + 1);  // [c + 1]: rectangles that end in column c
    std::vector<int> stack;
    std::int64_t count = 0;
    for (const std::vector<int>& row : problem.matrix) {
      stack.clear();
      for (int column = 0; column < problem.M; ++column) {
        height[column] = row[column] == 1 ? height[column] + 1 : 0;
        while (!stack.empty() && height[stack.back()] >= height[column]) stack.pop_back();
        const int lower = stack.empty() ? -1 : stack.back();
        ending[column + 1] =
            (lower < 0 ? 0 : ending[lower + 1]) + std::int64_t{height[column]} * (column - lower);
        count += ending[column + 1];
        stack.push_back(column);
      }
    }
    return count;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::int64_t ones = 0;
    for (const std::vector<int>& row : problem.matrix) ones += std::ranges::count(row, 1);
    const std::int64_t all =
        std::int64_t{problem.N} * (problem.N + 1) / 2 * problem.M * (problem.M + 1) / 2;
    return {{"the number of ones", format_answer(ones)}, {"all rectangles", format_answer(all)}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(UndamagedSubmatrixCounting);

}  // namespace
}  // namespace redqueen
