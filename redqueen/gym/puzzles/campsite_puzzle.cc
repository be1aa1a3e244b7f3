#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/puzzle/counted_grid.h"

namespace redqueen {
namespace {

// No two ones side by side.
struct NoNeighbour {
  static constexpr std::string_view kSentence = "No two cells that share a side may both hold a 1.";

  static bool allows(const TextGrid& grid, int row, int column, char digit) {
    if (digit != '1') return true;
    const int rows = static_cast<int>(grid.size());
    const int columns = static_cast<int>(grid[0].size());
    return !((row > 0 && grid[row - 1][column] == '1') ||
             (row + 1 < rows && grid[row + 1][column] == '1') ||
             (column > 0 && grid[row][column - 1] == '1') ||
             (column + 1 < columns && grid[row][column + 1] == '1'));
  }
};

struct CampsitePuzzle : CountedGridEnvironment<NoNeighbour> {
  static constexpr Card card{
      .name = "CampsitePuzzle",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kFeasibility,
      .task =
          "Fill the empty cells of a grid with zeros and ones such that rows and columns have "
          "given "
          "numbers of ones and no two ones share a side.",
      .levels =
          "Both sides are in the upper third of a bound that starts at 3 and grows by one a level; "
          "three tenths to nine tenths of the cells are empty.",
      .rewards =
          "-1 no grid of zeros and ones of the right size, -0.5 a given cell changed or two ones "
          "side by side, else (rows and columns with the right number of ones / all)^10.",
      .differences =
          "At least three tenths of the cells are empty. A grid that one digit for all empty cells "
          "or a greedy choice solves is drawn again where that helps.",
      .slow_reason = SlowReason::kStricter,
  };

  static Config at_level(int level, Rng& rng) {
    return {.MAX_N_M = 3 + level, .sparsity = draw_sparsity(rng, kLeastTenths)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_preferred(
        kDraws,
        [&] {
          const GridShape shape = draw_large_shape(2, config.MAX_N_M, rng);
          return with_empty_cells(full_grid(shape, rng), config.sparsity, rng);
        },
        [](const Problem& problem) { return !some_rule_solves<CampsitePuzzle>(problem); });
  }

  static Config published_level(int level, Rng& rng) {
    return {.MAX_N_M = 3 + level, .sparsity = draw_sparsity(rng)};
  }

  // Sides are uniform, and any share of the cells on the ladder may be empty.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    return with_empty_cells(full_grid(shape, rng), config.sparsity, rng);
  }

 private:
  // The cells in random order; each becomes a one with probability 1/2 if no neighbour is one.
  static TextGrid full_grid(const GridShape& shape, Rng& rng) {
    TextGrid grid(static_cast<std::size_t>(shape.rows),
                  std::string(static_cast<std::size_t>(shape.columns), '0'));
    for (const int place : rng.permutation(shape.cells())) {
      const int row = shape.row(place);
      const int column = shape.column(place);
      if (rng.chance(0.5) && NoNeighbour::allows(grid, row, column, '1')) grid[row][column] = '1';
    }
    return grid;
  }
};
REDQUEEN_ENVIRONMENT(CampsitePuzzle);

}  // namespace
}  // namespace redqueen
