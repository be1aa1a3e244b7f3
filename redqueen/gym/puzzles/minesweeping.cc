#include <algorithm>
#include <array>
#include <utility>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/puzzle/holes.h"

namespace redqueen {
namespace {

struct Minesweeping {
  static constexpr Card card{
      .name = "Minesweeping",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kFeasibility,
      .task = "Place mines such that each number of a grid counts the mines around it.",
      .levels =
          "Both sides are in the upper third of a bound that starts at 4 and grows by one a level; "
          "six tenths to all but a twentieth of the cells without a mine have a number.",
      .rewards =
          "-1 no grid of dots and stars of the right size, -0.5 a mine on a number, else (numbers "
          "that are right / all)^10.",
      .differences =
          "A fifth to half of the cells hold mines, not up to seven tenths, and a grid that a "
          "simple rule solves, a mine on every cell without number above all, is drawn again "
          "where that helps.",
      .slow_reason = SlowReason::kStricter,
      .source = "Minesweeper; R. Kaye, Minesweeper is NP-complete, 2000",
  };

  static constexpr std::int64_t kUnknown = -1;
  static constexpr char kMine = '*';
  static constexpr char kNone = '.';
  static constexpr int kMaxCells = 40'000;
  static constexpr int kDraws = 60;
  static constexpr double kLeastMines = 0.2;
  static constexpr double kMostMines = 0.5;

  struct Config {
    int MAX_N_M = 0;
    double density = 0;
    REDQUEEN_FIELDS(MAX_N_M, density)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<std::vector<std::int64_t>> grid;
    std::string reference_answer;
    REDQUEEN_FIELDS(N, M, grid, reference_answer)
  };
  using Answer = TextGrid;

  static Config at_level(int level, Rng& rng) {
    constexpr std::array kDensities{0.6, 0.7, 0.8, 0.9, 0.95};
    return {.MAX_N_M = 4 + level, .density = kDensities[rng.below(kDensities.size())]};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_preferred(
        kDraws,
        [&] {
          const GridShape shape = draw_large_shape(2, config.MAX_N_M, rng);
          return draw(shape, {kLeastMines, kMostMines}, config.density, rng);
        },
        [](const Problem& problem) { return !some_rule_solves<Minesweeping>(problem); });
  }

  // Sides are uniform, and four to seven tenths of the cells hold mines.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    return draw(shape, {0.4, 0.7}, config.density, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxCells));
    RETURN_IF_ERROR(check_matrix("grid", problem.grid, shape_of(problem), kUnknown, 8));
    if (score(problem, parse_text_grid(problem.reference_answer)) != 1.0) {
      return failure("\"reference_answer\" does not solve \"grid\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {0} rows and {1} columns, one row per line:\n"
        "{2}\n"
        "Some cells hold a mine. A number from 0 to 8 says that its cell holds none, and how many "
        "of the up to eight cells that touch it at a side or a corner hold one. Nothing is known "
        "of a cell with -1, which may or may not hold a mine. Say which cells hold mines, such "
        "that all numbers are right. Any solution will do.\n"
        "Answer with a grid of {0} lines of {1} characters, without spaces: * for a mine, . for a "
        "cell without one.",
        problem.N, problem.M, format_answer(problem.grid));
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_text_grid(text); }

  static double score(const Problem& problem, const Answer& answer) {
    const GridShape shape = shape_of(problem);
    if (!has_shape(answer, shape) || !is_written_in(answer, ".*")) return kMalformedReward;
    std::int64_t right = 0;
    std::int64_t numbers = 0;
    for (int row = 0; row < shape.rows; ++row) {
      for (int column = 0; column < shape.columns; ++column) {
        const std::int64_t number = problem.grid[row][column];
        if (number == kUnknown) continue;
        if (answer[row][column] == kMine) return kInvalidReward;
        ++numbers;
        right += mines_around(answer, row, column) == number;
      }
    }
    return share_reward(right, numbers);
  }

