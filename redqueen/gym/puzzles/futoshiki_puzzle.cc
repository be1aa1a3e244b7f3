#include <algorithm>
#include <tuple>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/puzzle/holes.h"
#include "redqueen/gym/common/puzzle/latin_square.h"

namespace redqueen {
namespace {

struct FutoshikiPuzzle {
  static constexpr Card card{
      .name = "FutoshikiPuzzle",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kFeasibility,
      .task =
          "Fill the empty cells of a square grid such that rows and columns hold each number once "
          "and given pairs of cells are in a given order.",
      .levels =
          "The side starts at 3 and grows by one a level; a tenth to nine tenths of the cells are "
          "empty, and up to twice as many pairs as rows are given.",
      .rewards =
          "-1 no grid of integers of the right size, -0.5 a number twice in a row or column or a "
          "given cell changed, else (pairs in order / all)^5.",
      .differences =
          "Full grids are random Latin squares, not sums of a row's and a column's number. Every "
          "pair has an empty cell, and there are at least half as many as there may be. A grid "
          "that a simple rule solves is drawn again where that helps.",
      .slow_reason = SlowReason::kStricter,
  };

  static constexpr std::int64_t kEmpty = -1;
  static constexpr int kMaxSide = 200;
  static constexpr std::size_t kMaxInequalities = 10'000;
  static constexpr int kDraws = 200;
  static constexpr double kBeta = 5.0;

  using Inequality = std::tuple<int, int, int, int>;  // row and column of the smaller, of the other

  struct Config {
    int N = 0;
    double sparsity = 0;
    REDQUEEN_FIELDS(N, sparsity)
  };
  struct Problem {
    int N = 0;
    NumberGrid matrix;
    std::vector<Inequality> inequalities;
    std::string reference_answer;  // the full grid
    REDQUEEN_FIELDS(N, matrix, inequalities, reference_answer)
  };
  using Answer = NumberGrid;

  static Config at_level(int level, Rng& rng) {
    return {.N = 3 + level, .sparsity = draw_sparsity(rng)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const NumberGrid full = random_latin_square(config.N, rng);
    Problem problem = draw_preferred(
        kDraws,
        [&] {
          Problem draft{.N = config.N, .matrix = full, .inequalities = {}, .reference_answer = {}};
          empty_cells(draft.matrix, kEmpty, config.sparsity, rng);
          return draft;
        },
        [&](const Problem& draft) {
          return std::ranges::none_of(
              rules(draft), [&](const auto& rule) { return is_latin_square(rule.answer); });
        });
    problem.inequalities = draw_inequalities(problem.matrix, full, rng);
    problem.reference_answer = format_answer(full);
    return problem;
  }

  // The full grid adds a row's and a column's number. One to 2 N pairs of cells with different
  // numbers are given, whether cells are empty or not.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const NumberGrid full = random_cyclic_square(n, rng);
    Problem problem{.N = n, .matrix = full, .reference_answer = format_answer(full)};
    const std::int64_t pairs = std::int64_t{n} * n * n * (n - 1) / 2;
    const std::int64_t count = rng.integer(1, std::min<std::int64_t>(pairs, 2 * n));
    const auto cells = static_cast<std::uint64_t>(n * n);
    while (std::ssize(problem.inequalities) < count) {
      const auto a = static_cast<int>(rng.below(cells));
      const auto b = static_cast<int>(rng.below(cells));
      if (full[a / n][a % n] >= full[b / n][b % n]) continue;
      const Inequality drawn{a / n, a % n, b / n, b % n};
      if (std::ranges::find(problem.inequalities, drawn) == problem.inequalities.end()) {
        problem.inequalities.push_back(drawn);
      }
    }
    empty_cells(problem.matrix, kEmpty, config.sparsity, rng);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxSide));
    RETURN_IF_ERROR(check_matrix("matrix", problem.matrix, shape(problem), -1, problem.N - 1));
    if (problem.inequalities.size() > kMaxInequalities) {
      return failure("\"inequalities\": more than {}", kMaxInequalities);
    }
    for (const auto& [row, column, other_row, other_column] : problem.inequalities) {
      if (!shape(problem).contains(row, column) ||
          !shape(problem).contains(other_row, other_column)) {
        return failure("\"inequalities\": a cell is not in the grid");
      }
    }
    const auto full = parse_int_matrix(problem.reference_answer);
    if (!full || score(problem, *full) != 1.0) {
      return failure("\"reference_answer\" does not solve the puzzle");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string pairs;
    for (const auto& [row, column, other_row, other_column] : problem.inequalities) {
      append_format(pairs, "{} {} {} {}\n", row, column, other_row, other_column);
    }
    return fmt::format(
        "Here is a grid of {0} rows and {0} columns, one row per line, with -1 for an empty cell:\n"
        "{1}\n"
        "Fill the empty cells such that every row and every column holds each of the numbers 0 to "
        "{2} exactly once. The other cells stay as they are. Moreover, some numbers must be "
        "smaller than others. Each of the following lines holds four numbers a b c d and says that "
        "the number in row a, column b must be smaller than the one in row c, column d; rows and "
        "columns are counted from 0, from the upper left corner:\n"
        "{3}"
        "Any solution will do.\n"
        "Answer with the whole grid: {0} lines of {0} numbers separated by spaces.",
        problem.N, format_answer(problem.matrix), problem.N - 1, pairs);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!has_shape(answer, shape(problem))) return kMalformedReward;
    if (!is_latin_square(answer) || !keeps_given(problem.matrix, kEmpty, answer)) {
      return kInvalidReward;
    }
    std::int64_t kept = 0;
    for (const auto& [row, column, other_row, other_column] : problem.inequalities) {
      kept += answer[row][column] < answer[other_row][other_column];
    }
    return share_reward(kept, std::ssize(problem.inequalities), kBeta);
  }

