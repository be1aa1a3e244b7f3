#include <algorithm>
#include <array>
#include <optional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct BlockImage {
  static constexpr Card card{
      .name = "BlockImage",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kElementWise,
      .task = "Draw stacks of cubes on a grid in characters, as they look from in front.",
      .levels = "The bound on rows and columns starts at 2 and grows by one a level.",
      .rewards =
          "-1 no picture or lines of different lengths, -0.5 other characters, 0 another size, "
          "else (characters that are right / characters)^2.",
      .differences =
          "Sides are drawn from the upper half of their range. From level 1 on, heights are drawn "
          "again with which it does not matter in what order cubes are drawn.",
      .source = "Stereogram (立体图), NOIP 2008",
      .max_level = 60,
  };

  static constexpr double kBeta = 2.0;
  static constexpr int kMostCubes = 5;  // of a stack
  static constexpr int kMaxCubes = 1000;
  static constexpr int kMaxSide = 200;
  static constexpr int kStrictFrom = 3;  // the bound on sides
  static constexpr int kDraws = 200;

  // A cube, from the top line down; '.' is no part of it.
  static constexpr int kCubeLines = 6;
  static constexpr int kCubeColumns = 7;
  static constexpr std::array<std::string_view, kCubeLines> kCube{"..+---+", "./   /|", "+---+ |",
                                                                  "|   | +", "|   |/.", "+---+.."};
  static constexpr std::string_view kLetters = ".+-/| ";

  struct Config {
    int MAX_M_N = 0;
    REDQUEEN_FIELDS(MAX_M_N)
  };
  struct Problem {
    int M = 0;                           // rows, from the back to the front
    int N = 0;                           // columns
    std::vector<std::vector<int>> grid;  // heights
    REDQUEEN_FIELDS(M, N, grid)
  };
  using Answer = TextGrid;

  static Config at_level(int level, Rng&) { return {.MAX_M_N = 2 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(draw_shape(1, config.MAX_M_N, rng), rng); },
        [&](const Problem& problem) {
          return config.MAX_M_N < kStrictFrom || !some_rule_solves<BlockImage>(problem);
        });
  }

  // Sides are uniform from 1.
  static Problem published(const Config& config, Rng& rng) {
    return draw(draw_any_shape(1, config.MAX_M_N, rng), rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxSide));
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxSide));
    return check_matrix("grid", problem.grid, {problem.M, problem.N}, 1,
                        std::max(kMostCubes, kMaxCubes / (problem.M * problem.N)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Cubes of equal size are stacked on a floor of {0} × {1} squares (rows × columns). The "
        "first row is at the back, the last row in front; columns go from left to right. These are "
        "the numbers of cubes on the squares, one line for each row:\n"
        "{2}\n"
        "Draw them in characters. A single cube looks like this, in 6 lines of 7 characters:\n"
        "{3}\n"
        "Here a dot is no part of the cube, but a blank is: it hides what is behind. Compared with "
        "a cube, the cube on its right is 4 characters further to the right; the cube behind it is "
        "2 characters further to the right and 2 lines higher; and the cube on top of it is 3 "
        "lines higher. Where cubes overlap in the picture, one sees the cube that is in a row "
        "further in front; of cubes in the same row, the one further to the right; and of cubes on "
        "the same square, the upper one. The picture is the smallest rectangle that holds all "
        "cubes, and places that belong to no cube are dots.\n"
        "Answer with the lines of the picture, from top to bottom.",
        problem.M, problem.N, format_answer(problem_rows(problem)), fmt::join(kCube, "\n"));
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_text_grid(text); }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.empty()) return kMalformedReward;
    for (const std::string& line : answer) {
      if (line.size() != answer.front().size()) return kMalformedReward;
      if (line.find_first_not_of(kLetters) != std::string::npos) return kInvalidReward;
    }
    const Answer right = solve(problem);
    if (answer.size() != right.size() || answer.front().size() != right.front().size()) return 0.0;
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      for (std::size_t j = 0; j < right[i].size(); ++j) matches += answer[i][j] == right[i][j];
    }
    return share_reward(matches, std::ssize(right) * std::ssize(right.front()), kBeta);
  }

  static Answer solve(const Problem& problem) { return picture(problem, true); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const Answer right = solve(problem);
    Answer answer = draw_text_grid(
        {static_cast<int>(right.size()), static_cast<int>(right.front().size())}, kLetters, rng);
    // Blanks at the ends of lines would not be read.
    for (std::string& line : answer) {
      if (line.front() == ' ') line.front() = '.';
      if (line.back() == ' ') line.back() = '.';
    }
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer empty = solve(problem);
    for (std::string& line : empty) std::ranges::fill(line, '.');
    return {{"dots only", std::move(empty)},
            {"cubes in the opposite order", picture(problem, false)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem draw(const GridShape& shape, Rng& rng) {
    Problem problem{.M = shape.rows, .N = shape.columns, .grid = {}};
    problem.grid.assign(shape.rows, std::vector<int>(static_cast<std::size_t>(shape.columns)));
    for (auto& row : problem.grid) {
      for (int& cubes : row) cubes = static_cast<int>(rng.integer(1, kMostCubes));
    }
    return problem;
  }

  static std::vector<std::vector<std::int64_t>> problem_rows(const Problem& problem) {
    std::vector<std::vector<std::int64_t>> rows;
    for (const auto& row : problem.grid) rows.emplace_back(row.begin(), row.end());
    return rows;
  }

  // Draws one cube after another, the hidden ones first or last.
  static Answer picture(const Problem& problem, bool hidden_first) {
    struct Cube {
      int line;  // the lowest, counted from below
      int column;
    };
    std::vector<Cube> cubes;
    int lines = 0;
    int columns = 0;
    for (int i = 0; i < problem.M; ++i) {
      const int behind = problem.M - 1 - i;
      for (int j = 0; j < problem.N; ++j) {
        for (int k = 0; k < problem.grid[i][j]; ++k) {
          cubes.push_back({.line = 2 * behind + 3 * k, .column = 2 * behind + 4 * j});
          lines = std::max(lines, cubes.back().line + kCubeLines);
          columns = std::max(columns, cubes.back().column + kCubeColumns);
        }
      }
    }
    if (!hidden_first) std::ranges::reverse(cubes);
    Answer canvas(static_cast<std::size_t>(lines),
                  std::string(static_cast<std::size_t>(columns), '.'));
    for (const Cube& cube : cubes) {
      for (int i = 0; i < kCubeLines; ++i) {
        std::string& line = canvas[lines - kCubeLines - cube.line + i];
        for (int j = 0; j < kCubeColumns; ++j) {
          if (kCube[i][j] != '.') line[cube.column + j] = kCube[i][j];
        }
      }
    }
    return canvas;
  }
};
REDQUEEN_ENVIRONMENT(BlockImage);

}  // namespace
}  // namespace redqueen
