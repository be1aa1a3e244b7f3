#include <algorithm>
#include <numeric>
#include <utility>

#include "redqueen/core/contract.h"

namespace redqueen {
namespace {

using Grid = std::vector<std::vector<std::int64_t>>;

struct Sudoku {
  static constexpr Card card{
      .name = "Sudoku",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kFeasibility,
      .task =
          "Fill the empty cells of a grid so that every row, column and box holds each number "
          "once.",
      .levels =
          "Boxes of 2 rows and 2 columns, with one more of each possible a level, up to a side "
          "of 36; a tenth to nine tenths of the cells are empty.",
      .rewards =
          "-1 malformed or not a grid of the right size, -0.5 a number out of range or a given "
          "one changed, 0 a repetition, 1 right.",
      .differences =
          "The side is at most 25, and not small on high levels. Full grids come from many "
          "random exchanges, not from shifted rows alone, whose pattern gave the empty cells "
          "away.",
  };

  static constexpr int kMaxSide = 25;
  static constexpr int kMaxAccepted = 400;    // side of a grid from outside
  static constexpr int kExchangesPerRow = 4;  // enough for rows and columns to lose the pattern

  struct Config {
    int MAX_N_M = 0;
    double sparsity = 0;
    REDQUEEN_FIELDS(MAX_N_M, sparsity)
  };
  struct Problem {
    int N = 0;                     // rows of a box
    int M = 0;                     // columns of a box
    int NM = 0;                    // side of the grid
    Grid sudoku;                   // 0: empty
    std::string reference_answer;  // the grid before cells were emptied
    REDQUEEN_FIELDS(N, M, NM, sudoku, reference_answer)
  };
  using Answer = Grid;

  static Config at_level(int level, Rng& rng) {
    return {.MAX_N_M = 2 + level, .sparsity = static_cast<double>(rng.integer(1, 9)) / 10.0};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const auto [n, m] = draw_box(config.MAX_N_M, rng);
    return with_empty_cells(n, m, full_grid(n, m, rng), config.sparsity, rng);
  }

  // Both sides of a box are uniform. The grid shifts its rows, has its numbers, rows and columns in
  // random order, and is transposed in half of the problems.
  static Problem published(const Config& config, Rng& rng) {
    int n = static_cast<int>(rng.integer(2, config.MAX_N_M));
    int m = static_cast<int>(rng.integer(2, config.MAX_N_M));
    if (n * m > kMaxAccepted) throw Retry();
    Grid full = shifted_grid(n, m, rng);
    shuffle_rows(full, n, rng);
    transpose(full);
    shuffle_rows(full, m, rng);
    if (rng.chance(0.5)) {
      std::swap(n, m);
    } else {
      transpose(full);
    }
    return with_empty_cells(n, m, std::move(full), config.sparsity, rng);
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.M < 1 || problem.NM < 1 || problem.NM > kMaxAccepted ||
        problem.N > problem.NM || problem.M > problem.NM || problem.N * problem.M != problem.NM) {
      return failure("\"NM\": expected \"N\" times \"M\", at most {}", kMaxAccepted);
    }
    if (!has_side(problem.NM, problem.sudoku)) {
      return failure("\"sudoku\": expected {} rows of {} numbers", problem.NM, problem.NM);
    }
    const auto full = parse_int_matrix(problem.reference_answer);
    if (!full || score(problem, *full) != 1.0) {
      return failure("\"reference_answer\" does not solve \"sudoku\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a Sudoku with a side of {}, one row per line, with 0 for an empty cell:\n"
        "{}\n"
        "Its boxes, {} rows high and {} columns wide, tile the grid from the upper left corner. "
        "Fill the empty cells such that every row, every column and every box holds each of the "
        "numbers 1 to {} exactly once. Cells that are filled stay as they are. Any solution will "
        "do.\n"
        "Answer with the whole grid: {} lines of {} numbers separated by spaces.",
        problem.NM, format_answer(problem.sudoku), problem.N, problem.M, problem.NM, problem.NM,
        problem.NM);
  }

  static std::optional<Answer> parse(std::string_view answer) { return parse_int_matrix(answer); }

  static double score(const Problem& problem, const Answer& answer) {
    const int side = problem.NM;
    if (!has_side(side, answer)) return kMalformedReward;
    for (int row = 0; row < side; ++row) {
      for (int column = 0; column < side; ++column) {
        const std::int64_t number = answer[row][column];
        const std::int64_t given = problem.sudoku[row][column];
        if (number < 1 || number > side || (given != 0 && number != given)) return kInvalidReward;
      }
    }
    return exact_reward(has_no_repetition(problem, answer));
  }

  static Answer solve(const Problem& problem) {
    return *parse_int_matrix(problem.reference_answer);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return fill_rows(problem, [&](std::vector<std::int64_t>& missing) { rng.shuffle(missing); });
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the grid as given", format_answer(problem.sudoku)},
            {"missing numbers of each row, ascending",
             format_answer(fill_rows(problem, [](std::vector<std::int64_t>&) {}))}};
  }

 private:
  static bool has_side(int side, const Grid& grid) {
    const auto size = static_cast<std::size_t>(side);
    return grid.size() == size &&
           std::ranges::all_of(grid, [size](const auto& row) { return row.size() == size; });
  }

