// Latin squares of heights, and what is seen of them from their four sides. Looking along a row or
// a column, one sees the buildings that are higher than all those before them. Worth is what a
// building that is seen adds to a clue: 1, or its height.
#pragma once

#include <string>
#include <vector>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/puzzle/latin_square.h"

namespace redqueen {

struct SkyscraperConfig {
  int N = 0;
  REDQUEEN_FIELDS(N)
};

struct Skyscrapers {
  int N = 0;
  std::vector<std::int64_t> left;  // by row
  std::vector<std::int64_t> right;
  std::vector<std::int64_t> top;  // by column
  std::vector<std::int64_t> bottom;
  std::string reference_answer;
  REDQUEEN_FIELDS(N, left, right, top, bottom, reference_answer)
};

inline SkyscraperConfig skyscrapers_at_level(int level) { return {.N = 3 + level}; }

// The problem with the clues of a square grid.
template <typename Worth>
Skyscrapers skyscrapers_of(const NumberGrid& grid, Worth worth) {
  const int n = static_cast<int>(grid.size());
  // Counts the buildings that are seen along a line, at whose place i the building height(i)
  // stands.
  const auto seen = [&](auto height) {
    std::int64_t highest = -1;
    std::int64_t clue = 0;
    for (int i = 0; i < n; ++i) {
      if (height(i) <= highest) continue;
      highest = height(i);
      clue += worth(highest);
    }
    return clue;
  };
  Skyscrapers problem{.N = n};
  for (int line = 0; line < n; ++line) {
    problem.left.push_back(seen([&](int i) { return grid[line][i]; }));
    problem.right.push_back(seen([&](int i) { return grid[line][n - 1 - i]; }));
    problem.top.push_back(seen([&](int i) { return grid[i][line]; }));
    problem.bottom.push_back(seen([&](int i) { return grid[n - 1 - i][line]; }));
  }
  return problem;
}

// A random Latin square and its clues.
template <typename Worth>
Skyscrapers draw_skyscrapers(const SkyscraperConfig& config, Worth worth, Rng& rng) {
  const NumberGrid grid = random_latin_square(config.N, rng);
  Skyscrapers problem = skyscrapers_of(grid, worth);
  problem.reference_answer = format_answer(grid);
  return problem;
}

// −1 no grid of the right size, −0.5 no Latin square, else (clues that fit / all)^10.
template <typename Worth>
double skyscraper_reward(const Skyscrapers& problem, const NumberGrid& answer, Worth worth) {
  if (!has_shape(answer, {.rows = problem.N, .columns = problem.N})) return kMalformedReward;
  if (!is_latin_square(answer)) return kInvalidReward;
  const Skyscrapers found = skyscrapers_of(answer, worth);
  std::int64_t fitting = 0;
  for (int i = 0; i < problem.N; ++i) {
    fitting += (found.left[i] == problem.left[i]) + (found.right[i] == problem.right[i]) +
               (found.top[i] == problem.top[i]) + (found.bottom[i] == problem.bottom[i]);
  }
  return share_reward(fitting, 4 * std::int64_t{problem.N});
}

template <typename Worth>
Status check_skyscrapers(const Skyscrapers& problem, Worth worth) {
  constexpr int kMaxSide = 200;
  RETURN_IF_ERROR(within("N", problem.N, 1, kMaxSide));
  const std::int64_t most = problem.N * problem.N;
  RETURN_IF_ERROR(check_numbers("left", problem.left, problem.N, 0, most));
  RETURN_IF_ERROR(check_numbers("right", problem.right, problem.N, 0, most));
  RETURN_IF_ERROR(check_numbers("top", problem.top, problem.N, 0, most));
  RETURN_IF_ERROR(check_numbers("bottom", problem.bottom, problem.N, 0, most));
  const auto grid = parse_int_matrix(problem.reference_answer);
  if (!grid || skyscraper_reward(problem, *grid, worth) != 1.0) {
    return failure("\"reference_answer\" does not solve the puzzle");
  }
  return {};
}

// The statement. `clue` says what the numbers are: "how many buildings are seen", say.
inline std::string skyscraper_prompt(const Skyscrapers& problem, std::string_view clue) {
  return fmt::format(
      "A grid of {0} rows and {0} columns holds a building in every cell. The heights are 0 to "
      "{1}, "
      "and every row and every column has each height exactly once. Somebody who looks along a row "
      "or a column from its end sees a building if all buildings before it are lower; so the first "
      "one is always seen, also one of height 0. It is known {2}.\n"
      "From the left, for the rows from top to bottom: {3}\n"
      "From the right, for the rows from top to bottom: {4}\n"
      "From above, for the columns from left to right: {5}\n"
      "From below, for the columns from left to right: {6}\n"
      "Find the heights. Any grid that fits will do.\n"
      "Answer with the grid: {0} lines of {0} numbers separated by spaces.",
      problem.N, problem.N - 1, clue, format_answer(problem.left), format_answer(problem.right),
      format_answer(problem.top), format_answer(problem.bottom));
}

// Cyclic squares: those that step up, and those that step down, along the rows, from the height
// that the clues at the upper left corner suggest.
template <typename Worth>
std::vector<NamedAnswer> skyscraper_shortcuts(const Skyscrapers& problem, Worth worth) {
  const int n = problem.N;
  NumberGrid best;
  double reward = -1.0;
  NumberGrid grid(static_cast<std::size_t>(n),
                  std::vector<std::int64_t>(static_cast<std::size_t>(n)));
  const auto fill = [&](int start, int step) {
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column < n; ++column) {
        grid[row][column] = (start + row + step * column) % n;
      }
    }
  };
  fill(0, 1);
  const std::string plain = format_answer(grid);
  for (int start = 0; start < n; ++start) {
    for (const int step : {1, n - 1}) {
      fill(start, step);
      const double earned = skyscraper_reward(problem, grid, worth);
      if (earned > reward) {
        reward = earned;
        best = grid;
      }
    }
  }
  return {{"0 1 2 ... shifted by one a row", plain},
          {"the best of all squares that are shifted by one a row", format_answer(best)}};
}

// The code that environments with skyscrapers share; each adds a card. `Clue` is a type with two
// members:
//
//   static constexpr std::string_view kMeaning;       // of a clue, as skyscraper_prompt() wants it
//   static std::int64_t worth(std::int64_t height);
template <typename Clue>
struct SkyscraperEnvironment {
  using Config = SkyscraperConfig;
  using Problem = Skyscrapers;
  using Answer = NumberGrid;

  static Config at_level(int level, Rng&) { return skyscrapers_at_level(level); }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_skyscrapers(config, Clue::worth, rng);
  }

  static Status check(const Problem& problem) { return check_skyscrapers(problem, Clue::worth); }

  static std::string prompt(const Problem& problem) {
    return skyscraper_prompt(problem, Clue::kMeaning);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return skyscraper_reward(problem, answer, Clue::worth);
  }

  static Answer solve(const Problem& problem) {
    return *parse_int_matrix(problem.reference_answer);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_cyclic_square(problem.N, rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return skyscraper_shortcuts(problem, Clue::worth);
  }
};

}  // namespace redqueen
