#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/puzzle/holes.h"

namespace redqueen {
namespace {

struct SurvoPuzzle {
  static constexpr Card card{
      .name = "SurvoPuzzle",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kFeasibility,
      .task =
          "Fill the empty cells of a grid such that it holds each number once and its rows and "
          "columns have given sums.",
      .levels =
          "Both sides are in the upper third of a bound that starts at 3 and grows by one a level; "
          "a tenth to nine tenths of the cells are empty.",
      .rewards =
          "-1 no grid of integers of the right size, -0.5 a number missing or a given cell "
          "changed, "
          "else (rows and columns with the right sum / all)^5.",
      .differences =
          "Where three or more cells are empty, a grid that takes the missing numbers in ascending "
          "or descending order is drawn again.",
      .source = "Survo puzzle, by S. Mustonen, 2006",
  };

  static constexpr std::int64_t kEmpty = -1;
  static constexpr int kMaxCells = 40'000;
  static constexpr int kDraws = 20;
  static constexpr double kBeta = 5.0;

  struct Config {
    int MAX_N_M = 0;
    double sparsity = 0;
    REDQUEEN_FIELDS(MAX_N_M, sparsity)
  };
  using Answer = std::vector<std::vector<std::int64_t>>;
  struct Problem {
    int N = 0;
    int M = 0;
    Answer matrix;
    std::vector<std::int64_t> row_sums;
    std::vector<std::int64_t> col_sums;
    std::string reference_answer;  // the full grid
    REDQUEEN_FIELDS(N, M, matrix, row_sums, col_sums, reference_answer)
  };

  static Config at_level(int level, Rng& rng) {
    return {.MAX_N_M = 3 + level, .sparsity = draw_sparsity(rng)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_preferred(
        kDraws,
        [&] { return draw(draw_large_shape(2, config.MAX_N_M, rng), config.sparsity, rng); },
        [](const Problem& problem) {
          return count_holes(problem.matrix, kEmpty) < 3 || !some_rule_solves<SurvoPuzzle>(problem);
        });
  }

  // Sides are uniform.
  static Problem published(const Config& config, Rng& rng) {
    return draw(draw_any_shape(2, config.MAX_N_M, rng), config.sparsity, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxCells));
    const std::int64_t cells = shape(problem).cells();
    RETURN_IF_ERROR(check_matrix("matrix", problem.matrix, shape(problem), kEmpty, cells - 1));
    RETURN_IF_ERROR(check_numbers("row_sums", problem.row_sums, problem.N, 0, cells * cells));
    RETURN_IF_ERROR(check_numbers("col_sums", problem.col_sums, problem.M, 0, cells * cells));
    const auto full = parse_int_matrix(problem.reference_answer);
    if (!full || score(problem, *full) != 1.0) {
      return failure("\"reference_answer\" does not solve the puzzle");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {0} rows and {1} columns, one row per line, with -1 for an empty cell:\n"
        "{2}\n"
        "Fill the empty cells such that the grid holds each of the numbers 0 to {3} exactly once. "
        "The other cells stay as they are. The sums of the rows, from top to bottom, are to be\n"
        "{4}\n"
        "and those of the columns, from left to right,\n"
        "{5}\n"
        "Any solution will do.\n"
        "Answer with the whole grid: {0} lines of {1} numbers separated by spaces.",
        problem.N, problem.M, format_answer(problem.matrix), shape(problem).cells() - 1,
        format_answer(problem.row_sums), format_answer(problem.col_sums));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!has_shape(answer, shape(problem))) return kMalformedReward;
    if (!holds_each_once(answer, 0) || !keeps_given(problem.matrix, kEmpty, answer)) {
      return kInvalidReward;
    }
    std::int64_t right = 0;
    for (int row = 0; row < problem.N; ++row)
      right += row_sum(answer, row) == problem.row_sums[row];
    for (int column = 0; column < problem.M; ++column) {
      right += column_sum(answer, column) == problem.col_sums[column];
    }
    return share_reward(right, problem.N + problem.M, kBeta);
  }

  static Answer solve(const Problem& problem) {
    return *parse_int_matrix(problem.reference_answer);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return filled_at_random(problem.matrix, kEmpty, 0, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return missing_number_rules(problem.matrix, kEmpty, 0);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static GridShape shape(const Problem& problem) {
    return {.rows = problem.N, .columns = problem.M};
  }

  static std::int64_t row_sum(const Answer& grid, int row) {
    std::int64_t sum = 0;
    for (const std::int64_t number : grid[row]) sum += number;
    return sum;
  }

  static std::int64_t column_sum(const Answer& grid, int column) {
    std::int64_t sum = 0;
    for (const auto& row : grid) sum += row[column];
    return sum;
  }

  static Problem draw(const GridShape& shape, double sparsity, Rng& rng) {
    Problem problem{.N = shape.rows, .M = shape.columns};
    const std::vector<int> numbers = rng.permutation(shape.cells());
    for (int row = 0; row < shape.rows; ++row) {
      const auto start = numbers.begin() + shape.place(row, 0);
      problem.matrix.emplace_back(start, start + shape.columns);
      problem.row_sums.push_back(row_sum(problem.matrix, row));
    }
    for (int column = 0; column < shape.columns; ++column) {
      problem.col_sums.push_back(column_sum(problem.matrix, column));
    }
    problem.reference_answer = format_answer(problem.matrix);
    empty_cells(problem.matrix, kEmpty, sparsity, rng);
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(SurvoPuzzle);

}  // namespace
}  // namespace redqueen
