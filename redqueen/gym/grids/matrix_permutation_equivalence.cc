#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/matrix_orders.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct MatrixPermutationEquivalence {
  static constexpr Card card{
      .name = "MatrixPermutationEquivalence",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kElementWise,
      .task = "Find orders of the rows and columns that turn one 0/1 matrix into another.",
      .levels = "The bound on rows and columns starts at 3 and grows by one a level.",
      .rewards =
          "-1 malformed or not two lines, -0.5 a line that is no order of the rows or columns, "
          "else (cells that agree / cells)^5.",
      .differences =
          "Sides are drawn from the upper half of their range and 0.35 to 0.65 of the cells are "
          "ones. From level 2 on, matrices are drawn again that agree as they are, or with rows "
          "and columns of as many ones put together in their order.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 100,
  };

  static constexpr double kFewestOnes = 0.35;
  static constexpr double kMostOnes = 0.65;
  static constexpr int kMaxCells = 100'000;
  static constexpr int kStrictFrom = 5;  // the bound on sides
  static constexpr int kDraws = 500;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;  // rows
    int M = 0;  // columns
    std::vector<std::vector<int>> A;
    std::vector<std::vector<int>> B;
    std::string reference_answer;
    REDQUEEN_FIELDS(N, M, A, B, reference_answer)
  };
  using Answer = MatrixOrders;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] {
          const GridShape shape = draw_shape(2, config.MAX_N_M, rng);
          return draw(shape, rng.real(kFewestOnes, kMostOnes), rng);
        },
        [&](const Problem& problem) {
          return !some_rule_solves<MatrixPermutationEquivalence>(problem) ||
                 config.MAX_N_M < kStrictFrom;
        });
  }

  // Sides are uniform, and any share of the cells are ones.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    return draw(shape, rng.real(), rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxCells));
    RETURN_IF_ERROR(check_matrix("A", problem.A, shape_of(problem), 0, 1));
    RETURN_IF_ERROR(check_matrix("B", problem.B, shape_of(problem), 0, 1));
    return check_stored_orders(problem.reference_answer,
                               [&](const Answer& answer) { return score(problem, answer); });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a matrix A of {0} rows, numbered 0 to {1}, and {2} columns, numbered 0 to {3}:\n"
        "{4}\n"
        "And here is a matrix B of the same size:\n"
        "{5}\n"
        "The rows and columns of A can be put into new orders such that B results. Find an order "
        "a[0], a[1], … of the row numbers and an order b[0], b[1], … of the column numbers such "
        "that in each row i and each column j, B has the digit that A has in row a[i] and column "
        "b[j].\n"
        "{6}",
        problem.N, problem.N - 1, problem.M, problem.M - 1, format_digits(problem.A),
        format_digits(problem.B), kAskForOrders);
  }

  static double score(const Problem& problem, const Answer& answer) {
    const GridShape shape = shape_of(problem);
    return reward_orders(shape, answer, shape.cells(), [&](const Answer& orders) {
      std::int64_t matches = 0;
      for (int i = 0; i < problem.N; ++i) {
        const auto& row = problem.A[orders[0][i]];
        for (int j = 0; j < problem.M; ++j) matches += problem.B[i][j] == row[orders[1][j]];
      }
      return matches;
    });
  }

  static Answer solve(const Problem& problem) {
    return *parse_answer<Answer>(problem.reference_answer);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_orders(shape_of(problem), rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"orders as they are", orders_as_they_are(shape_of(problem))},
            {"rows and columns of as many ones, in their order",
             {by_sums(row_sums(problem.A), row_sums(problem.B)),
              by_sums(column_sums(problem.A), column_sums(problem.B))}}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  using Matrix = std::vector<std::vector<int>>;

  static GridShape shape_of(const Problem& problem) { return {problem.N, problem.M}; }

  static Problem draw(const GridShape& shape, double ones, Rng& rng) {
    const Answer orders = random_orders(shape, rng);
    Problem problem{.N = shape.rows,
                    .M = shape.columns,
                    .A = Matrix(static_cast<std::size_t>(shape.rows),
                                std::vector<int>(static_cast<std::size_t>(shape.columns))),
                    .B = {},
                    .reference_answer = format_answer(orders)};
    for (auto& row : problem.A) {
      for (int& cell : row) cell = rng.chance(ones) ? 1 : 0;
    }
    problem.B = problem.A;
    for (int i = 0; i < problem.N; ++i) {
      for (int j = 0; j < problem.M; ++j) problem.B[i][j] = problem.A[orders[0][i]][orders[1][j]];
    }
    return problem;
  }

  static std::vector<int> row_sums(const Matrix& matrix) {
    std::vector<int> sums;
    for (const auto& row : matrix) sums.push_back(std::accumulate(row.begin(), row.end(), 0));
    return sums;
  }

  static std::vector<int> column_sums(const Matrix& matrix) {
    std::vector<int> sums(matrix[0].size());
    for (const auto& row : matrix) {
      for (std::size_t j = 0; j < row.size(); ++j) sums[j] += row[j];
    }
    return sums;
  }

  // Of each place with a sum in `to`, the place in `from` that has as many like it before.
  static std::vector<std::int64_t> by_sums(const std::vector<int>& from,
                                           const std::vector<int>& to) {
    const auto sorted = [](const std::vector<int>& sums) {
      std::vector<std::int64_t> places = ascending_order(static_cast<int>(sums.size()));
      std::ranges::stable_sort(places, {}, [&](std::int64_t place) { return sums[place]; });
      return places;
    };
    const std::vector<std::int64_t> sources = sorted(from);
    const std::vector<std::int64_t> targets = sorted(to);
    std::vector<std::int64_t> order(from.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[targets[i]] = sources[i];
    return order;
  }
};
REDQUEEN_ENVIRONMENT(MatrixPermutationEquivalence);

}  // namespace
}  // namespace redqueen
