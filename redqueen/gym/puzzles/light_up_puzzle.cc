#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/puzzle/holes.h"

namespace redqueen {
namespace {

struct LightUpPuzzle {
  static constexpr Card card{
      .name = "LightUpPuzzle",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kFeasibility,
      .task =
          "Put bulbs on white cells of a grid such that every white cell is lit, no bulb lights "
          "another, and numbered black cells have that many bulbs beside them.",
      .levels =
          "Both sides are in the upper third of a bound that starts at 3 and grows by one a level; "
          "half to all but a twentieth of the black cells have a number.",
      .rewards =
          "-1 no grid of the right size, -0.5 a cell changed otherwise than into a bulb, a bulb "
          "lit "
          "by another, or a white cell unlit, else (numbers that are right / all)^10.",
      .differences =
          "A fifth to two fifths of the cells are black, not three fifths and more, which leaves "
          "regions of a few cells. Black cells with a white neighbour are numbered before others. "
          "A grid that a greedy choice of bulbs solves is drawn again where that helps.",
      .slow_reason = SlowReason::kStricter,
      .source = "Light Up (Akari), Nikoli",
  };

  static constexpr char kWhite = 'W';
  static constexpr char kBlack = 'B';
  static constexpr char kBulb = 'L';
  static constexpr int kMaxCells = 40'000;
  static constexpr int kDraws = 40;
  static constexpr double kLeastBlack = 0.2;
  static constexpr double kMostBlack = 0.4;

  struct Config {
    int MAX_N_M = 0;
    double density = 0;
    REDQUEEN_FIELDS(MAX_N_M, density)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    TextGrid grid;
    std::string reference_answer;  // the grid with bulbs
    REDQUEEN_FIELDS(N, M, grid, reference_answer)
  };
  using Answer = TextGrid;

  static Config at_level(int level, Rng& rng) {
    constexpr std::array kDensities{0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
    return {.MAX_N_M = 3 + level, .density = kDensities[rng.below(kDensities.size())]};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_preferred(
        kDraws, [&] { return draw(config, rng); },
        [](const Problem& problem) { return !some_rule_solves<LightUpPuzzle>(problem); });
  }

  // Sides are uniform, three fifths of the cells and more are black, and any black cell may be
  // numbered.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    const int cells = shape.cells();
    TextGrid grid(static_cast<std::size_t>(shape.rows),
                  std::string(static_cast<std::size_t>(shape.columns), kWhite));
    const auto at = [&](int place) -> char& { return grid[shape.row(place)][shape.column(place)]; };
    std::vector<int> order = rng.permutation(cells);
    const auto black = std::min(static_cast<int>(share_of(cells, rng.real(0.6, 0.95))), cells - 1);
    std::vector<int> blacks(order.begin(), order.begin() + black);
    for (const int place : blacks) at(place) = kBlack;
    rng.shuffle(order);
    TextGrid solved = with_bulbs(grid, order);
    blacks.resize(share_of(black, config.density));
    for (const int place : blacks) {
      at(place) = static_cast<char>('0' + bulbs_beside(solved, shape, place));
      solved[shape.row(place)][shape.column(place)] = at(place);
    }
    return {.N = shape.rows,
            .M = shape.columns,
            .grid = std::move(grid),
            .reference_answer = format_answer(solved)};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxCells));
    RETURN_IF_ERROR(check_text_grid("grid", problem.grid, shape_of(problem), "WB01234"));
    if (score(problem, parse_text_grid(problem.reference_answer)) != 1.0) {
      return failure("\"reference_answer\" does not solve \"grid\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {0} rows and {1} columns, one row per line. W is a white cell; B and "
        "the digits 0 to 4 are black cells.\n"
        "{2}\n"
        "Put bulbs on some of the white cells. A bulb lights its own cell and shines up, down, "
        "left and right over white cells, until the next black cell or the border. Every white "
        "cell must be lit, no bulb may be lit by another one, and a black cell with a digit must "
        "have exactly that many bulbs among the up to four cells that share a side with it. Any "
        "solution will do.\n"
        "Answer with the whole grid, L standing for a bulb and all other cells as they are: {0} "
        "lines of {1} characters, without spaces.",
        problem.N, problem.M, format_answer(problem.grid));
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_text_grid(text); }

  static double score(const Problem& problem, const Answer& answer) {
    const GridShape shape = shape_of(problem);
    if (!has_shape(answer, shape)) return kMalformedReward;
    for (int row = 0; row < shape.rows; ++row) {
      for (int column = 0; column < shape.columns; ++column) {
        const char given = problem.grid[row][column];
        const char cell = answer[row][column];
        if (cell != given && !(given == kWhite && cell == kBulb)) return kInvalidReward;
      }
    }
    if (!is_lit_without_conflict(answer)) return kInvalidReward;
    std::int64_t right = 0;
    std::int64_t numbers = 0;
    for (int place = 0; place < shape.cells(); ++place) {
      const char cell = answer[shape.row(place)][shape.column(place)];
      if (cell < '0' || cell > '4') continue;
      ++numbers;
      right += bulbs_beside(answer, shape, place) == cell - '0';
    }
    return share_reward(right, numbers);
  }

  static Answer solve(const Problem& problem) { return parse_text_grid(problem.reference_answer); }

