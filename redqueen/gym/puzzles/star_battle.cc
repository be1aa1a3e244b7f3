#include <algorithm>
#include <array>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/puzzle/holes.h"

namespace redqueen {
namespace {

struct StarBattle {
  static constexpr Card card{
      .name = "StarBattle",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kFeasibility,
      .task =
          "Put one star into every row of a grid with blocked cells, at most one into any column, "
          "such that no two stars touch.",
      .levels =
          "Both sides are in the upper third of a bound that starts at 4 and grows by one a level; "
          "five to eight tenths of the cells without a star are blocked.",
      .rewards =
          "-1 no grid of the right size and characters, -0.5 a blocked cell changed or a cell "
          "blocked, 0 a rule of the stars broken, 1 right.",
      .differences =
          "From four rows on there are as many columns. Five to eight tenths of the cells are "
          "blocked: where fewer or more are, taking any allowed cell mostly succeeds. A grid that "
          "a greedy or a random choice of allowed cells solves is drawn again where that helps.",
      .slow_reason = SlowReason::kStricter,
  };

  static constexpr char kFree = '.';
  static constexpr char kBlocked = 'X';
  static constexpr char kStar = '*';
  static constexpr int kMaxCells = 40'000;
  static constexpr int kDraws = 120;
  static constexpr int kRandomWays = 6;

  struct Config {
    int MAX_N_M = 0;
    double sparsity = 0;
    REDQUEEN_FIELDS(MAX_N_M, sparsity)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    CellGrid grid;                 // "X" or "."
    std::string reference_answer;  // the grid with stars
    REDQUEEN_FIELDS(N, M, grid, reference_answer)
  };
  using Answer = TextGrid;

  static Config at_level(int level, Rng& rng) {
    constexpr std::array kShares{0.5, 0.6, 0.7, 0.8};
    return {.MAX_N_M = 4 + level, .sparsity = kShares[rng.below(kShares.size())]};
  }

  static Problem generate(const Config& config, Rng& rng) {
    struct Draft {
      TextGrid open;
      TextGrid solved;
    };
    const Draft draft = draw_preferred(
        kDraws,
        [&] {
          const GridShape shape = draw_shape(config.MAX_N_M, rng);
          const std::vector<int> stars = draw_stars(shape, rng);
          Draft drawn{.open = blocked_grid(shape, stars, config.sparsity, rng), .solved = {}};
          drawn.solved = drawn.open;
          for (int row = 0; row < shape.rows; ++row) drawn.solved[row][stars[row]] = kStar;
          return drawn;
        },
        [&](const Draft& drawn) {
          for (int way = 0; way < kRandomWays; ++way) {
            if (stars_are_right(randomly_filled(drawn.open, rng))) return false;
          }
          return std::ranges::none_of(greedy_fillings(drawn.open), [&](const auto& rule) {
            return stars_are_right(rule.answer);
          });
        });
    return {.N = static_cast<int>(draft.open.size()),
            .M = static_cast<int>(draft.open[0].size()),
            .grid = to_cell_grid(draft.open),
            .reference_answer = format_answer(draft.solved)};
  }

  static Config published_level(int level, Rng& rng) {
    constexpr std::array kShares{0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9};
    return {.MAX_N_M = 4 + level, .sparsity = rng.choice(kShares)};
  }

  // Sides are uniform, with no more rows than columns. They are drawn again together with stars
  // that touch, so that many rows and few columns are rare.
  static Problem published(const Config& config, Rng& rng) {
    GridShape shape;
    std::vector<int> stars;
    do {
      shape.rows = static_cast<int>(rng.integer(2, config.MAX_N_M));
      shape.columns = static_cast<int>(rng.integer(std::max(3, shape.rows), config.MAX_N_M));
      stars = rng.permutation(shape.columns);
      stars.resize(static_cast<std::size_t>(shape.rows));
    } while (some_touch(stars));
    const TextGrid open = blocked_grid(shape, stars, config.sparsity, rng);
    TextGrid solved = open;
    for (int row = 0; row < shape.rows; ++row) solved[row][stars[row]] = kStar;
    return {.N = shape.rows,
            .M = shape.columns,
            .grid = to_cell_grid(open),
            .reference_answer = format_answer(solved)};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxCells));
    RETURN_IF_ERROR(check_cell_grid("grid", problem.grid, shape(problem), "X."));
    if (score(problem, parse_text_grid(problem.reference_answer)) != 1.0) {
      return failure("\"reference_answer\" does not solve \"grid\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {0} rows and {1} columns, one row per line, with . for a free cell and "
        "X for a blocked one:\n"
        "{2}\n"
        "Put stars on free cells such that every row has exactly one star, every column has at "
        "most one star, and no two stars lie in cells that touch, be it at a side or only at a "
        "corner. Any solution will do.\n"
        "Answer with the whole grid, * standing for a star and all other cells as they are: {0} "
        "lines of {1} characters, without spaces.",
        problem.N, problem.M, format_answer(to_text_grid(problem.grid)));
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_text_grid(text); }

