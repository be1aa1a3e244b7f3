#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct WhackAMole {
  static constexpr Card card{
      .name = "WhackAMole",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Choose the size of a rectangular hammer that removes one mole of each cell it hits, and "
          "find the least number of swings that remove all moles.",
      .levels =
          "The bound on rows and columns is 3, and grows by a tenth and one a level; beyond level "
          "29 the grid would be too large to read.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Sides are drawn from the upper half of their range, but from 3 on. The hidden hammer "
          "covers more than one cell, and at most half of a side where that is 2 or more. A grid "
          "is drawn again whose answer is the largest number in a cell, the sum of all, or that "
          "sum divided by the largest size that divides it.",
      .source = "Whack-a-Mole (打地鼠), SDOI 2011",
      .max_level = 29,
  };

  static constexpr int kMaxMoles = 1'000'000;
  static constexpr int kMostSwings = 3;  // at a place
  static constexpr int kDraws = 300;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;  // rows
    int M = 0;  // columns
    std::vector<std::vector<std::int64_t>> grid;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, M, grid, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] {
          const GridShape shape = draw_shape(3, config.MAX_N_M, rng);
          const auto rows = rng.integer(1, std::max(2, shape.rows / 2));
          const auto columns = rng.integer(rows == 1 ? 2 : 1, std::max(2, shape.columns / 2));
          return draw(shape, rows, columns, rng);
        },
        [](const Problem& problem) { return !some_rule_solves<WhackAMole>(problem); });
  }

  // The sides of the grid and of the hidden hammer are uniform.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    const auto rows = rng.integer(1, shape.rows);
    const auto columns = rng.integer(1, shape.columns);
    return draw(shape, rows, columns, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_matrix("grid", problem.grid, {problem.N, problem.M}, 0, kMaxMoles));
    return reference_is("reference_answer", problem.reference_answer, least_swings(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {0} rows and {1} columns; each number says how many moles are in the "
        "cell:\n"
        "{2}\n"
        "First choose a hammer: a number of rows from 1 to {0} and a number of columns from 1 to "
        "{1}, which stay the same for all swings. A swing hits a rectangle of so many consecutive "
        "rows and so many consecutive columns, which lies in the grid and must not be turned. "
        "Each cell that is hit must have at least one mole left, and loses one. What is the least "
        "possible number of swings after which no mole is left?\n"
        "Answer with one integer.",
        problem.N, problem.M, format_answer(problem.grid));
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, total(problem));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::int64_t largest = 0;
    for (const auto& row : problem.grid) largest = std::max(largest, std::ranges::max(row));
    const std::int64_t all = total(problem);
    std::int64_t area = 1;
    for (std::int64_t rows = 1; rows <= problem.N; ++rows) {
      for (std::int64_t columns = 1; columns <= problem.M; ++columns) {
        if (all % (rows * columns) == 0) area = std::max(area, rows * columns);
      }
    }
    return {{"the largest number in a cell", largest},
            {"the sum of all numbers", all},
            {"the sum divided by the largest size that divides it", all / area}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static std::int64_t total(const Problem& problem) {
    std::int64_t sum = 0;
    for (const auto& row : problem.grid) sum = std::accumulate(row.begin(), row.end(), sum);
    return sum;
  }

  // Swings of a hidden hammer, at random places.
  static Problem draw(const GridShape& shape, std::int64_t rows, std::int64_t columns, Rng& rng) {
    std::vector<std::vector<std::int64_t>> change(
        static_cast<std::size_t>(shape.rows + 1),
        std::vector<std::int64_t>(static_cast<std::size_t>(shape.columns + 1)));
    for (std::int64_t i = 0; i + rows <= shape.rows; ++i) {
      for (std::int64_t j = 0; j + columns <= shape.columns; ++j) {
        const std::int64_t swings = rng.integer(0, kMostSwings);
        change[i][j] += swings;
        change[i + rows][j] -= swings;
        change[i][j + columns] -= swings;
        change[i + rows][j + columns] += swings;
      }
    }
    Problem problem{.N = shape.rows, .M = shape.columns, .grid = {}, .reference_answer = 0};
    add_up(change);
    change.pop_back();
    for (auto& row : change) row.pop_back();
    problem.grid = std::move(change);
    problem.reference_answer = least_swings(problem);
    return problem;
  }

  static void add_up(std::vector<std::vector<std::int64_t>>& change) {
    for (std::size_t i = 0; i < change.size(); ++i) {
      for (std::size_t j = 1; j < change[i].size(); ++j) change[i][j] += change[i][j - 1];
      for (std::size_t j = 0; i > 0 && j < change[i].size(); ++j) change[i][j] += change[i - 1][j];
    }
  }

  // Every swing of a hammer removes as many moles: the largest hammer that can remove all is best.
  static std::int64_t least_swings(const Problem& problem) {
    const std::int64_t all = total(problem);
    if (all == 0) return 0;
    std::vector<std::pair<int, int>> hammers;
    for (int rows = 1; rows <= problem.N; ++rows) {
      for (int columns = 1; columns <= problem.M; ++columns) {
        if (all % (rows * columns) == 0) hammers.emplace_back(rows, columns);
      }
    }
    std::ranges::sort(hammers, [](const auto& a, const auto& b) {
      return a.first * a.second > b.first * b.second;
    });
    for (const auto& [rows, columns] : hammers) {
      if (removes_all(problem, rows, columns)) return all / (rows * columns);
    }
    return all;
  }

  // The first cell with moles left, by rows, can only be hit by swings that begin there. So the
  // numbers decide how many swings begin at each cell, or show that there are none.
  static bool removes_all(const Problem& problem, int rows, int columns) {
    std::vector<std::int64_t> begun(static_cast<std::size_t>(problem.N * problem.M));
    const auto swings_at = [&](int i, int j) {
      return i < 0 || j < 0 ? 0 : begun[i * problem.M + j];
    };
    const auto moles = [&](int i, int j) { return i < 0 || j < 0 ? 0 : problem.grid[i][j]; };
    for (int i = 0; i < problem.N; ++i) {
      for (int j = 0; j < problem.M; ++j) {
        // The cell is hit as often as the one above, and so on, but for swings that begin or end.
        const std::int64_t swings = moles(i, j) - moles(i - 1, j) - moles(i, j - 1) +
                                    moles(i - 1, j - 1) + swings_at(i - rows, j) +
                                    swings_at(i, j - columns) - swings_at(i - rows, j - columns);
        if (swings < 0) return false;
        if (swings > 0 && (i + rows > problem.N || j + columns > problem.M)) return false;
        begun[i * problem.M + j] = swings;
      }
    }
    return true;
  }
};
REDQUEEN_ENVIRONMENT(WhackAMole);

}  // namespace
}  // namespace redqueen
