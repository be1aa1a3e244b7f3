// Grids of zeros and ones with empty cells ('*'), given numbers of ones in rows and columns, and a
// rule on neighbours.
//
// The rule is a type with two members:
//
//   static constexpr std::string_view kSentence;  // which states it
//   static bool allows(const TextGrid& grid, int row, int column, char digit);
//
// The second says whether a digit may stand in a cell beside those of the other cells that are
// filled. A full grid keeps the rule if it allows every cell.
#pragma once

#include <string>
#include <vector>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/puzzle/holes.h"
#include "redqueen/gym/common/puzzle/line_sums.h"

namespace redqueen {

inline constexpr char kEmptyCell = '*';

struct CountedGridConfig {
  int MAX_N_M = 0;
  double sparsity = 0;
  REDQUEEN_FIELDS(MAX_N_M, sparsity)
};

struct CountedGrid {
  int N = 0;  // rows
  int M = 0;  // columns
  std::vector<std::int64_t> row_counts;
  std::vector<std::int64_t> col_counts;
  TextGrid matrix;
  std::string reference_answer;  // the full grid
  REDQUEEN_FIELDS(N, M, row_counts, col_counts, matrix, reference_answer)

  GridShape shape() const { return {.rows = N, .columns = M}; }
  LineSums counts() const { return {.rows = row_counts, .columns = col_counts}; }
};

// The problem whose full grid is this, with a share of the cells empty.
inline CountedGrid with_empty_cells(const TextGrid& full, double sparsity, Rng& rng) {
  LineSums counts = line_counts(full);
  CountedGrid problem{.N = static_cast<int>(full.size()),
                      .M = static_cast<int>(full[0].size()),
                      .row_counts = std::move(counts.rows),
                      .col_counts = std::move(counts.columns),
                      .matrix = full,
                      .reference_answer = format_answer(full)};
  empty_cells(problem.matrix, kEmptyCell, sparsity, rng);
  return problem;
}

template <typename Rule>
bool keeps_rule(const TextGrid& grid) {
  for (int row = 0; row < std::ssize(grid); ++row) {
    for (int column = 0; column < std::ssize(grid[row]); ++column) {
      if (!Rule::allows(grid, row, column, grid[row][column])) return false;
    }
  }
  return true;
}

// −1 no grid of the right size, −0.5 a given cell changed or the rule broken, else (lines with the
// right number of ones / lines)^10.
template <typename Rule>
double counted_grid_reward(const CountedGrid& problem, const TextGrid& answer) {
  if (!has_shape(answer, problem.shape()) || !is_written_in(answer, "01")) return kMalformedReward;
  if (!keeps_given(problem.matrix, kEmptyCell, answer)) return kInvalidReward;
  if (!keeps_rule<Rule>(answer)) return kInvalidReward;
  const LineSums counts = problem.counts();
  return share_reward(line_counts(answer).matches(counts), counts.lines());
}

template <typename Rule>
Status check_counted_grid(const CountedGrid& problem) {
  constexpr int kMaxCells = 40'000;
  RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxCells));
  RETURN_IF_ERROR(check_numbers("row_counts", problem.row_counts, problem.N, 0, problem.M));
  RETURN_IF_ERROR(check_numbers("col_counts", problem.col_counts, problem.M, 0, problem.N));
  RETURN_IF_ERROR(check_text_grid("matrix", problem.matrix, problem.shape(), "01*"));
  if (counted_grid_reward<Rule>(problem, parse_text_grid(problem.reference_answer)) != 1.0) {
    return failure("\"reference_answer\" does not solve the puzzle");
  }
  return {};
}

// The two lines of numbers, with their sentence.
inline std::string counts_text(const CountedGrid& problem) {
  return fmt::format(
      "The numbers of ones in the rows, from top to bottom, are to be\n{}\n"
      "and in the columns, from left to right,\n{}\n",
      format_answer(problem.row_counts), format_answer(problem.col_counts));
}

// A one in every empty cell, row by row, whose row and column still lack one and where the rule
// allows it; else a zero.
template <typename Rule>
TextGrid filled_greedily(const CountedGrid& problem) {
  TextGrid grid = problem.matrix;
  LineSums have = line_counts(grid);
  fill_holes(grid, kEmptyCell, [&](std::size_t row, std::size_t column) {
    const auto allows = [&](char digit) {
      return Rule::allows(grid, static_cast<int>(row), static_cast<int>(column), digit);
    };
    const bool lacks_one = have.rows[row] < problem.row_counts[row] &&
                           have.columns[column] < problem.col_counts[column];
    if (!((lacks_one && allows('1')) || !allows('0'))) return '0';
    ++have.rows[row];
    ++have.columns[column];
    return '1';
  });
  return grid;
}

template <typename Rule>
std::vector<SimpleRule<TextGrid>> counted_grid_rules(const CountedGrid& problem) {
  const auto filled = [&](char digit) {
    TextGrid grid = problem.matrix;
    fill_holes(grid, kEmptyCell, [=](std::size_t, std::size_t) { return digit; });
    return grid;
  };
  return {{"zero in every empty cell", filled('0')},
          {"one in every empty cell", filled('1')},
          {"a one wherever row and column lack one", filled_greedily<Rule>(problem)}};
}

// A random digit in every empty cell, one that the rule allows if there is any.
template <typename Rule>
TextGrid randomly_filled(const CountedGrid& problem, Rng& rng) {
  TextGrid grid = problem.matrix;
  fill_holes(grid, kEmptyCell, [&](std::size_t row, std::size_t column) {
    const char digit = rng.chance(0.5) ? '1' : '0';
    const bool fits = Rule::allows(grid, static_cast<int>(row), static_cast<int>(column), digit);
    return fits ? digit : static_cast<char>('0' + '1' - digit);
  });
  return grid;
}

// The code that environments with such grids share; each adds a card, at_level() and generate().
template <typename Rule>
struct CountedGridEnvironment {
  using Config = CountedGridConfig;
  using Problem = CountedGrid;
  using Answer = TextGrid;

  static constexpr int kDraws = 40;
  static constexpr int kLeastTenths = 3;  // of the cells; where fewer are empty, counting will do

  static Status check(const Problem& problem) { return check_counted_grid<Rule>(problem); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {} rows and {} columns, one row per line, with * for an empty cell:\n"
        "{}\n"
        "Put 0 or 1 into every empty cell; the other cells stay as they are. {} {}"
        "Any solution will do.\n"
        "Answer with the whole grid: {} lines of {} digits, without spaces.",
        problem.N, problem.M, format_answer(problem.matrix), Rule::kSentence, counts_text(problem),
        problem.N, problem.M);
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_text_grid(text); }

  static double score(const Problem& problem, const Answer& answer) {
    return counted_grid_reward<Rule>(problem, answer);
  }

  static Answer solve(const Problem& problem) { return parse_text_grid(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return randomly_filled<Rule>(problem, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return counted_grid_rules<Rule>(problem);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }
};

}  // namespace redqueen
