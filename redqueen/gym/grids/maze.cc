#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/grid/search.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct Maze {
  static constexpr Card card{
      .name = "Maze",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kMinimise,
      .task = "Walk through a square maze from corner to corner in as few moves as possible.",
      .levels =
          "From 4 rows and columns on, a tenth and one more a level, with one to four tenths of "
          "walls; beyond level 30 the maze would be too large to read.",
      .rewards =
          "-1 other characters than L, R, U and D, -0.5 a move out of the grid or into a wall, "
          "-0.2 another cell at the end, else (least number of moves / moves)^3.",
      .differences =
          "Below level 5, the two lowest of the published densities are not drawn: there, one way "
          "would do for many mazes. Up to half of the walls are put on shortest ways, so that "
          "detours are frequent. A maze is drawn again if it is solved by going along two sides, "
          "by going right and down in turns or, from level 1 on, by always preferring one of the "
          "two.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 30,
  };

  static constexpr double kBeta = 3.0;
  static constexpr double kElsewhereReward = -0.2;
  static constexpr std::array kDensities{0.1, 0.2, 0.3, 0.4};
  static constexpr int kMaxN = 1000;
  static constexpr int kDraws = 300;
  static constexpr int kStrictFrom = 5;      // rows
  static constexpr int kFewWallsFrom = 9;    // rows from which on all densities are drawn
  static constexpr int kBlocksForASide = 1;  // walls tried on shortest ways, for a row
  static constexpr std::string_view kMoves = "URDL";

  struct Config {
    int N = 0;
    double density = 0;
    REDQUEEN_FIELDS(N, density)
  };
  struct Problem {
    int N = 0;
    TextGrid maze;
    REDQUEEN_FIELDS(N, maze)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(4, level);
    const std::size_t first = n < kFewWallsFrom ? 2 : 0;
    return {.N = n, .density = kDensities[first + rng.below(kDensities.size() - first)]};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config, rng); },
        [](const Problem& problem) {
          return least_moves(problem) >= 0 && !some_rule_solves<Maze>(problem);
        });
  }

  static Config published_level(int level, Rng& rng) {
    return {.N = grow_by_tenth(4, level), .density = rng.choice(kDensities)};
  }

  // Each cell but the corners is a wall with the same probability, until there is a way.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .maze = {}};
    do {
      problem.maze.assign(n, std::string(static_cast<std::size_t>(n), '.'));
      for (std::string& row : problem.maze) {
        for (char& cell : row) cell = rng.chance(config.density) ? '#' : '.';
      }
      problem.maze.front().front() = '.';
      problem.maze.back().back() = '.';
    } while (least_moves(problem) < 0);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxN));
    RETURN_IF_ERROR(check_text_grid("maze", problem.maze, {problem.N, problem.N}, "#."));
    if (!is_free(problem, 0) || least_moves(problem) < 0) {
      return failure("\"maze\": the lower right corner cannot be reached");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a maze of {0} rows and {0} columns, in which # is a wall and . is free:\n"
        "{1}\n"
        "You stand on the free cell in the upper left corner. A move leads to the next cell to the "
        "left (L), to the right (R), up (U) or down (D); it must not leave the maze or enter a "
        "wall. Reach the cell in the lower right corner with as few moves as possible.\n"
        "Answer with the letters of the moves in order, as one word without spaces.",
        problem.N, format_answer(problem.maze));
  }

  static std::optional<Answer> parse(std::string_view text) { return Answer(trim(text)); }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.find_first_not_of(kMoves) != Answer::npos) return kMalformedReward;
    const int last = problem.N - 1;
    int row = 0;
    int column = 0;
    for (const char move : answer) {
      row += move == 'D' ? 1 : move == 'U' ? -1 : 0;
      column += move == 'R' ? 1 : move == 'L' ? -1 : 0;
      if (row < 0 || column < 0 || row > last || column > last ||
          problem.maze[row][column] == '#') {
        return kInvalidReward;
      }
    }
    if (row != last || column != last) return kElsewhereReward;
    return minimise_reward<std::int64_t>(std::ssize(answer), least_moves(problem), kBeta);
  }

  static Answer solve(const Problem& problem) {
    const std::vector<int> way = shortest_way(problem);
    Answer moves;
    for (std::size_t i = 1; i < way.size(); ++i) {
      const int step = way[i] - way[i - 1];
      moves += step == 1 ? 'R' : step == -1 ? 'L' : step > 0 ? 'D' : 'U';
    }
    return moves;
  }

  // As many moves right as down, in random order.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer moves = along_sides(problem.N, 'R', 'D');
    rng.shuffle(moves);
    return moves;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<SimpleRule<Answer>> rules{
        {"right, then down", along_sides(problem.N, 'R', 'D')},
        {"down, then right", along_sides(problem.N, 'D', 'R')},
        {"right and down in turns", in_turns(problem.N, 'R', 'D')},
        {"down and right in turns", in_turns(problem.N, 'D', 'R')}};
    if (problem.N < kStrictFrom) return rules;
    rules.push_back({"right where that is free, else down", greedy(problem, true)});
    rules.push_back({"down where that is free, else right", greedy(problem, false)});
    return rules;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static bool is_free(const Problem& problem, int place) {
    return problem.maze[place / problem.N][place % problem.N] == '.';
  }

  static std::vector<int> distances(const Problem& problem) {
    return grid_distances({problem.N, problem.N}, {0},
                          [&](int place) { return is_free(problem, place); });
  }

  static int least_moves(const Problem& problem) { return distances(problem).back(); }

  // The cells of one from corner to corner, or none. Back from the goal, it goes over cells of
  // falling distance from the start.
  static std::vector<int> shortest_way(const Problem& problem) {
    const GridShape shape{problem.N, problem.N};
    const std::vector<int> distance = distances(problem);
    std::vector<int> way;
    if (distance.back() < 0) return way;
    for (int place = shape.cells() - 1; place >= 0;) {
      way.push_back(place);
      int before = -1;
      shape.for_each_neighbour(place, [&](int other) {
        if (distance[other] >= 0 && distance[other] == distance[place] - 1) before = other;
      });
      place = before;
    }
    std::ranges::reverse(way);
    return way;
  }

  // Some walls anywhere; then walls on shortest ways, as long as another way is left; then others
  // beside the last way.
  static Problem draw(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .maze = {}};
    problem.maze.assign(n, std::string(static_cast<std::size_t>(n), '.'));
    const auto cell = [&](int place) -> char& { return problem.maze[place / n][place % n]; };
    std::vector<int> places(static_cast<std::size_t>(n * n - 2));
    std::iota(places.begin(), places.end(), 1);
    rng.shuffle(places);
    const int walls = std::max(2, static_cast<int>(std::ceil(config.density * n * n)));
    int missing = walls;
    for (; missing > walls / 2; --missing) {
      cell(places.back()) = '#';
      places.pop_back();
    }
    std::vector<int> way = shortest_way(problem);
    for (int step = 0; step < kBlocksForASide * n && missing > 0 && !way.empty(); ++step) {
      const int place = way[1 + rng.below(way.size() - 2)];
      cell(place) = '#';
      std::vector<int> other_way = shortest_way(problem);
      if (other_way.empty()) {
        cell(place) = '.';
      } else {
        way = std::move(other_way);
        --missing;
      }
    }
    std::ranges::sort(way);
    for (const int place : places) {
      if (missing == 0) break;
      if (cell(place) == '#' || std::ranges::binary_search(way, place)) continue;
      cell(place) = '#';
      --missing;
    }
    return problem;
  }

  static Answer along_sides(int n, char first, char second) {
    const auto moves = static_cast<std::size_t>(n - 1);
    return Answer(moves, first) + Answer(moves, second);
  }

  static Answer in_turns(int n, char first, char second) {
    Answer moves;
    for (int i = 1; i < n; ++i) moves += {first, second};
    return moves;
  }

  static Answer greedy(const Problem& problem, bool prefers_right) {
    const GridShape shape{problem.N, problem.N};
    Answer moves;
    int row = 0;
    int column = 0;
    const auto is_open = [&](bool right) {
      const int i = right ? row : row + 1;
      const int j = right ? column + 1 : column;
      return shape.contains(i, j) && is_free(problem, shape.place(i, j));
    };
    while (is_open(true) || is_open(false)) {
      const bool right = is_open(prefers_right) == prefers_right;
      moves += right ? 'R' : 'D';
      ++(right ? column : row);
    }
    return moves;
  }
};
REDQUEEN_ENVIRONMENT(Maze);

}  // namespace
}  // namespace redqueen
