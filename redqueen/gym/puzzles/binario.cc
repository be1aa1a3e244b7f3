#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/puzzle/counted_grid.h"

namespace redqueen {
namespace {

// No three equal cells next to each other in a row or a column.
struct NoThree {
  static constexpr std::string_view kSentence =
      "No three cells that follow each other directly in a row or in a column may hold the same "
      "digit.";

  static bool allows(const TextGrid& grid, int row, int column, char digit) {
    const int rows = static_cast<int>(grid.size());
    const int columns = static_cast<int>(grid[0].size());
    const auto equal = [&](int down, int right) {
      const int r = row + down;
      const int c = column + right;
      return r >= 0 && r < rows && c >= 0 && c < columns && grid[r][c] == digit;
    };
    const auto three = [&](int down, int right) {
      const bool before = equal(-down, -right);
      const bool after = equal(down, right);
      return (before && after) || (before && equal(-2 * down, -2 * right)) ||
             (after && equal(2 * down, 2 * right));
    };
    return !three(0, 1) && !three(1, 0);
  }
};

struct Binario : CountedGridEnvironment<NoThree> {
  static constexpr Card card{
      .name = "Binario",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kFeasibility,
      .task =
          "Fill the empty cells of a grid with zeros and ones such that rows and columns have "
          "given "
          "numbers of ones and no three cells in a row are equal.",
      .levels =
          "Both sides are in the upper third of a bound that starts at 2 and grows by one a level; "
          "three tenths to nine tenths of the cells are empty.",
      .rewards =
          "-1 no grid of zeros and ones of the right size, -0.5 a given cell changed or three "
          "equal "
          "in line, else (rows and columns with the right number of ones / all)^10.",
      .differences =
          "Grids are filled row by row, which never fails. At least three tenths of the cells are "
          "empty. A grid that one digit for all empty cells, a greedy or a random choice solves "
          "is drawn again where that helps.",
      .slow_reason = SlowReason::kStricter,
  };

  static Config at_level(int level, Rng& rng) {
    return {.MAX_N_M = 2 + level, .sparsity = draw_sparsity(rng, kLeastTenths)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_preferred(
        kDraws,
        [&] {
          const GridShape shape = draw_large_shape(2, config.MAX_N_M, rng);
          return with_empty_cells(full_grid(shape, rng), config.sparsity, rng);
        },
        [&](const Problem& problem) {
          return !some_rule_solves<Binario>(problem) && !chance_solves<Binario>(problem, 1, rng);
        });
  }

  static Config published_level(int level, Rng& rng) {
    return {.MAX_N_M = 2 + level, .sparsity = draw_sparsity(rng)};
  }

  // Sides are uniform; the cells of a full grid get random digits in random order, with
  // backtracking. A grid for which that takes long is given up, and another size drawn.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    TextGrid grid(static_cast<std::size_t>(shape.rows),
                  std::string(static_cast<std::size_t>(shape.columns), kEmptyCell));
    const std::vector<int> order = rng.permutation(shape.cells());
    if (!fill_by_backtracking(grid, shape, order, rng)) throw Retry();
    return with_empty_cells(grid, config.sparsity, rng);
  }

 private:
  static constexpr int kMaxSteps = 1'000'000;  // of backtracking

  // False if it was given up.
  static bool fill_by_backtracking(TextGrid& grid, const GridShape& shape,
                                   const std::vector<int>& order, Rng& rng) {
    struct Choice {
      char digit = '0';  // the one that is tried first
      int tried = 0;
    };
    std::vector<Choice> choices(order.size());
    std::uint64_t bits = 0;
    int steps = 0;
    std::size_t depth = 0;
    const auto enter = [&] {
      if (steps++ % 64 == 0) bits = rng.bits();
      choices[depth] = {.digit = (bits & 1) != 0 ? '1' : '0', .tried = 0};
      bits >>= 1;
    };
    enter();
    while (steps <= kMaxSteps) {
      Choice& choice = choices[depth];
      const int row = shape.row(order[depth]);
      const int column = shape.column(order[depth]);
      grid[row][column] = kEmptyCell;
      bool placed = false;
      while (!placed && choice.tried < 2) {
        const char digit =
            choice.tried++ == 0 ? choice.digit : static_cast<char>('0' + '1' - choice.digit);
        placed = NoThree::allows(grid, row, column, digit);
        if (placed) grid[row][column] = digit;
      }
      if (placed) {
        if (++depth == order.size()) return true;
        enter();
      } else {
        if (depth-- == 0) return false;
      }
    }
    return false;
  }

  // Row by row. The opposite of the row above always fits below it, so no row is ever stuck.
  static TextGrid full_grid(const GridShape& shape, Rng& rng) {
    TextGrid grid;
    std::vector<int> banned(static_cast<std::size_t>(shape.columns));  // digit, or -1
    for (int row = 0; row < shape.rows; ++row) {
      for (int column = 0; column < shape.columns; ++column) {
        const bool same = row >= 2 && grid[row - 1][column] == grid[row - 2][column];
        banned[column] = same ? grid[row - 1][column] - '0' : -1;
      }
      grid.push_back(random_row(banned, rng));
    }
    return grid;
  }

  // A row without three equal digits next to each other and without the banned digits.
  static std::string random_row(const std::vector<int>& banned, Rng& rng) {
    const int columns = static_cast<int>(banned.size());
    // can[column]: the pairs of last digits, as a set of 2 · before + last, after which the columns
    // from this one on can be filled.
    std::vector<unsigned> can(banned.size() + 1, 0b1111);
    const auto fits = [&](int column, unsigned pair, unsigned digit) {
      return static_cast<int>(digit) != banned[column] && (column < 2 || pair != 3 * digit) &&
             (can[column + 1] >> (2 * pair % 4 + digit) & 1) != 0;
    };
    for (int column = columns - 1; column >= 0; --column) {
      unsigned set = 0;
      for (unsigned pair = 0; pair < 4; ++pair) {
        if (fits(column, pair, 0) || fits(column, pair, 1)) set |= 1U << pair;
      }
      can[column] = set;
    }
    std::string row;
    unsigned pair = 0;
    for (int column = 0; column < columns; ++column) {
      unsigned digit = rng.chance(0.5) ? 1 : 0;
      if (!fits(column, pair, digit)) digit = 1 - digit;
      row += static_cast<char>('0' + digit);
      pair = 2 * pair % 4 + digit;
    }
    return row;
  }
};
REDQUEEN_ENVIRONMENT(Binario);

}  // namespace
}  // namespace redqueen