  // Bulbs on unlit cells, in random order.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    return with_bulbs(problem.grid, rng.permutation(problem.N * problem.M));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const GridShape shape = shape_of(problem);
    std::vector<int> order;
    for (int place = 0; place < shape.cells(); ++place) order.push_back(place);
    const std::vector<int> backwards(order.rbegin(), order.rend());
    // Cells beside large numbers come first, cells beside a 0 last.
    std::vector<int> numbers(order.size(), 0);  // of the black cells beside a cell, added up
    for (int place = 0; place < shape.cells(); ++place) {
      const char cell = problem.grid[shape.row(place)][shape.column(place)];
      if (cell < '0' || cell > '4') continue;
      shape.for_each_neighbour(
          place, [&](int other) { numbers[other] += cell == '0' ? -shape.cells() : cell - '0'; });
    }
    std::vector<int> by_number = order;
    std::ranges::stable_sort(by_number, std::ranges::greater(),
                             [&](int place) { return numbers[place]; });
    return {
        {"a bulb on every unlit cell, row by row", with_bulbs(problem.grid, order)},
        {"a bulb on every unlit cell, from the last", with_bulbs(problem.grid, backwards)},
        {"a bulb on every unlit cell, large numbers first", with_bulbs(problem.grid, by_number)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static GridShape shape_of(const Problem& problem) {
    return {.rows = problem.N, .columns = problem.M};
  }

  // Every white cell sees a bulb or is one, and no bulb sees another. Runs of cells without black
  // ones, in rows and in columns, may hold one bulb each.
  static bool is_lit_without_conflict(const TextGrid& grid) {
    const auto rows = static_cast<int>(grid.size());
    const auto columns = static_cast<int>(grid[0].size());
    TextGrid lit = grid;  // 'L' where a row or a column brings light
    const auto is_black = [](char cell) { return cell != kWhite && cell != kBulb; };
    const auto light = [&](int length, auto cell_at, auto lit_at) {
      for (int start = 0; start < length;) {
        int end = start;
        int bulbs = 0;
        for (; end < length && !is_black(cell_at(end)); ++end) bulbs += cell_at(end) == kBulb;
        if (bulbs > 1) return false;
        for (int i = start; bulbs == 1 && i < end; ++i) lit_at(i) = kBulb;
        start = end + 1;
      }
      return true;
    };
    for (int row = 0; row < rows; ++row) {
      if (!light(
              columns, [&](int i) { return grid[row][i]; },
              [&](int i) -> char& { return lit[row][i]; })) {
        return false;
      }
    }
    for (int column = 0; column < columns; ++column) {
      if (!light(
              rows, [&](int i) { return grid[i][column]; },
              [&](int i) -> char& { return lit[i][column]; })) {
        return false;
      }
    }
    return std::ranges::all_of(
        lit, [](const std::string& row) { return row.find(kWhite) == std::string::npos; });
  }

  static int bulbs_beside(const TextGrid& grid, const GridShape& shape, int place) {
    int bulbs = 0;
    shape.for_each_neighbour(
        place, [&](int other) { bulbs += grid[shape.row(other)][shape.column(other)] == kBulb; });
    return bulbs;
  }

  // Takes the cells in that order and puts a bulb on each white one that is not lit yet.
  static TextGrid with_bulbs(const TextGrid& grid, const std::vector<int>& order) {
    const GridShape shape{.rows = static_cast<int>(grid.size()),
                          .columns = static_cast<int>(grid[0].size())};
    TextGrid filled = grid;
    std::vector<char> lit(static_cast<std::size_t>(shape.cells()), 0);
    const auto shine = [&](int row, int column, int down, int right) {
      while (shape.contains(row, column) &&
             (grid[row][column] == kWhite || grid[row][column] == kBulb)) {
        lit[shape.place(row, column)] = 1;
        row += down;
        column += right;
      }
    };
    for (const int place : order) {
      const int row = shape.row(place);
      const int column = shape.column(place);
      if (grid[row][column] != kWhite || lit[place] != 0) continue;
      filled[row][column] = kBulb;
      shine(row, column, 0, 1);
      shine(row, column, 0, -1);
      shine(row, column, 1, 0);
      shine(row, column, -1, 0);
    }
    return filled;
  }

  static Problem draw(const Config& config, Rng& rng) {
    const GridShape shape = draw_large_shape(2, config.MAX_N_M, rng);
    const int cells = shape.cells();
    TextGrid grid(static_cast<std::size_t>(shape.rows),
                  std::string(static_cast<std::size_t>(shape.columns), kWhite));
    std::vector<int> order = rng.permutation(cells);
    const auto at = [&](int place) -> char& { return grid[shape.row(place)][shape.column(place)]; };
    const auto black = static_cast<int>(share_of(cells, rng.real(kLeastBlack, kMostBlack)));
    for (int i = 0; i < black; ++i) at(order[i]) = kBlack;
    std::vector<int> blacks(order.begin(), order.begin() + black);
    rng.shuffle(order);
    TextGrid solved = with_bulbs(grid, order);
    // Numbers without a white neighbour are 0 for sure, so they come last.
    std::ranges::stable_partition(blacks, [&](int place) {
      bool has_white = false;
      shape.for_each_neighbour(place, [&](int other) { has_white |= at(other) == kWhite; });
      return has_white;
    });
    blacks.resize(share_of(black, config.density));
    for (const int place : blacks) {
      at(place) = static_cast<char>('0' + bulbs_beside(solved, shape, place));
    }
    for (const int place : blacks) solved[shape.row(place)][shape.column(place)] = at(place);
    return {.N = shape.rows,
            .M = shape.columns,
            .grid = grid,
            .reference_answer = format_answer(solved)};
  }
};
REDQUEEN_ENVIRONMENT(LightUpPuzzle);

}  // namespace
}  // namespace redqueen
