#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/grid/search.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/puzzle/holes.h"
#include "redqueen/gym/common/puzzle/latin_square.h"

namespace redqueen {
namespace {

struct HitoriPuzzle {
  static constexpr Card card{
      .name = "HitoriPuzzle",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kOther,
      .scoring = Scoring::kFeasibility,
      .task =
          "Black out cells of a matrix such that no number stays twice in a row or column, no two "
          "black cells share a side, and the others stay connected.",
      .levels =
          "Both sides are in the upper third of a bound that starts at 4 and grows by one a level.",
      .rewards =
          "-1 no grid of dots and stars of the right size, -0.5 black cells side by side or the "
          "others not connected, else (rows and columns without repetition / all)^10.",
      .differences =
          "The numbers are those of a random Latin square, not the smallest that fit, and a matrix "
          "that a greedy choice solves is drawn again where that helps.",
      .slow_reason = SlowReason::kStricter,
      .source = "Hitori, Nikoli, 1990",
  };

  static constexpr char kKept = '.';
  static constexpr char kBlack = '*';
  static constexpr int kMaxCells = 40'000;
  static constexpr std::int64_t kMaxNumber = 1'000'000'000;
  static constexpr int kDraws = 40;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    NumberGrid matrix;
    std::string reference_answer;
    REDQUEEN_FIELDS(N, M, matrix, reference_answer)
  };
  using Answer = TextGrid;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_preferred(
        kDraws, [&] { return draw(config, rng); },
        [](const Problem& problem) { return !some_rule_solves<HitoriPuzzle>(problem); });
  }

