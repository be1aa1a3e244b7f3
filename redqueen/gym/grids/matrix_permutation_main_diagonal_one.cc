#include <algorithm>
#include <cmath>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/bipartite_matching.h"
#include "redqueen/gym/common/grid/matrix_orders.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct MatrixPermutation_MainDiagonalOne {
  static constexpr Card card{
      .name = "MatrixPermutation_MainDiagonalOne",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kFeasibility,
      .task =
          "Find orders of the rows and columns of a square 0/1 matrix that bring ones to all cells "
          "of the main diagonal.",
      .levels = "The matrix has 3 rows, and one more a level.",
      .rewards =
          "-1 malformed or not two lines, -0.5 a line that is no order of the rows or columns, "
          "else (ones on the diagonal / its cells)^5.",
      .differences =
          "The share of ones falls with the size such that few rows leave much choice. From level "
          "2 on, a matrix is drawn again that is right as it is, or if each row, in the order of "
          "the matrix or with the rows of fewest ones first, can take its first free column.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 100,
  };

  static constexpr int kMaxN = 400;
  static constexpr double kFewestOnes = 0.4;  // in a matrix of n rows, of ln n / n
  static constexpr double kMostOnes = 1.0;
  static constexpr int kStrictFrom = 5;  // rows
  static constexpr int kDraws = 1000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::vector<int>> A;
    REDQUEEN_FIELDS(N, A)
  };
  using Answer = MatrixOrders;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] {
          const int n = config.N;
          return draw(n, rng.real(kFewestOnes, kMostOnes) * std::log(n) / n, rng);
        },
        [](const Problem& problem) {
          return problem.N < kStrictFrom ||
                 !some_rule_solves<MatrixPermutation_MainDiagonalOne>(problem);
        });
  }

  // Up to a half of the cells are ones beside the planted ones.
  static Problem published(const Config& config, Rng& rng) {
    return draw(config.N, rng.real(0.0, 0.5), rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    RETURN_IF_ERROR(check_matrix("A", problem.A, {problem.N, problem.N}, 0, 1));
    if (matching(problem).size() < problem.N) {
      return failure("\"A\": no orders bring ones to the whole diagonal");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a matrix A of {0} rows and {0} columns, both numbered 0 to {1}:\n"
        "{2}\n"
        "Find an order a[0], …, a[{1}] of the row numbers and an order b[0], …, b[{1}] of the "
        "column numbers such that for each i, A has a one in row a[i] and column b[i]. There are "
        "such orders.\n"
        "{3}",
        problem.N, problem.N - 1, format_digits(problem.A), kAskForOrders);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return reward_orders({problem.N, problem.N}, answer, problem.N, [&](const Answer& orders) {
      std::int64_t ones = 0;
      for (int i = 0; i < problem.N; ++i) ones += problem.A[orders[0][i]][orders[1][i]];
      return ones;
    });
  }

  static Answer solve(const Problem& problem) {
    Answer orders = orders_as_they_are({problem.N, problem.N});
    const BipartiteMatching whole = matching(problem);
    orders[1].assign(whole.partners().begin(), whole.partners().end());
    return orders;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_orders({problem.N, problem.N}, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<std::int64_t> rows = ascending_order(problem.N);
    std::vector<SimpleRule<Answer>> rules{
        {"orders as they are", orders_as_they_are({problem.N, problem.N})},
        {"the first free column of each row", first_columns(problem, rows)}};
    std::ranges::stable_sort(
        rows, {}, [&](std::int64_t row) { return std::ranges::count(problem.A[row], 1); });
    rules.push_back({"the first free column of each row, rows with fewest ones first",
                     first_columns(problem, rows)});
    return rules;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem draw(int n, double share, Rng& rng) {
    Problem problem{.N = n, .A = {}};
    problem.A.assign(n, std::vector<int>(static_cast<std::size_t>(n)));
    for (auto& row : problem.A) {
      for (int& cell : row) cell = rng.chance(share) ? 1 : 0;
    }
    const std::vector<int> columns = rng.permutation(n);
    for (int i = 0; i < n; ++i) problem.A[i][columns[i]] = 1;
    return problem;
  }

  static BipartiteMatching matching(const Problem& problem) {
    std::vector<std::vector<int>> ones(problem.A.size());
    for (int i = 0; i < problem.N; ++i) {
      for (int j = 0; j < problem.N; ++j) {
        if (problem.A[i][j] == 1) ones[i].push_back(j);
      }
    }
    return {ones, problem.N};
  }

  // Rows that find none take what is left.
  static Answer first_columns(const Problem& problem, const std::vector<std::int64_t>& rows) {
    Answer orders{rows, std::vector<std::int64_t>(rows.size(), -1)};
    std::vector<char> taken(rows.size());
    for (const bool anything : {false, true}) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (int column = 0; column < problem.N && orders[1][i] < 0; ++column) {
          if (taken[column] != 0 || (!anything && problem.A[rows[i]][column] == 0)) continue;
          taken[column] = 1;
          orders[1][i] = column;
        }
      }
    }
    return orders;
  }
};
REDQUEEN_ENVIRONMENT(MatrixPermutation_MainDiagonalOne);

}  // namespace
}  // namespace redqueen
