#include <algorithm>
#include <utility>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/puzzle/tiles.h"

namespace redqueen {
namespace {

struct TwiddlePuzzle {
  static constexpr Card card{
      .name = "TwiddlePuzzle",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kPairs,
      .scoring = Scoring::kElementWise,
      .task = "Turn square blocks of a grid by a quarter until the numbers lie as they should.",
      .levels =
          "Up to 3 rows and columns, one more of each possible a level; the hidden sequence has 2 "
          "to 10 turns, and more than as many as the level. Beyond level 47, the grids would be "
          "too large to read.",
      .rewards =
          "-1 malformed, -0.5 a block that is not inside the grid or more than 1000 turns, else "
          "(cells that are right / cells)^5.",
      .differences =
          "There are always two blocks at least, and an answer has at most 1000 turns. From level "
          "2 on, a problem is drawn again that is solved by turning one block, or by always making "
          "the turn after which most cells are right; short sequences are not drawn on high "
          "levels, nor small grids.",
      .slow_reason = SlowReason::kStricter,
      .source = "Twiddle, in Simon Tatham's Portable Puzzle Collection",
      .max_level = 47,
  };

  static constexpr int kMostSteps = 10;
  static constexpr int kFewColumns = 5;  // the bound below which every draw is taken
  static constexpr int kDraws = 1000;
  static constexpr std::int64_t kMaxCells = 10'000;
  static constexpr std::size_t kMaxTurns = 1000;

  using Config = TileConfig;
  struct Problem {
    int N = 0;  // rows
    int M = 0;  // columns
    int K = 0;  // side of a block
    Tiles start_grid;
    Tiles destination_grid;
    std::string reference_answer;  // turns that lead there
    REDQUEEN_FIELDS(N, M, K, start_grid, destination_grid, reference_answer)
  };
  using Turn = std::pair<std::int64_t, std::int64_t>;  // row and column of the corner of a block
  using Answer = std::vector<Turn>;

  static Config at_level(int level, Rng& rng) {
    return {.MAX_N_M = 3 + level,
            .steps = static_cast<int>(rng.integer(std::min(2 + level, kMostSteps), kMostSteps))};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem;
    do {
      const GridShape shape = draw_tile_shape(config, rng);
      problem.N = shape.rows;
      problem.M = shape.columns;
      problem.K = static_cast<int>(rng.integer(2, std::min(shape.rows, shape.columns)));
    } while (problem.K == problem.N && problem.K == problem.M);
    problem.start_grid = random_tiles({.rows = problem.N, .columns = problem.M}, rng);
    for (int draw = 0; draw < kDraws; ++draw) {
      const Answer turns = random_turns(problem, config.steps, rng);
      problem.destination_grid = problem.start_grid;
      for (const Turn& turn : turns) make(problem.K, problem.destination_grid, turn);
      if (problem.destination_grid == problem.start_grid) continue;
      problem.reference_answer = format_answer(turns);
      if (config.MAX_N_M < kFewColumns || !some_rule_solves<TwiddlePuzzle>(problem)) return problem;
    }
    throw Retry();
  }

  static Config published_level(int level, Rng& rng) {
    return {.MAX_N_M = 3 + level, .steps = static_cast<int>(rng.integer(2, kMostSteps))};
  }

