#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/puzzle/tiles.h"

namespace redqueen {
namespace {

struct EightDigitPuzzle {
  static constexpr Card card{
      .name = "EightDigitPuzzle",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kElementWise,
      .task =
          "Move the empty cell of a sliding puzzle of any size until the tiles lie as they should.",
      .levels =
          "Up to 3 rows and columns, one more of each possible a level; the hidden walk has 2 to "
          "30 "
          "moves, and more than as many as the level. Beyond level 14, it would change too small a "
          "part of the grid.",
      .rewards =
          "-1 malformed, -0.5 a move out of the grid, else (cells that are right / cells)^10.",
      .differences =
          "The hidden walk never goes back at once, and short ones are not drawn on high levels, "
          "nor small grids. From level 2 on, a problem is drawn again that is solved by going "
          "straight to where the empty cell should be, or by always making the move after which "
          "most cells are right.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 14,
  };

  static constexpr std::array kSteps{2, 3, 5, 10, 15, 20, 25, 30};
  static constexpr int kFewColumns = 5;  // the bound below which every draw is taken
  static constexpr int kDraws = 1000;
  static constexpr std::int64_t kMaxCells = 10'000;
  static constexpr std::string_view kMoves = "UDLR";
  static constexpr std::array<std::array<int, 2>, 4> kOffsets{{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};

  using Config = TileConfig;
  struct Problem {
    int N = 0;  // rows
    int M = 0;  // columns
    Tiles start_grid;
    Tiles destination_grid;
    std::string reference_answer;  // moves that lead there
    REDQUEEN_FIELDS(N, M, start_grid, destination_grid, reference_answer)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng& rng) {
    const auto first = std::ranges::lower_bound(kSteps, std::min(2 + level, kSteps.back()));
    return {.MAX_N_M = 3 + level,
            .steps = first[static_cast<std::ptrdiff_t>(
                rng.below(static_cast<std::uint64_t>(kSteps.end() - first)))]};
  }

  static Problem generate(const Config& config, Rng& rng) {
    GridShape shape = draw_tile_shape(config, rng);
    while (config.MAX_N_M >= kFewColumns && shape.cells() < 6) {
      shape = draw_tile_shape(config, rng);
    }
    Problem problem{.N = shape.rows,
                    .M = shape.columns,
                    .start_grid = random_tiles(shape, rng),
                    .destination_grid = {},
                    .reference_answer = {}};
    for (int draw = 0; draw < kDraws; ++draw) {
      problem.reference_answer = random_walk(problem, config.steps, rng);
      problem.destination_grid = problem.start_grid;
      Walker walker(problem.destination_grid);
      for (const char move : problem.reference_answer) walker.make(move);
      if (problem.destination_grid == problem.start_grid) continue;
      if (config.MAX_N_M < kFewColumns || !some_rule_solves<EightDigitPuzzle>(problem)) {
        return problem;
      }
    }
    throw Retry();
  }

  static Config published_level(int level, Rng& rng) {
    return {.MAX_N_M = 3 + level, .steps = rng.choice(kSteps)};
  }

  // Sides are uniform; the directions have random weights in the hidden walk, which may go back at
  // once. Those that lead out of the grid are passed over.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    Problem problem{.N = shape.rows,
                    .M = shape.columns,
                    .start_grid = random_tiles(shape, rng),
                    .destination_grid = {},
                    .reference_answer = {}};
    problem.destination_grid = problem.start_grid;
    std::array<double, kMoves.size()> weights{};
    for (double& weight : weights) weight = static_cast<double>(rng.integer(1, shape.cells()));
    Walker walker(problem.destination_grid);
    for (int step = 0; step < config.steps; ++step) {
      std::array<double, kMoves.size()> possible{};
      for (std::size_t i = 0; i < possible.size(); ++i) {
        if (walker.can(kMoves[i])) possible[i] = weights[i];
      }
      problem.reference_answer += kMoves[rng.weighted(possible)];
      walker.make(problem.reference_answer.back());
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxCells));
    const GridShape shape{.rows = problem.N, .columns = problem.M};
    RETURN_IF_ERROR(check_tiles("start_grid", problem.start_grid, shape));
    RETURN_IF_ERROR(check_tiles("destination_grid", problem.destination_grid, shape));
    const auto moves = parse(problem.reference_answer);
    if (!moves || score(problem, *moves) < kSolvedReward) {
      return failure("\"reference_answer\": its moves do not lead to \"destination_grid\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {} rows and {} columns, one row per line:\n"
        "{}\n"
        "A move exchanges the 0 with the number in the cell directly above it (U), below it (D), "
        "to the left of it (L) or to the right of it (R); there must be such a cell. Find moves "
        "that make this grid of it:\n"
        "{}\n"
        "Any sequence of moves will do, however long it is.\n"
        "Answer with the letters of the moves in their order, as one word.",
        problem.N, problem.M, format_answer(problem.start_grid),
        format_answer(problem.destination_grid));
  }