  // Of a grid with numbers of 1 … NM only.
  static bool has_no_repetition(const Problem& problem, const Grid& grid) {
    const int side = problem.NM;
    std::vector<char> seen(3 * side * (side + 1));  // by row, by column, by box
    const auto repeats = [&](int unit, std::int64_t number) {
      return std::exchange(seen[unit * (side + 1) + number], 1) != 0;
    };
    for (int row = 0; row < side; ++row) {
      for (int column = 0; column < side; ++column) {
        const int box =
            row / problem.N * problem.N + column / problem.M;  // N boxes lie side by side
        const std::int64_t number = grid[row][column];
        if (repeats(row, number) || repeats(side + column, number) ||
            repeats(2 * side + box, number))
          return false;
      }
    }
    return true;
  }

  // A box of 2 … limit rows and columns, of a side that kMaxSide allows and that is not small for
  // the limit.
  static std::pair<int, int> draw_box(int limit, Rng& rng) {
    const int least = std::min(2 * limit, kMaxSide * 4 / 5);
    std::vector<std::pair<int, int>> boxes;
    for (int n = 2; n <= limit; ++n) {
      for (int m = 2; m <= limit && n * m <= kMaxSide; ++m) {
        if (n * m >= least) boxes.emplace_back(n, m);
      }
    }
    return rng.choice(boxes);
  }

  static Problem with_empty_cells(int n, int m, Grid full, double sparsity, Rng& rng) {
    const int side = n * m;
    Problem problem{.N = n, .M = m, .NM = side, .sudoku = std::move(full), .reference_answer = {}};
    problem.reference_answer = format_answer(problem.sudoku);
    const auto empty = std::max<std::int64_t>(1, static_cast<std::int64_t>(side * side * sparsity));
    for (const std::int64_t cell : rng.sample(0, side * side - 1, empty)) {
      problem.sudoku[cell / side][cell % side] = 0;
    }
    return problem;
  }

  // Rows are shifts of one, with random numbers.
  static Grid shifted_grid(int n, int m, Rng& rng) {
    const int side = n * m;
    const std::vector<int> numbers = rng.permutation(side);
    Grid grid(side, std::vector<std::int64_t>(side));
    for (int row = 0; row < side; ++row) {
      for (int column = 0; column < side; ++column) {
        grid[row][column] = numbers[(m * (row % n) + row / n + column) % side] + 1;
      }
    }
    return grid;
  }

  static Grid full_grid(int n, int m, Rng& rng) {
    Grid grid = shifted_grid(n, m, rng);
    shuffle_rows(grid, n, rng);
    for (int round = 0; round < kExchangesPerRow; ++round) {
      exchange_parts_of_rows(grid, n, rng);
      transpose(grid);
      exchange_parts_of_rows(grid, m, rng);
      transpose(grid);
    }
    transpose(grid);
    shuffle_rows(grid, m, rng);
    transpose(grid);
    return grid;
  }

  static void transpose(Grid& grid) {
    for (std::size_t row = 0; row < grid.size(); ++row) {
      for (std::size_t column = 0; column < row; ++column) {
        std::swap(grid[row][column], grid[column][row]);
      }
    }
  }

  // The bands of `height` rows, and the rows within each.
  static void shuffle_rows(Grid& grid, int height, Rng& rng) {
    const int bands = static_cast<int>(grid.size()) / height;
    Grid shuffled;
    for (const int band : rng.permutation(bands)) {
      for (const int row : rng.permutation(height)) {
        shuffled.push_back(std::move(grid[band * height + row]));
      }
    }
    grid = std::move(shuffled);
  }

  // Two rows of a band may exchange the cells of some columns if these hold the same numbers in
  // both: no row, column or box then changes what it holds. From any column, following the numbers
  // gives the smallest such set with it.
  static void exchange_parts_of_rows(Grid& grid, int height, Rng& rng) {
    const int side = static_cast<int>(grid.size());
    std::vector<int> place(side + 1);
    for (int row = 0; row < side; ++row) {
      const int band = row / height * height;
      const int other = band + static_cast<int>(rng.below(height));
      if (other == row) continue;
      for (int column = 0; column < side; ++column) place[grid[row][column]] = column;
      const int start = static_cast<int>(rng.below(side));
      int column = start;
      do {
        const std::int64_t taken = grid[other][column];
        std::swap(grid[row][column], grid[other][column]);
        column = place[taken];
      } while (column != start);
    }
  }

  // The numbers that a row lacks, ascending, go to `arrange` and then into its empty cells.
  template <typename Arrange>
  static Grid fill_rows(const Problem& problem, Arrange arrange) {
    Grid grid = problem.sudoku;
    for (auto& row : grid) {
      std::vector<std::int64_t> missing;
      for (std::int64_t number = 1; number <= problem.NM; ++number) {
        if (std::ranges::find(row, number) == row.end()) missing.push_back(number);
      }
      arrange(missing);
      auto next = missing.begin();
      for (std::int64_t& number : row) {
        if (number == 0) number = *next++;
      }
    }
    return grid;
  }
};
REDQUEEN_ENVIRONMENT(Sudoku);

}  // namespace
}  // namespace redqueen
