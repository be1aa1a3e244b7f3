#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/matrix_orders.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct MatrixPermutation_BothDiagonalOne {
  static constexpr Card card{
      .name = "MatrixPermutation_BothDiagonalOne",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kFeasibility,
      .task =
          "Find orders of the rows and columns of a square 0/1 matrix that bring ones to all cells "
          "of both diagonals.",
      .levels = "The matrix has 3 or 4 rows, and two more a level.",
      .rewards =
          "-1 malformed or not two lines, -0.5 a line that is no order of the rows or columns, "
          "else (ones on the diagonals / their cells)^5.",
      .differences =
          "Beside the planted ones, an eighth to a quarter of the cells are ones, which leaves no "
          "matrix to be read off. From level 1 on, a matrix is drawn again that is right as it "
          "is, or with its rows as they are and for each pair of them the first columns that fit.",
      .max_level = 60,
  };

  static constexpr double kFewestOnes = 0.125;
  static constexpr double kMostOnes = 0.25;
  static constexpr int kMaxN = 400;
  static constexpr int kStrictFrom = 5;  // rows
  static constexpr int kDraws = 300;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::vector<int>> A;
    std::string reference_answer;
    REDQUEEN_FIELDS(N, A, reference_answer)
  };
  using Answer = MatrixOrders;

  static Config at_level(int level, Rng& rng) {
    return {.N = 3 + 2 * level + static_cast<int>(rng.below(2))};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config.N, rng.real(kFewestOnes, kMostOnes), rng); },
        [](const Problem& problem) {
          return problem.N < kStrictFrom ||
                 !some_rule_solves<MatrixPermutation_BothDiagonalOne>(problem);
        });
  }

  // Up to a quarter of the cells are ones beside the planted ones.
  static Problem published(const Config& config, Rng& rng) {
    return draw(config.N, rng.real(0.0, kMostOnes), rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    RETURN_IF_ERROR(check_matrix("A", problem.A, {problem.N, problem.N}, 0, 1));
    return check_stored_orders(problem.reference_answer,
                               [&](const Answer& answer) { return score(problem, answer); });
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a matrix A of {0} rows and {0} columns, both numbered 0 to {1}:\n"
        "{2}\n"
        "Find an order a[0], …, a[{1}] of the row numbers and an order b[0], …, b[{1}] of the "
        "column numbers such that the matrix B, which has in row i and column j the digit of A in "
        "row a[i] and column b[j], has ones on both diagonals: in all cells with j = i and in all "
        "cells with j = {1} - i. There are such orders.\n"
        "{3}",
        problem.N, problem.N - 1, format_digits(problem.A), kAskForOrders);
  }

  static double score(const Problem& problem, const Answer& answer) {
    const int n = problem.N;
    return reward_orders({n, n}, answer, 2 * n - n % 2, [&](const Answer& orders) {
      std::int64_t ones = 0;
      for (int i = 0; i < n; ++i) {
        const auto& row = problem.A[orders[0][i]];
        ones += row[orders[1][i]];
        if (2 * i != n - 1) ones += row[orders[1][n - 1 - i]];
      }
      return ones;
    });
  }

  static Answer solve(const Problem& problem) {
    return *parse_answer<Answer>(problem.reference_answer);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_orders({problem.N, problem.N}, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"orders as they are", orders_as_they_are({problem.N, problem.N})},
            {"rows as they are, and the first columns that fit", first_columns(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem draw(int n, double ones, Rng& rng) {
    const Answer orders = random_orders({n, n}, rng);
    Problem problem{.N = n,
                    .A = {static_cast<std::size_t>(n), std::vector<int>(orders[0].size())},
                    .reference_answer = format_answer(orders)};
    for (auto& row : problem.A) {
      for (int& cell : row) cell = rng.chance(ones) ? 1 : 0;
    }
    for (int i = 0; i < n; ++i) {
      problem.A[orders[0][i]][orders[1][i]] = 1;
      problem.A[orders[0][i]][orders[1][n - 1 - i]] = 1;
    }
    return problem;
  }

  // Rows i and n − 1 − i share two columns; each takes the first columns not taken in which both
  // have ones, or else any.
  static Answer first_columns(const Problem& problem) {
    const int n = problem.N;
    Answer orders = orders_as_they_are({n, n});
    std::vector<char> taken(static_cast<std::size_t>(n));
    const auto take = [&](int i, bool anything) {
      for (int column = 0; column < n; ++column) {
        if (taken[column] != 0) continue;
        if (!anything && (problem.A[i][column] == 0 || problem.A[n - 1 - i][column] == 0)) continue;
        taken[column] = 1;
        return column;
      }
      return -1;
    };
    for (const bool anything : {false, true}) {
      for (int i = 0; i < n; ++i) {
        if (anything && orders[1][i] >= 0) continue;
        orders[1][i] = take(i, anything);
      }
    }
    return orders;
  }
};
REDQUEEN_ENVIRONMENT(MatrixPermutation_BothDiagonalOne);

}  // namespace
}  // namespace redqueen