  // Sides are uniform. The cells in random order: each is black with probability 1/2, if it can be,
  // and takes one of the numbers of the kept cells in its row and column; else it takes the least
  // number that is not among them.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    TextGrid solved(static_cast<std::size_t>(shape.rows),
                    std::string(static_cast<std::size_t>(shape.columns), kKept));
    NumberGrid matrix(static_cast<std::size_t>(shape.rows),
                      std::vector<std::int64_t>(static_cast<std::size_t>(shape.columns)));
    const auto numbers = static_cast<std::size_t>(shape.rows + shape.columns);
    std::vector<std::vector<char>> in_row(static_cast<std::size_t>(shape.rows),
                                          std::vector<char>(numbers, 0));
    std::vector<std::vector<char>> in_column(static_cast<std::size_t>(shape.columns),
                                             std::vector<char>(numbers, 0));
    BlackCells black(shape);
    std::vector<std::int64_t> kept;
    for (const int place : rng.permutation(shape.cells())) {
      const int row = shape.row(place);
      const int column = shape.column(place);
      const auto is_kept = [&](std::size_t number) {
        return in_row[row][number] != 0 || in_column[column][number] != 0;
      };
      if (rng.chance(0.5)) {
        kept.clear();
        for (std::size_t i = 0; i < numbers; ++i) {
          if (is_kept(i)) kept.push_back(static_cast<std::int64_t>(i));
        }
        if (!kept.empty() && black.add(place)) {
          solved[row][column] = kBlack;
          matrix[row][column] = rng.choice(kept);
          continue;
        }
      }
      std::size_t number = 0;
      while (is_kept(number)) ++number;
      in_row[row][number] = in_column[column][number] = 1;
      matrix[row][column] = static_cast<std::int64_t>(number);
    }
    return {.N = shape.rows,
            .M = shape.columns,
            .matrix = std::move(matrix),
            .reference_answer = format_answer(solved)};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 2, kMaxCells));
    RETURN_IF_ERROR(check_matrix("matrix", problem.matrix, shape_of(problem), 0, kMaxNumber));
    if (score(problem, parse_text_grid(problem.reference_answer)) != 1.0) {
      return failure("\"reference_answer\" does not solve \"matrix\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a matrix of {0} rows and {1} columns, one row per line:\n"
        "{2}\n"
        "Black out some of its cells such that no number stands twice among the remaining cells of "
        "a row, nor among those of a column; no two black cells share a side; and the remaining "
        "cells are connected, that is, one can get from each to each by steps between remaining "
        "cells that share a side. Any solution will do.\n"
        "Answer with a grid of {0} lines of {1} characters, without spaces: * for a black cell, . "
        "for one that remains.",
        problem.N, problem.M, format_answer(problem.matrix));
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_text_grid(text); }

  static double score(const Problem& problem, const Answer& answer) {
    const GridShape shape = shape_of(problem);
    if (!has_shape(answer, shape) || !is_written_in(answer, ".*")) return kMalformedReward;
    const auto is_black = [&](int place) {
      return answer[shape.row(place)][shape.column(place)] == kBlack;
    };
    bool touch = false;
    for (int place = 0; place < shape.cells(); ++place) {
      if (!is_black(place)) continue;
      shape.for_each_neighbour(place, [&](int other) { touch |= is_black(other); });
    }
    if (touch) return kInvalidReward;
    if (grid_parts(shape, [&](int place) { return !is_black(place); }).sizes.size() > 1) {
      return kInvalidReward;
    }
    std::int64_t right = 0;
    for (int row = 0; row < shape.rows; ++row) {
      right +=
          are_different(problem, answer, shape.columns, [&](int i) { return std::pair(row, i); });
    }
    for (int column = 0; column < shape.columns; ++column) {
      right +=
          are_different(problem, answer, shape.rows, [&](int i) { return std::pair(i, column); });
    }
    return share_reward(right, shape.rows + shape.columns);
  }

  static Answer solve(const Problem& problem) { return parse_text_grid(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return black_cells(shape_of(problem), rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const GridShape shape = shape_of(problem);
    std::vector<int> order(static_cast<std::size_t>(shape.cells()));
    std::iota(order.begin(), order.end(), 0);
    const std::vector<int> backwards(order.rbegin(), order.rend());
    return {
        {"no black cell", TextGrid(static_cast<std::size_t>(shape.rows),
                                   std::string(static_cast<std::size_t>(shape.columns), kKept))},
        {"black out what repeats an earlier number", blacked_out(problem, order)},
        {"black out what repeats a later number", blacked_out(problem, backwards)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static GridShape shape_of(const Problem& problem) {
    return {.rows = problem.N, .columns = problem.M};
  }

  // Of the kept cells at(0), at(1), …
  template <typename At>
  static bool are_different(const Problem& problem, const TextGrid& answer, int length, At at) {
    std::vector<std::int64_t> kept;
    for (int i = 0; i < length; ++i) {
      const auto [row, column] = at(i);
      if (answer[row][column] == kKept) kept.push_back(problem.matrix[row][column]);
    }
    std::ranges::sort(kept);
    return std::ranges::adjacent_find(kept) == kept.end();
  }

  // Black cells that do not touch, and which leave the others connected: these would fall apart if
  // a chain of black cells that touch at corners joined two cells of the border, or itself.
  class BlackCells {
   public:
    explicit BlackCells(const GridShape& shape)
        : shape_(shape), parent_(static_cast<std::size_t>(shape.cells()) + 1, -1) {
      parent_.back() = shape.cells();  // stands for the border
    }

    bool is_black(int place) const { return parent_[place] >= 0; }

    // Whether the cell could be blacked out; if so, it is.
    bool add(int place) {
      bool touches = is_black(place);
      shape_.for_each_neighbour(place, [&](int other) { touches |= is_black(other); });
      if (touches) return false;
      std::vector<int> chains;
      const int row = shape_.row(place);
      const int column = shape_.column(place);
      for (const int down : {-1, 1}) {
        for (const int right : {-1, 1}) {
          if (!shape_.contains(row + down, column + right)) continue;
          const int other = shape_.place(row + down, column + right);
          if (is_black(other)) chains.push_back(root(other));
        }
      }
      if (row == 0 || column == 0 || row + 1 == shape_.rows || column + 1 == shape_.columns) {
        chains.push_back(root(shape_.cells()));
      }
      std::ranges::sort(chains);
      if (std::ranges::adjacent_find(chains) != chains.end()) return false;
      parent_[place] = place;
      for (const int chain : chains) parent_[chain] = place;
      return true;
    }

   private:
    int root(int place) {
      while (parent_[place] != place) {
        parent_[place] = parent_[parent_[place]];
        place = parent_[place];
      }
      return place;
    }

    GridShape shape_;
    std::vector<int> parent_;  // by place; −1: not black
  };

  // Cells in random order, each black with probability 1/2 if it can be.
  static TextGrid black_cells(const GridShape& shape, Rng& rng) {
    TextGrid grid(static_cast<std::size_t>(shape.rows),
                  std::string(static_cast<std::size_t>(shape.columns), kKept));
    BlackCells cells(shape);
    for (const int place : rng.permutation(shape.cells())) {
      if (rng.chance(0.5) && cells.add(place)) grid[shape.row(place)][shape.column(place)] = kBlack;
    }
    return grid;
  }

  // Takes the cells in that order; blacks out, if it can be, each whose number stands in a kept
  // cell before it in its row or column.
  static TextGrid blacked_out(const Problem& problem, const std::vector<int>& order) {
    const GridShape shape = shape_of(problem);
    TextGrid grid(static_cast<std::size_t>(shape.rows),
                  std::string(static_cast<std::size_t>(shape.columns), kKept));
    BlackCells cells(shape);
    std::vector<std::vector<std::int64_t>> in_row(static_cast<std::size_t>(shape.rows));
    std::vector<std::vector<std::int64_t>> in_column(static_cast<std::size_t>(shape.columns));
    for (const int place : order) {
      const int row = shape.row(place);
      const int column = shape.column(place);
      const std::int64_t number = problem.matrix[row][column];
      const bool repeats = std::ranges::find(in_row[row], number) != in_row[row].end() ||
                           std::ranges::find(in_column[column], number) != in_column[column].end();
      if (repeats && cells.add(place)) {
        grid[row][column] = kBlack;
      } else {
        in_row[row].push_back(number);
        in_column[column].push_back(number);
      }
    }
    return grid;
  }

  // Kept cells have the numbers of a Latin square, each black one that of a kept cell in its row or
  // column.
  static Problem draw(const Config& config, Rng& rng) {
    const GridShape shape = draw_large_shape(2, config.MAX_N_M, rng);
    const TextGrid solved = black_cells(shape, rng);
    NumberGrid matrix = random_latin_square(std::max(shape.rows, shape.columns), rng);
    matrix.resize(static_cast<std::size_t>(shape.rows));
    for (auto& row : matrix) row.resize(static_cast<std::size_t>(shape.columns));
    std::vector<std::int64_t> kept;
    for (int place = 0; place < shape.cells(); ++place) {
      const int row = shape.row(place);
      const int column = shape.column(place);
      if (solved[row][column] == kKept) continue;
      kept.clear();
      for (int i = 0; i < shape.columns; ++i) {
        if (solved[row][i] == kKept) kept.push_back(matrix[row][i]);
      }
      for (int i = 0; i < shape.rows; ++i) {
        if (solved[i][column] == kKept) kept.push_back(matrix[i][column]);
      }
      matrix[row][column] = rng.choice(kept);
    }
    return {.N = shape.rows,
            .M = shape.columns,
            .matrix = std::move(matrix),
            .reference_answer = format_answer(solved)};
  }
};
REDQUEEN_ENVIRONMENT(HitoriPuzzle);

}  // namespace
}  // namespace redqueen