  // All sides are uniform, so that the whole grid may be the only block, and any turns will do.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    Problem problem{.N = shape.rows, .M = shape.columns};
    problem.K = static_cast<int>(rng.integer(2, std::min(shape.rows, shape.columns)));
    problem.start_grid = random_tiles(shape, rng);
    const Answer turns = random_turns(problem, config.steps, rng);
    problem.destination_grid = problem.start_grid;
    for (const Turn& turn : turns) make(problem.K, problem.destination_grid, turn);
    problem.reference_answer = format_answer(turns);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 2, kMaxCells));
    RETURN_IF_ERROR(within("K", problem.K, 1, std::min(problem.N, problem.M)));
    const GridShape shape{.rows = problem.N, .columns = problem.M};
    RETURN_IF_ERROR(check_tiles("start_grid", problem.start_grid, shape));
    RETURN_IF_ERROR(check_tiles("destination_grid", problem.destination_grid, shape));
    const auto turns = parse_int_pairs(problem.reference_answer);
    if (!turns || score(problem, *turns) < kSolvedReward) {
      return failure("\"reference_answer\": its turns do not lead to \"destination_grid\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {0} rows and {1} columns, one row per line:\n"
        "{2}\n"
        "Rows are numbered 0 to {3} from above, columns 0 to {4} from the left. The turn (i, j) "
        "turns the block of {5} rows and {5} columns whose upper left cell is in row i and column "
        "j by 90 degrees, counter-clockwise: its top row becomes its left column, which is read "
        "upwards. The whole block must be inside the grid. Find a sequence of at most {6} turns "
        "that makes this grid of it:\n"
        "{7}\n"
        "Any such sequence will do.\n"
        "Answer with the turns in their order, one on each line: i and j, separated by a space.",
        problem.N, problem.M, format_answer(problem.start_grid), problem.N - 1, problem.M - 1,
        problem.K, kMaxTurns, format_answer(problem.destination_grid));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() > kMaxTurns) return kInvalidReward;
    for (const auto& [row, column] : answer) {
      if (row < 0 || row > problem.N - problem.K) return kInvalidReward;
      if (column < 0 || column > problem.M - problem.K) return kInvalidReward;
    }
    Tiles tiles = problem.start_grid;
    for (const Turn& turn : answer) make(problem.K, tiles, turn);
    return share_reward(matching_tiles(tiles, problem.destination_grid),
                        std::int64_t{problem.N} * problem.M, 5.0);
  }

  static Answer solve(const Problem& problem) { return *parse_int_pairs(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_turns(problem, static_cast<int>(rng.integer(1, kMostSteps)), rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"no turn", {}},
            {"the turn after which most cells are right, again and again", climb(problem)},
            {"the upper left block", {{0, 0}}},
            {"the upper left block, twice", {{0, 0}, {0, 0}}},
            {"the lower right block", {{problem.N - problem.K, problem.M - problem.K}}}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Where the number at (row, column) of a block comes to.
  static std::pair<int, int> turned(int side, int row, int column) {
    return {side - 1 - column, row};
  }

  static void make(int side, Tiles& tiles, const Turn& turn) {
    const auto [top, left] = turn;
    std::vector<std::int64_t> block;
    for (int row = 0; row < side; ++row) {
      const auto first = tiles[top + row].begin() + left;
      block.insert(block.end(), first, first + side);
    }
    for (int row = 0; row < side; ++row) {
      for (int column = 0; column < side; ++column) {
        const auto [to_row, to_column] = turned(side, row, column);
        tiles[top + to_row][left + to_column] = block[row * side + column];
      }
    }
  }

  static Answer random_turns(const Problem& problem, int steps, Rng& rng) {
    Answer turns;
    for (int step = 0; step < steps; ++step) {
      const std::int64_t row = rng.integer(0, problem.N - problem.K);
      turns.emplace_back(row, rng.integer(0, problem.M - problem.K));
    }
    return turns;
  }

  static Answer climb(const Problem& problem) {
    std::vector<Turn> all;
    for (int row = 0; row <= problem.N - problem.K; ++row) {
      for (int column = 0; column <= problem.M - problem.K; ++column) all.emplace_back(row, column);
    }
    const Tiles& destination = problem.destination_grid;
    return climb_tiles<Turn>(
        problem.start_grid, destination, kMostSteps,
        [&](const Tiles&, const Answer&) { return all; },
        [&](const Tiles& tiles, const Turn& turn) {
          std::int64_t gained = 0;
          for (int row = 0; row < problem.K; ++row) {
            for (int column = 0; column < problem.K; ++column) {
              const auto [to_row, to_column] = turned(problem.K, row, column);
              const auto& [top, left] = turn;
              const std::int64_t number = tiles[top + row][left + column];
              gained += number == destination[top + to_row][left + to_column];
              gained -= number == destination[top + row][left + column];
            }
          }
          return gained;
        },
        [&](Tiles& tiles, const Turn& turn) { make(problem.K, tiles, turn); });
  }
};
REDQUEEN_ENVIRONMENT(TwiddlePuzzle);

}  // namespace
}  // namespace redqueen