  static Answer solve(const Problem& problem) {
    return *parse_int_matrix(problem.reference_answer);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return with_rows_filled(problem.matrix,
                            [&](std::vector<std::int64_t>& missing) { rng.shuffle(missing); });
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto keep = [](std::vector<std::int64_t>&) {};
    return {{"the missing numbers of each row, ascending", with_rows_filled(problem.matrix, keep)},
            {"the missing numbers of each row, descending",
             with_rows_filled(
                 problem.matrix,
                 [](std::vector<std::int64_t>& missing) { std::ranges::reverse(missing); })},
            {"the missing numbers of each column, ascending",
             transposed(with_rows_filled(transposed(problem.matrix), keep))}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static GridShape shape(const Problem& problem) {
    return {.rows = problem.N, .columns = problem.N};
  }

  static NumberGrid transposed(const NumberGrid& grid) {
    NumberGrid other = grid;
    for (std::size_t row = 0; row < grid.size(); ++row) {
      for (std::size_t column = 0; column < grid.size(); ++column) {
        other[column][row] = grid[row][column];
      }
    }
    return other;
  }

  // The numbers that a row lacks, ascending, go to `arrange` and then into its empty cells.
  template <typename Arrange>
  static NumberGrid with_rows_filled(NumberGrid grid, Arrange arrange) {
    const auto n = std::ssize(grid);
    std::vector<std::int64_t> missing;
    std::vector<char> seen;
    for (auto& row : grid) {
      missing.clear();
      seen.assign(static_cast<std::size_t>(n), 0);
      for (const std::int64_t number : row) {
        if (number != kEmpty) seen[number] = 1;
      }
      for (std::int64_t number = 0; number < n; ++number) {
        if (seen[number] == 0) missing.push_back(number);
      }
      arrange(missing);
      auto next = missing.begin();
      for (std::int64_t& number : row) {
        if (number == kEmpty && next != missing.end()) number = *next++;
      }
    }
    return grid;
  }

  // Different pairs of cells with different numbers, the first of which or the second is empty.
  static std::vector<Inequality> draw_inequalities(const NumberGrid& matrix, const NumberGrid& full,
                                                   Rng& rng) {
    const auto n = static_cast<int>(matrix.size());
    std::vector<std::pair<int, int>> empty;
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column < n; ++column) {
        if (matrix[row][column] == kEmpty) empty.emplace_back(row, column);
      }
    }
    // Every empty cell is in n² − n pairs, every pair has at most two of them.
    const std::int64_t most = std::min<std::int64_t>(2 * n, std::ssize(empty) * (n * n - n) / 2);
    const auto count =
        static_cast<std::size_t>(rng.integer(std::max<std::int64_t>(1, most / 2), most));
    std::vector<Inequality> inequalities;
    while (inequalities.size() < count) {
      const auto [row, column] = rng.choice(empty);
      const auto other = static_cast<int>(rng.below(static_cast<std::uint64_t>(n * n)));
      const std::int64_t difference = full[row][column] - full[other / n][other % n];
      if (difference == 0) continue;
      const Inequality drawn = difference < 0 ? Inequality{row, column, other / n, other % n}
                                              : Inequality{other / n, other % n, row, column};
      if (std::ranges::find(inequalities, drawn) == inequalities.end()) {
        inequalities.push_back(drawn);
      }
    }
    return inequalities;
  }
};
REDQUEEN_ENVIRONMENT(FutoshikiPuzzle);

}  // namespace
}  // namespace redqueen
