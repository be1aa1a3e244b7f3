#include <algorithm>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/puzzle/tiles.h"

namespace redqueen {
namespace {

struct NinePuzzle {
  static constexpr Card card{
      .name = "NinePuzzle",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kOther,
      .scoring = Scoring::kElementWise,
      .task =
          "Shift rows and columns of a grid round and round until the numbers lie as they "
          "should.",
      .levels =
          "Up to 3 rows and columns, one more of each possible a level; the hidden sequence has 2 "
          "to 10 shifts, and more than as many as the level. Beyond level 47, the grids would be "
          "too large to read.",
      .rewards =
          "-1 malformed, -0.5 a row or column that is not there or a shift that is too long, else "
          "(cells that are right / cells)^10.",
      .differences =
          "From level 2 on, a problem is drawn again that is solved by always making the shift "
          "after which most cells are right, or by shifting every row or every column by one; "
          "short sequences are not drawn on high levels, nor small grids.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 47,
  };

  static constexpr int kMostSteps = 10;
  static constexpr int kFewColumns = 5;  // the bound below which every draw is taken
  static constexpr int kDraws = 1000;
  static constexpr std::int64_t kMaxCells = 10'000;

  using Config = TileConfig;
  struct Problem {
    int N = 0;  // rows
    int M = 0;  // columns
    std::int64_t row_K = 0;
    std::int64_t col_K = 0;
    Tiles start_grid;
    Tiles destination_grid;
    std::string reference_answer;  // shifts that lead there
    REDQUEEN_FIELDS(N, M, row_K, col_K, start_grid, destination_grid, reference_answer)
  };
  struct Shift {
    bool is_row = true;
    std::int64_t index = 0;
    std::int64_t by = 0;  // cells to the right, or down
  };
  using Answer = std::vector<Shift>;

  static Config at_level(int level, Rng& rng) {
    return {.MAX_N_M = 3 + level,
            .steps = static_cast<int>(rng.integer(std::min(2 + level, kMostSteps), kMostSteps))};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = draw_start(draw_tile_shape(config, rng), rng);
    for (int draw = 0; draw < kDraws; ++draw) {
      const Answer shifts = random_shifts(problem, config.steps, rng);
      problem.destination_grid = problem.start_grid;
      for (const Shift& shift : shifts) make(problem.destination_grid, shift);
      if (problem.destination_grid == problem.start_grid) continue;
      problem.reference_answer = format(shifts);
      if (config.MAX_N_M < kFewColumns || !some_rule_solves<NinePuzzle>(problem)) return problem;
    }
    throw Retry();
  }

  static Config published_level(int level, Rng& rng) {
    return {.MAX_N_M = 3 + level, .steps = static_cast<int>(rng.integer(2, kMostSteps))};
  }

  // Sides are uniform, and any sequence of shifts will do.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    Problem problem = draw_start(shape, rng);
    const Answer shifts = random_shifts(problem, config.steps, rng);
    problem.destination_grid = problem.start_grid;
    for (const Shift& shift : shifts) make(problem.destination_grid, shift);
    problem.reference_answer = format(shifts);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 2, kMaxCells));
    RETURN_IF_ERROR(within("row_K", problem.row_K, 1, problem.M - 1));
    RETURN_IF_ERROR(within("col_K", problem.col_K, 1, problem.N - 1));
    const GridShape shape{.rows = problem.N, .columns = problem.M};
    RETURN_IF_ERROR(check_tiles("start_grid", problem.start_grid, shape));
    RETURN_IF_ERROR(check_tiles("destination_grid", problem.destination_grid, shape));
    const auto shifts = parse(problem.reference_answer);
    if (!shifts || score(problem, *shifts) < kSolvedReward) {
      return failure("\"reference_answer\": its shifts do not lead to \"destination_grid\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {0} rows and {1} columns, one row per line:\n"
        "{2}\n"
        "Rows are numbered 0 to {3} from above, columns 0 to {4} from the left. There are two "
        "kinds "
        "of moves:\n"
        "row i s: all numbers of row i move s cells to the right (-s cells to the left if s is "
        "negative); those that leave the grid at one end come in again at the other, in the same "
        "order. s must be from -{5} to {5}.\n"
        "column j s: all numbers of column j move s cells down (-s cells up if s is negative), "
        "round the ends in the same way. s must be from -{6} to {6}.\n"
        "Find moves that make this grid of it:\n"
        "{7}\n"
        "Any sequence of moves will do, however long it is.\n"
        "Answer with the moves in their order, one on each line, such as \"column 1 -1\".",
        problem.N, problem.M, format_answer(problem.start_grid), problem.N - 1, problem.M - 1,
        problem.row_K, problem.col_K, format_answer(problem.destination_grid));
  }