  static Answer solve(const Problem& problem) { return parse_text_grid(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer grid = blank(shape_of(problem));
    for (int row = 0; row < problem.N; ++row) {
      for (int column = 0; column < problem.M; ++column) {
        if (problem.grid[row][column] == kUnknown && rng.chance(0.5)) grid[row][column] = kMine;
      }
    }
    return grid;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer full = blank(shape_of(problem));
    for (int row = 0; row < problem.N; ++row) {
      for (int column = 0; column < problem.M; ++column) {
        if (problem.grid[row][column] == kUnknown) full[row][column] = kMine;
      }
    }
    return {
        {"a mine on every cell without number", full},
        {"no mine", blank(shape_of(problem))},
        {"a mine wherever all numbers around lack one", greedy(problem, false)},
        {"a mine wherever all numbers around lack one, from the last cell", greedy(problem, true)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static GridShape shape_of(const Problem& problem) {
    return {.rows = problem.N, .columns = problem.M};
  }

  static Answer blank(const GridShape& shape) {
    return Answer(static_cast<std::size_t>(shape.rows),
                  std::string(static_cast<std::size_t>(shape.columns), kNone));
  }

  // Calls visit(row, column) for the up to eight cells that touch the given one.
  template <typename Visit>
  static void for_each_around(const GridShape& shape, int row, int column, Visit visit) {
    for (int r = std::max(0, row - 1); r < std::min(shape.rows, row + 2); ++r) {
      for (int c = std::max(0, column - 1); c < std::min(shape.columns, column + 2); ++c) {
        if (r != row || c != column) visit(r, c);
      }
    }
  }

  static int mines_around(const Answer& grid, int row, int column) {
    const GridShape shape{.rows = static_cast<int>(grid.size()),
                          .columns = static_cast<int>(grid[0].size())};
    int mines = 0;
    for_each_around(shape, row, column, [&](int r, int c) { mines += grid[r][c] == kMine; });
    return mines;
  }

  // Row by row, or the other way round; a cell without any number around it stays free.
  static Answer greedy(const Problem& problem, bool backwards) {
    const GridShape shape = shape_of(problem);
    Answer grid = blank(shape);
    auto lack = problem.grid;
    for (int i = 0; i < shape.cells(); ++i) {
      const int place = backwards ? shape.cells() - 1 - i : i;
      const int row = shape.row(place);
      const int column = shape.column(place);
      if (problem.grid[row][column] != kUnknown) continue;
      bool fits = true;
      int numbers = 0;
      for_each_around(shape, row, column, [&](int r, int c) {
        if (problem.grid[r][c] == kUnknown) return;
        ++numbers;
        fits &= lack[r][c] > 0;
      });
      if (!fits || numbers == 0) continue;
      grid[row][column] = kMine;
      for_each_around(shape, row, column, [&](int r, int c) { --lack[r][c]; });
    }
    return grid;
  }

  // Shares of mines are uniform between two.
  static Problem draw(const GridShape& shape, const std::pair<double, double>& shares,
                      double density, Rng& rng) {
    const int cells = shape.cells();
    std::vector<int> order = rng.permutation(cells);
    const std::size_t mines = share_of(cells, rng.real(shares.first, shares.second));
    Answer solved = blank(shape);
    for (std::size_t i = 0; i < mines; ++i) {
      solved[shape.row(order[i])][shape.column(order[i])] = kMine;
    }
    Problem problem{
        .N = shape.rows,
        .M = shape.columns,
        .grid = std::vector(static_cast<std::size_t>(shape.rows),
                            std::vector(static_cast<std::size_t>(shape.columns), kUnknown)),
        .reference_answer = format_answer(solved)};
    const std::size_t shown = share_of(cells - static_cast<std::int64_t>(mines), density);
    for (std::size_t i = mines; i < mines + shown; ++i) {
      const int row = shape.row(order[i]);
      const int column = shape.column(order[i]);
      problem.grid[row][column] = mines_around(solved, row, column);
    }
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(Minesweeping);

}  // namespace
}  // namespace redqueen
