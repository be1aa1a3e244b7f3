#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct MatrixPooling {
  static constexpr Card card{
      .name = "MatrixPooling",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kElementWise,
      .task = "Give the largest number of every square of a fixed size in a matrix.",
      .levels =
          "The bound on rows and columns is 4, and grows by a tenth and one a level; beyond level "
          "29 the matrix would be too large to read.",
      .rewards = "-1 malformed or of another shape, else (entries that are right / entries)^5.",
      .differences =
          "Sides are drawn from the upper half of their range, the squares' side up to half of "
          "the shorter one where that is 2 or more. A matrix is drawn again if the largest number "
          "of all, or the upper left number of each square, is all that is needed.",
      .max_level = 29,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kDraws = 200;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;  // rows
    int M = 0;  // columns
    int K = 0;  // side of the squares
    std::vector<std::vector<std::int64_t>> matrix;
    REDQUEEN_FIELDS(N, M, K, matrix)
  };
  using Answer = std::vector<std::vector<std::int64_t>>;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] {
          const GridShape shape = draw_shape(3, config.MAX_N_M, rng);
          const int half = std::min(shape.rows, shape.columns) / 2;
          return Problem{.N = shape.rows,
                         .M = shape.columns,
                         .K = static_cast<int>(rng.integer(2, std::max(2, half))),
                         .matrix = draw_matrix(shape, 0, shape.cells(), rng)};
        },
        [](const Problem& problem) { return !some_rule_solves<MatrixPooling>(problem); });
  }

  // Sides are uniform, and so is that of the squares below the shorter one.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(3, config.MAX_N_M, rng);
    return {.N = shape.rows,
            .M = shape.columns,
            .K = static_cast<int>(rng.integer(2, std::min(shape.rows, shape.columns) - 1)),
            .matrix = draw_matrix(shape, 0, shape.cells(), rng)};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(within("K", problem.K, 1, std::min(problem.N, problem.M)));
    return check_matrix("matrix", problem.matrix, {problem.N, problem.M}, 0, kMaxShownNumbers);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a matrix of {0} rows and {1} columns:\n"
        "{2}\n"
        "Consider all squares of {3} consecutive rows and {3} consecutive columns that lie in the "
        "matrix; they may overlap. Take the largest number of each of them. These numbers form a "
        "matrix of {4} rows and {5} columns: its number in row i and column j is that of the "
        "square whose upper left number is in row i and column j of the matrix above.\n"
        "Answer with this matrix, one row per line, its numbers separated by spaces.",
        problem.N, problem.M, format_answer(problem.matrix), problem.K, problem.N - problem.K + 1,
        problem.M - problem.K + 1);
  }

  static double score(const Problem& problem, const Answer& answer) {
    const Answer right = solve(problem);
    const GridShape shape{static_cast<int>(right.size()), static_cast<int>(right[0].size())};
    if (!has_shape(answer, shape)) return kMalformedReward;
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      for (std::size_t j = 0; j < right[i].size(); ++j) matches += answer[i][j] == right[i][j];
    }
    return share_reward(matches, shape.cells(), kBeta);
  }

  // The maxima of consecutive numbers of each row, and then of consecutive rows of these.
  static Answer solve(const Problem& problem) {
    const auto k = static_cast<std::ptrdiff_t>(problem.K);
    std::vector<std::vector<std::int64_t>> across;
    across.reserve(problem.matrix.size());
    for (const auto& row : problem.matrix) {
      auto& maxima = across.emplace_back();
      maxima.reserve(row.size());
      for (auto start = row.begin(); row.end() - start >= k; ++start) {
        maxima.push_back(*std::max_element(start, start + k));
      }
    }
    Answer answer;
    for (auto start = across.begin(); across.end() - start >= k; ++start) {
      auto& maxima = answer.emplace_back(*start);
      for (auto row = start + 1; row != start + k; ++row) {
        for (std::size_t j = 0; j < maxima.size(); ++j) maxima[j] = std::max(maxima[j], (*row)[j]);
      }
    }
    return answer;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return draw_matrix(answer_shape(problem), 0, largest(problem), rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const GridShape shape = answer_shape(problem);
    const std::vector<std::int64_t> row(static_cast<std::size_t>(shape.columns), largest(problem));
    Answer upper_left(problem.matrix.begin(), problem.matrix.begin() + shape.rows);
    for (auto& cells : upper_left) cells.resize(static_cast<std::size_t>(shape.columns));
    return {{"the largest number everywhere", Answer(static_cast<std::size_t>(shape.rows), row)},
            {"the upper left number of each square", std::move(upper_left)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static GridShape answer_shape(const Problem& problem) {
    return {problem.N - problem.K + 1, problem.M - problem.K + 1};
  }

  static std::int64_t largest(const Problem& problem) {
    std::int64_t most = 0;
    for (const auto& row : problem.matrix) most = std::max(most, std::ranges::max(row));
    return most;
  }
};
REDQUEEN_ENVIRONMENT(MatrixPooling);

}  // namespace
}  // namespace redqueen
