#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"

namespace redqueen {
namespace {

struct SpiralMatrix {
  static constexpr Card card{
      .name = "SpiralMatrix",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task = "Read a matrix in a clockwise spiral from the top left corner inwards.",
      .levels =
          "Rows and columns are drawn from 2 up to a bound that grows from 3 by a tenth and one a "
          "level. Beyond level 29 they would be too many to read.",
      .rewards = "-1 malformed, -0.5 wrong count, else (places that are right / cells)^5.",
      .source = "Spiral Matrix, LeetCode 54",
      .max_level = 29,
  };

  static constexpr double kBeta = 5.0;

  struct Config {
    int MAX_M_N = 0;
    REDQUEEN_FIELDS(MAX_M_N)
  };
  struct Problem {
    int MAX_M_N = 0;
    int M = 0;  // rows
    int N = 0;  // columns
    std::vector<std::vector<std::int64_t>> matrix;
    REDQUEEN_FIELDS(MAX_M_N, M, N, matrix)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.MAX_M_N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_M_N = config.MAX_M_N, .M = 0, .N = 0, .matrix = {}};
    problem.M = static_cast<int>(rng.integer(2, config.MAX_M_N));
    problem.N = static_cast<int>(rng.integer(2, config.MAX_M_N));
    problem.matrix.assign(problem.M,
                          std::vector<std::int64_t>(static_cast<std::size_t>(problem.N)));
    for (auto& row : problem.matrix) {
      for (std::int64_t& cell : row) cell = rng.integer(1, std::int64_t{problem.M} * problem.N);
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.M < 1 || problem.matrix.size() != static_cast<std::size_t>(problem.M)) {
      return failure("\"matrix\": expected \"M\" ≥ 1 rows, found {}", problem.matrix.size());
    }
    for (const auto& row : problem.matrix) {
      if (problem.N < 1 || row.size() != static_cast<std::size_t>(problem.N)) {
        return failure("\"matrix\": expected rows of \"N\" ≥ 1 numbers, found one of {}",
                       row.size());
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a matrix of {} rows and {} columns, one row per line:\n"
        "{}\n"
        "Read it in a clockwise spiral. Start in the top left corner and read the top row to the "
        "right, then the rest of the right column downwards, the rest of the bottom row to the "
        "left, and the rest of the left column upwards; go on in the same way with the part that "
        "is not read yet, until every cell has been read once.\n"
        "Answer with the {} numbers in this order on one line, separated by spaces.",
        problem.M, problem.N, format_answer(problem.matrix), problem.M * problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    const Answer spiral = solve(problem);
    if (answer.size() != spiral.size()) return kInvalidReward;
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < spiral.size(); ++i) matches += answer[i] == spiral[i];
    return share_reward(matches, std::ssize(spiral), kBeta);
  }

  // Rings of the matrix from the outside in: rows top … bottom, columns left … right are unread.
  static Answer solve(const Problem& problem) {
    Answer spiral;
    spiral.reserve(problem.matrix.size() * problem.matrix[0].size());
    const auto read = [&](int row, int column) { spiral.push_back(problem.matrix[row][column]); };
    int top = 0;
    int left = 0;
    int bottom = problem.M - 1;
    int right = problem.N - 1;
    for (; top <= bottom && left <= right; ++top, ++left, --bottom, --right) {
      for (int column = left; column <= right; ++column) read(top, column);
      for (int row = top + 1; row <= bottom; ++row) read(row, right);
      if (top == bottom || left == right) break;
      for (int column = right - 1; column >= left; --column) read(bottom, column);
      for (int row = bottom - 1; row > top; --row) read(row, left);
    }
    return spiral;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = row_by_row(problem);
    rng.shuffle(answer);
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"row by row", format_answer(row_by_row(problem))}};
  }

 private:
  static Answer row_by_row(const Problem& problem) {
    Answer cells;
    for (const auto& row : problem.matrix) cells.insert(cells.end(), row.begin(), row.end());
    return cells;
  }
};
REDQUEEN_ENVIRONMENT(SpiralMatrix);

}  // namespace
}  // namespace redqueen