  static std::optional<Answer> parse(std::string_view text) {
    Answer shifts;
    for (const std::string_view line : split_lines(text)) {
      const std::vector<std::string_view> words = split_words(line);
      if (words.size() != 3 || (words[0] != "row" && words[0] != "column")) return std::nullopt;
      const auto index = parse_int64(words[1]);
      const auto by = parse_int64(words[2]);
      if (!index || !by) return std::nullopt;
      shifts.push_back({.is_row = words[0] == "row", .index = *index, .by = *by});
    }
    return shifts;
  }

  static std::string format(const Answer& shifts) {
    std::string text;
    for (const auto& [is_row, index, by] : shifts) {
      if (!text.empty()) text += '\n';
      append_format(text, "{} {} {}", is_row ? "row" : "column", index, by);
    }
    return text;
  }

  static double score(const Problem& problem, const Answer& answer) {
    for (const auto& [is_row, index, by] : answer) {
      const std::int64_t longest = is_row ? problem.row_K : problem.col_K;
      if (index < 0 || index >= (is_row ? problem.N : problem.M)) return kInvalidReward;
      if (by < -longest || by > longest) return kInvalidReward;
    }
    Tiles tiles = problem.start_grid;
    for (const Shift& shift : answer) make(tiles, shift);
    return share_reward(matching_tiles(tiles, problem.destination_grid),
                        std::int64_t{problem.N} * problem.M);
  }

  static Answer solve(const Problem& problem) { return *parse(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_shifts(problem, static_cast<int>(rng.integer(1, kMostSteps)), rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer rows;
    for (int row = 0; row < problem.N; ++row) rows.push_back({true, row, 1});
    Answer columns;
    for (int column = 0; column < problem.M; ++column) columns.push_back({false, column, 1});
    return {{"no move", {}},
            {"the move after which most cells are right, again and again", climb(problem)},
            {"every row by one", rows},
            {"every column by one", columns}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::vector<NamedAnswer> named;
    for (const auto& rule : rules(problem)) {
      named.push_back({std::string(rule.rule), format(rule.answer)});
    }
    return named;
  }

 private:
  static Problem draw_start(const GridShape& shape, Rng& rng) {
    return {.N = shape.rows,
            .M = shape.columns,
            .row_K = rng.integer(1, shape.columns - 1),
            .col_K = rng.integer(1, shape.rows - 1),
            .start_grid = random_tiles(shape, rng),
            .destination_grid = {},
            .reference_answer = {}};
  }

  static std::int64_t length(const Tiles& tiles, const Shift& shift) {
    return shift.is_row ? std::ssize(tiles[0]) : std::ssize(tiles);
  }

  static std::int64_t& cell(Tiles& tiles, const Shift& shift, std::int64_t place) {
    return shift.is_row ? tiles[shift.index][place] : tiles[place][shift.index];
  }

  static std::int64_t cell(const Tiles& tiles, const Shift& shift, std::int64_t place) {
    return shift.is_row ? tiles[shift.index][place] : tiles[place][shift.index];
  }

  static void make(Tiles& tiles, const Shift& shift) {
    const std::int64_t size = length(tiles, shift);
    std::vector<std::int64_t> line;
    line.reserve(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) line.push_back(cell(tiles, shift, i));
    for (std::int64_t i = 0; i < size; ++i) {
      cell(tiles, shift, (i + shift.by + size) % size) = line[i];
    }
  }

  static Answer random_shifts(const Problem& problem, int steps, Rng& rng) {
    Answer shifts;
    for (int step = 0; step < steps; ++step) {
      Shift shift{.is_row = rng.chance(0.5), .index = 0, .by = 0};
      shift.index = rng.integer(0, (shift.is_row ? problem.N : problem.M) - 1);
      shift.by = rng.integer(1, shift.is_row ? problem.row_K : problem.col_K);
      if (rng.chance(0.5)) shift.by = -shift.by;
      shifts.push_back(shift);
    }
    return shifts;
  }

  static Answer climb(const Problem& problem) {
    Answer all;
    for (const bool is_row : {true, false}) {
      const std::int64_t longest = is_row ? problem.row_K : problem.col_K;
      for (int index = 0; index < (is_row ? problem.N : problem.M); ++index) {
        for (std::int64_t by = -longest; by <= longest; ++by) {
          if (by != 0) all.push_back({is_row, index, by});
        }
      }
    }
    const Tiles& destination = problem.destination_grid;
    return climb_tiles<Shift>(
        problem.start_grid, destination, kMostSteps,
        [&](const Tiles&, const Answer&) { return all; },
        [&](const Tiles& tiles, const Shift& shift) {
          const std::int64_t size = length(tiles, shift);
          std::int64_t gained = 0;
          for (std::int64_t i = 0; i < size; ++i) {
            const std::int64_t number = cell(tiles, shift, i);
            gained += number == cell(destination, shift, (i + shift.by + size) % size);
            gained -= number == cell(destination, shift, i);
          }
          return gained;
        },
        [](Tiles& tiles, const Shift& shift) { make(tiles, shift); });
  }
};
REDQUEEN_ENVIRONMENT(NinePuzzle);

}  // namespace
}  // namespace redqueen