  static double score(const Problem& problem, const Answer& answer) {
    if (!has_shape(answer, shape(problem)) || !is_written_in(answer, "X.*")) {
      return kMalformedReward;
    }
    for (int row = 0; row < problem.N; ++row) {
      for (int column = 0; column < problem.M; ++column) {
        const bool is_blocked = problem.grid[row][column][0] == kBlocked;
        if (is_blocked != (answer[row][column] == kBlocked)) return kInvalidReward;
      }
    }
    return exact_reward(stars_are_right(answer));
  }

  static Answer solve(const Problem& problem) { return parse_text_grid(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return randomly_filled(to_text_grid(problem.grid), rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(greedy_fillings(to_text_grid(problem.grid)));
  }

 private:
  static GridShape shape(const Problem& problem) {
    return {.rows = problem.N, .columns = problem.M};
  }

  static bool stars_are_right(const TextGrid& grid) {
    std::vector<char> taken(grid[0].size(), 0);
    int before = -2;  // column of the star in the row above
    for (const std::string& row : grid) {
      if (std::ranges::count(row, kStar) != 1) return false;
      const auto column = static_cast<int>(row.find(kStar));
      if (std::exchange(taken[column], 1) != 0 || std::abs(column - before) <= 1) return false;
      before = column;
    }
    return true;
  }

  // Fewer than four rows have no room for stars that do not touch in as many columns.
  static GridShape draw_shape(int limit, Rng& rng) {
    GridShape shape;
    shape.rows = draw_large_shape(2, limit, rng).rows;
    const int least = shape.rows < 4 ? shape.rows + 1 : shape.rows;
    shape.columns = least;
    return shape;
  }

  // The column of the star of each row.
  static std::vector<int> draw_stars(const GridShape& shape, Rng& rng) {
    std::vector<int> columns;
    do {
      columns = rng.permutation(shape.columns);
      columns.resize(static_cast<std::size_t>(shape.rows));
    } while (some_touch(columns));
    return columns;
  }

  // Of the stars of rows that follow each other.
  static bool some_touch(const std::vector<int>& columns) {
    const auto touch = [](int a, int b) { return std::abs(a - b) <= 1; };
    return std::ranges::adjacent_find(columns, touch) != columns.end();
  }

  static TextGrid blocked_grid(const GridShape& shape, const std::vector<int>& stars, double share,
                               Rng& rng) {
    TextGrid grid(static_cast<std::size_t>(shape.rows),
                  std::string(static_cast<std::size_t>(shape.columns), kFree));
    const int others = shape.columns - 1;  // of a row
    const std::int64_t cells = std::int64_t{shape.rows} * others;
    for (const std::int64_t place : rng.sample(0, cells - 1, share_of(cells, share))) {
      const auto row = static_cast<int>(place / others);
      const auto column = static_cast<int>(place % others);
      grid[row][column < stars[row] ? column : column + 1] = kBlocked;
    }
    return grid;
  }

  static std::vector<int> natural_order(const TextGrid& open) {
    std::vector<int> order(open.size());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  // A star in each row, in that order, where `choose` takes it from the columns that are free and
  // allowed. Where there is none, the star goes to the first free cell, and is wrong.
  template <typename Choose>
  static TextGrid filled(const TextGrid& open, const std::vector<int>& order, Choose choose) {
    const auto rows = static_cast<int>(open.size());
    const auto width = static_cast<int>(open[0].size());
    TextGrid grid = open;
    std::vector<int> star(open.size(), -2);
    std::vector<char> taken(open[0].size(), 0);
    std::vector<int> choices;
    for (const int row : order) {
      choices.clear();
      for (int column = 0; column < width; ++column) {
        const bool touches = (row > 0 && std::abs(star[row - 1] - column) <= 1) ||
                             (row + 1 < rows && std::abs(star[row + 1] - column) <= 1);
        if (open[row][column] == kFree && taken[column] == 0 && !touches) choices.push_back(column);
      }
      const std::size_t first = open[row].find(kFree);
      if (choices.empty() && first == std::string::npos) continue;
      const int column = choices.empty() ? static_cast<int>(first) : choose(choices);
      grid[row][column] = kStar;
      star[row] = column;
      taken[column] = 1;
    }
    return grid;
  }

  // Free cells at random, row by row, that no earlier star forbids.
  static TextGrid randomly_filled(const TextGrid& open, Rng& rng) {
    return filled(open, natural_order(open), [&](const std::vector<int>& choices) {
      return choices[rng.below(choices.size())];
    });
  }

  static std::vector<SimpleRule<Answer>> greedy_fillings(const TextGrid& open) {
    const auto first = [](const std::vector<int>& choices) { return choices.front(); };
    const auto last = [](const std::vector<int>& choices) { return choices.back(); };
    const std::vector<int> order = natural_order(open);
    std::vector<int> tightest = order;
    std::ranges::stable_sort(tightest, {},
                             [&](int row) { return std::ranges::count(open[row], kFree); });
    return {{"the first allowed cell of each row", filled(open, order, first)},
            {"the last allowed cell of each row", filled(open, order, last)},
            {"the first allowed cell, rows with few free cells before others",
             filled(open, tightest, first)}};
  }
};
REDQUEEN_ENVIRONMENT(StarBattle);

}  // namespace
}  // namespace redqueen
