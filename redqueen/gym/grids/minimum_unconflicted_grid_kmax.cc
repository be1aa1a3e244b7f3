#include <algorithm>
#include <functional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/bipartite_matching.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct MinimumUnconflictedGridKMax {
  static constexpr Card card{
      .name = "MinimumUnconflictedGridKMax",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Choose a number from each row of a grid, all from different columns, such that the k-th "
          "largest of them is as small as possible.",
      .levels =
          "The bound on rows and columns is 3, and grows by a tenth and one a level; beyond level "
          "30 the grid would be too large to read.",
      .rewards =
          "-1 malformed, -0.5 another count, a column that does not exist or comes twice, else "
          "(least k-th largest / k-th largest)^5.",
      .differences =
          "Sides are drawn from the upper half of their range, and k is at most half of the rows. "
          "A grid is drawn again that is solved by the diagonal, by the smallest free number of "
          "each row, by the smallest number whose row and column are free, again and again, or by "
          "one of three random answers.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "At level 0 there are six answers only.",
      .guess_until_level = 0,
      .source = "Little Convex Plays with a Matrix (小凸玩矩阵), SCOI 2015",
      .max_level = 30,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kMaxCells = kMaxShownNumbers;
  static constexpr int kRandomAnswers = 3;
  static constexpr int kDraws = 300;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;  // rows
    int M = 0;  // columns, at least as many
    int K = 0;
    std::vector<std::vector<std::int64_t>> A;
    std::int64_t gold_answer = 0;  // the least K-th largest
    REDQUEEN_FIELDS(N, M, K, A, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // the column of each row, from 1

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] {
          GridShape shape = draw_shape(3, config.MAX_N_M, rng);
          if (shape.rows > shape.columns) std::swap(shape.rows, shape.columns);
          const auto k = static_cast<int>(rng.integer(1, shape.rows / 2));
          return draw(shape, k, rng);
        },
        [&](const Problem& problem) {
          if (some_rule_solves<MinimumUnconflictedGridKMax>(problem)) return false;
          for (int i = 0; i < kRandomAnswers; ++i) {
            if (score(problem, random_answer(problem, rng)) >= kSolvedReward) return false;
          }
          return true;
        });
  }

  // The number of rows is uniform, that of columns from there on, and k is any place.
  static Problem published(const Config& config, Rng& rng) {
    GridShape shape;
    shape.rows = static_cast<int>(rng.integer(3, config.MAX_N_M));
    shape.columns = static_cast<int>(rng.integer(shape.rows, config.MAX_N_M));
    const auto k = static_cast<int>(rng.integer(1, shape.rows));
    return draw(shape, k, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxCells));
    RETURN_IF_ERROR(within("N", problem.N, 1, problem.M));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N));
    RETURN_IF_ERROR(check_matrix("A", problem.A, {problem.N, problem.M}, 1, kMaxCells));
    return reference_is("gold_answer", problem.gold_answer, least(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {0} rows and {1} columns of numbers; the columns are numbered 1 to {1} "
        "from left to right:\n"
        "{2}\n"
        "Choose one number from each row, no two of them from the same column. Put the {0} chosen "
        "numbers in descending order, equal ones one after another: the number at place {3} of "
        "this order is to be as small as possible.\n"
        "Answer with the columns of the chosen numbers, from the first row to the last, on one "
        "line, separated by spaces.",
        problem.N, problem.M, format_answer(problem.A), problem.K);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kInvalidReward;
    std::vector<char> taken(static_cast<std::size_t>(problem.M));
    std::vector<std::int64_t> chosen(answer.size());
    for (std::size_t row = 0; row < answer.size(); ++row) {
      const std::int64_t column = answer[row];
      if (column < 1 || column > problem.M || taken[column - 1] != 0) return kInvalidReward;
      taken[column - 1] = 1;
      chosen[row] = problem.A[row][column - 1];
    }
    const auto kth = chosen.begin() + problem.K - 1;
    std::ranges::nth_element(chosen, kth, std::greater());
    return minimise_reward(*kth, problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    const auto partners = up_to(problem, problem.gold_answer).partners();
    Answer answer;
    for (const int column : partners) {
      answer.push_back(column == BipartiteMatching::kNone ? 0 : column + 1);
    }
    return with_any_columns(problem, std::move(answer));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.sample(1, problem.M, static_cast<std::size_t>(problem.N));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"the diagonal", ascending_order(problem.N, 1)},
            {"the smallest free number of each row", row_by_row(problem)},
            {"the smallest number of all whose row and column are free", by_size(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem draw(const GridShape& shape, int k, Rng& rng) {
    Problem problem{.N = shape.rows,
                    .M = shape.columns,
                    .K = k,
                    .A = draw_matrix(shape, 1, shape.cells(), rng),
                    .gold_answer = 0};
    problem.gold_answer = least(problem);
    return problem;
  }

  // Of numbers up to a bound.
  static BipartiteMatching up_to(const Problem& problem, std::int64_t bound) {
    std::vector<std::vector<int>> columns(problem.A.size());
    for (std::size_t row = 0; row < columns.size(); ++row) {
      for (int column = 0; column < problem.M; ++column) {
        if (problem.A[row][column] <= bound) columns[row].push_back(column);
      }
    }
    return {columns, problem.M};
  }

  // All but K − 1 rows must have numbers up to the answer; the others take what is left.
  static std::int64_t least(const Problem& problem) {
    std::vector<std::int64_t> numbers;
    for (const auto& row : problem.A) numbers.insert(numbers.end(), row.begin(), row.end());
    std::ranges::sort(numbers);
    const auto duplicates = std::ranges::unique(numbers);
    numbers.erase(duplicates.begin(), duplicates.end());
    return *std::ranges::partition_point(numbers, [&](std::int64_t bound) {
      return up_to(problem, bound).size() < problem.N - problem.K + 1;
    });
  }

  // Rows with 0 take the first columns that are left.
  static Answer with_any_columns(const Problem& problem, Answer answer) {
    std::vector<char> taken(static_cast<std::size_t>(problem.M + 1));
    for (const std::int64_t column : answer) taken[column] = 1;
    std::int64_t next = 1;
    for (std::int64_t& column : answer) {
      if (column != 0) continue;
      while (taken[next] != 0) ++next;
      column = next++;
    }
    return answer;
  }

  static Answer row_by_row(const Problem& problem) {
    std::vector<char> taken(static_cast<std::size_t>(problem.M));
    Answer answer;
    for (const auto& row : problem.A) {
      int best = -1;
      for (int column = 0; column < problem.M; ++column) {
        if (taken[column] == 0 && (best < 0 || row[column] < row[best])) best = column;
      }
      taken[best] = 1;
      answer.push_back(best + 1);
    }
    return answer;
  }

  static Answer by_size(const Problem& problem) {
    std::vector<std::pair<std::int64_t, int>> cells;
    for (int place = 0; place < problem.N * problem.M; ++place) {
      cells.emplace_back(problem.A[place / problem.M][place % problem.M], place);
    }
    std::ranges::sort(cells);
    std::vector<char> taken(static_cast<std::size_t>(problem.M));
    Answer answer(problem.A.size());
    for (const auto& [number, place] : cells) {
      const int row = place / problem.M;
      const int column = place % problem.M;
      if (answer[row] != 0 || taken[column] != 0) continue;
      taken[column] = 1;
      answer[row] = column + 1;
    }
    return answer;
  }
};
REDQUEEN_ENVIRONMENT(MinimumUnconflictedGridKMax);

}  // namespace
}  // namespace redqueen