  static std::optional<Answer> parse(std::string_view text) {
    const std::string_view moves = trim(text);
    if (moves.find_first_not_of(kMoves) != std::string_view::npos) return std::nullopt;
    return std::string(moves);
  }

  static double score(const Problem& problem, const Answer& answer) {
    constexpr double kBeta = 10.0;
    Tiles tiles = problem.start_grid;
    Walker walker(tiles);
    for (const char move : answer) {
      if (!walker.make(move)) return kInvalidReward;
    }
    return share_reward(matching_tiles(tiles, problem.destination_grid),
                        std::int64_t{problem.N} * problem.M, kBeta);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_walk(problem, static_cast<int>(rng.integer(1, 30)), rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Tiles tiles = problem.start_grid;
    const auto [row, column] = Walker(tiles).zero;
    const auto [to_row, to_column] = place_of_zero(problem.destination_grid);
    const std::string vertical(static_cast<std::size_t>(std::abs(to_row - row)),
                               to_row < row ? 'U' : 'D');
    const std::string horizontal(static_cast<std::size_t>(std::abs(to_column - column)),
                                 to_column < column ? 'L' : 'R');
    return {{"no move", ""},
            {"straight to the place of the 0, up or down first", vertical + horizontal},
            {"straight to the place of the 0, left or right first", horizontal + vertical},
            {"the move after which most cells are right, again and again", climb(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static std::array<int, 2> place_of_zero(const Tiles& tiles) {
    for (std::size_t row = 0; row < tiles.size(); ++row) {
      const auto found = std::ranges::find(tiles[row], 0);
      if (found != tiles[row].end()) {
        return {static_cast<int>(row), static_cast<int>(found - tiles[row].begin())};
      }
    }
    return {0, 0};
  }

  // Moves the 0 of a grid.
  struct Walker {
    Tiles& tiles;
    std::array<int, 2> zero;

    explicit Walker(Tiles& grid) : tiles(grid), zero(place_of_zero(grid)) {}

    std::array<int, 2> neighbour(char move) const {
      const auto& [down, right] = kOffsets[kMoves.find(move)];
      return {zero[0] + down, zero[1] + right};
    }

    bool can(char move) const {
      const auto [row, column] = neighbour(move);
      return row >= 0 && row < std::ssize(tiles) && column >= 0 && column < std::ssize(tiles[0]);
    }

    bool make(char move) {
      if (!can(move)) return false;
      const std::array<int, 2> to = neighbour(move);
      std::swap(tiles[zero[0]][zero[1]], tiles[to[0]][to[1]]);
      zero = to;
      return true;
    }

    // Moves that stay inside and do not undo the one before.
    std::vector<char> choices(char before) const {
      std::vector<char> open;
      for (std::size_t i = 0; i < kMoves.size(); ++i) {
        if (can(kMoves[i]) && kMoves[i ^ 1] != before) open.push_back(kMoves[i]);
      }
      return open;
    }
  };

  // It turns back only where there is no other way, in a grid of one row or one column.
  static Answer random_walk(const Problem& problem, int steps, Rng& rng) {
    Tiles tiles = problem.start_grid;
    Walker walker(tiles);
    Answer moves;
    for (int step = 0; step < steps; ++step) {
      std::vector<char> open = walker.choices(moves.empty() ? ' ' : moves.back());
      if (open.empty()) open = walker.choices(' ');
      if (open.empty()) break;
      moves += rng.choice(open);
      walker.make(moves.back());
    }
    return moves;
  }

  static Answer climb(const Problem& problem) {
    const Tiles& destination = problem.destination_grid;
    const std::vector<char> moves = climb_tiles<char>(
        problem.start_grid, destination, static_cast<std::size_t>(kSteps.back()),
        [](Tiles& tiles, const std::vector<char>& before) {
          return Walker(tiles).choices(before.empty() ? ' ' : before.back());
        },
        [&](Tiles& tiles, char move) {
          const Walker walker(tiles);
          const auto [row, column] = walker.zero;
          const auto [to_row, to_column] = walker.neighbour(move);
          const std::int64_t tile = tiles[to_row][to_column];
          return (destination[row][column] == tile) + (destination[to_row][to_column] == 0) -
                 (destination[row][column] == 0) - (destination[to_row][to_column] == tile);
        },
        [](Tiles& tiles, char move) { Walker(tiles).make(move); });
    return {moves.begin(), moves.end()};
  }
};
REDQUEEN_ENVIRONMENT(EightDigitPuzzle);

}  // namespace
}  // namespace redqueen
