#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/grid/search.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct GridBFS {
  static constexpr Card card{
      .name = "GridBFS",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kElementWise,
      .task =
          "Give each cell's least number of steps to a cell with a 1, on a grid with obstacles.",
      .levels =
          "The bound on rows and columns is 4, and grows by a tenth and one a level; beyond level "
          "30 the grid would be too large to read.",
      .rewards = "-1 malformed or of another shape, else (cells that are right / cells)^10.",
      .differences =
          "Sides are drawn from the upper half of their range, at most one cell of eight holds a "
          "1 and up to two of five an obstacle. From level 1 on, a grid is drawn again in which no "
          "obstacle matters, or in which every free cell is next to a 1.",
      .max_level = 30,
  };

  static constexpr double kBeta = 10.0;
  static constexpr double kFewestObstacles = 0.2;
  static constexpr double kMostObstacles = 0.4;
  static constexpr int kCellsForASource = 8;
  static constexpr int kStrictFrom = 5;  // the bound on sides
  static constexpr int kDraws = 200;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;  // rows
    int M = 0;  // columns
    CellGrid grid;
    REDQUEEN_FIELDS(N, M, grid)
  };
  using Answer = std::vector<std::vector<std::int64_t>>;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config, rng); },
        [&](const Problem& problem) {
          return config.MAX_N_M < kStrictFrom || !some_rule_solves<GridBFS>(problem);
        });
  }

  // Sides are uniform, and so are the weights of the three kinds of cells, from 1 to the number of
  // cells.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    constexpr std::string_view kKinds = "01X";
    std::array<double, kKinds.size()> weights{};
    for (double& weight : weights) weight = static_cast<double>(rng.integer(1, shape.cells()));
    CellGrid grid(static_cast<std::size_t>(shape.rows));
    for (auto& row : grid) {
      row.reserve(static_cast<std::size_t>(shape.columns));
      for (int i = 0; i < shape.columns; ++i) row.emplace_back(1, kKinds[rng.weighted(weights)]);
    }
    return {.N = shape.rows, .M = shape.columns, .grid = std::move(grid)};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxShownNumbers));
    return check_cell_grid("grid", problem.grid, shape_of(problem), "01X");
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {} rows and {} columns:\n"
        "{}\n"
        "A step leads from a cell to one that shares a side with it. Cells with an X are obstacles "
        "and cannot be entered. For every cell, find the least number of steps from it to any cell "
        "with a 1, which is 0 for a cell with a 1. The value of a cell with an X is -1, and so is "
        "that of a cell from which no cell with a 1 can be reached.\n"
        "Answer with the values of all cells: one line for each row of the grid, from top to "
        "bottom, its values from left to right separated by spaces.",
        problem.N, problem.M, format_answer(to_text_grid(problem.grid)));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!has_shape(answer, shape_of(problem))) return kMalformedReward;
    const std::vector<int> right = distances(problem, kFree);
    std::int64_t matches = 0;
    std::size_t place = 0;
    for (const auto& row : answer) {
      for (const std::int64_t value : row) matches += value == right[place++];
    }
    return share_reward(matches, std::ssize(right), kBeta);
  }

  static Answer solve(const Problem& problem) {
    return as_answer(problem, distances(problem, kFree));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return draw_matrix(shape_of(problem), -1, problem.N + problem.M - 2, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<int> by_look(static_cast<std::size_t>(problem.N * problem.M));
    std::vector<int> without_obstacles = distances(problem, "01X");
    for (int place = 0; place < problem.N * problem.M; ++place) {
      const char cell = cell_at(problem, place);
      by_look[place] = cell == 'X' ? -1 : cell == '0' ? 1 : 0;
      if (cell == 'X') without_obstacles[place] = -1;
    }
    return {{"0 for a 1, 1 for a 0", as_answer(problem, by_look)},
            {"distances across obstacles", as_answer(problem, without_obstacles)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static constexpr std::string_view kFree = "01";

  static GridShape shape_of(const Problem& problem) { return {problem.N, problem.M}; }

  static char cell_at(const Problem& problem, int place) {
    return problem.grid[place / problem.M][place % problem.M][0];
  }

  static Problem draw(const Config& config, Rng& rng) {
    const GridShape shape = draw_shape(2, config.MAX_N_M, rng);
    const double obstacles = rng.real(kFewestObstacles, kMostObstacles);
    CellGrid grid(static_cast<std::size_t>(shape.rows));
    for (auto& row : grid) {
      row.reserve(static_cast<std::size_t>(shape.columns));
      for (int i = 0; i < shape.columns; ++i) {
        row.emplace_back(1, rng.chance(obstacles) ? 'X' : '0');
      }
    }
    const auto sources = rng.integer(1, std::max(1, shape.cells() / kCellsForASource));
    for (std::int64_t i = 0; i < sources; ++i) {
      const int place = static_cast<int>(rng.below(static_cast<std::uint64_t>(shape.cells())));
      grid[shape.row(place)][shape.column(place)] = "1";
    }
    return {.N = shape.rows, .M = shape.columns, .grid = std::move(grid)};
  }

  // By place, with steps on the given cells.
  static std::vector<int> distances(const Problem& problem, std::string_view free) {
    std::vector<int> sources;
    for (int place = 0; place < problem.N * problem.M; ++place) {
      if (cell_at(problem, place) == '1') sources.push_back(place);
    }
    return grid_distances(shape_of(problem), std::move(sources), [&](int place) {
      return free.find(cell_at(problem, place)) != std::string_view::npos;
    });
  }

  static Answer as_answer(const Problem& problem, const std::vector<int>& values) {
    Answer rows;
    rows.reserve(static_cast<std::size_t>(problem.N));
    for (auto start = values.begin(); start != values.end(); start += problem.M) {
      rows.emplace_back(start, start + problem.M);
    }
    return rows;
  }
};
REDQUEEN_ENVIRONMENT(GridBFS);

}  // namespace
}  // namespace redqueen
