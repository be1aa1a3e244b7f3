#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/assignment.h"
#include "redqueen/gym/common/number/best_ratio.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct FractionalProgramming_BipartiteGraphMatching {
  static constexpr Card card{
      .name = "FractionalProgramming_BipartiteGraphMatching",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Of two matrices choose the same cells, one in each row and column, such that the sum of "
          "the first matrix over them divided by that of the second is as great as possible.",
      .levels =
          "From 3 rows, a tenth and one more a level; the second matrix holds numbers up to N, the "
          "first up to twice those. Beyond level 31 the matrices would be too long to read.",
      .rewards = "-1 malformed, -0.5 not a permutation, else (quotient / greatest)^5.",
      .differences =
          "Problems with three rows are drawn such that other permutations earn little. From 5 "
          "rows on, a problem is drawn again that is solved by the identity, or by the cell with "
          "the greatest quotient that is still free, in all rows or row by row.",
      .source = "W. Dinkelbach, On nonlinear fractional programming, Management Science 13, 1967",
      .max_level = 31,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewRows = 5;
  static constexpr double kMeanOfOthers = 0.12;
  static constexpr int kDraws = 1000;
  static constexpr int kMaxProportion = 2;
  static constexpr std::int64_t kMaxN = 200;
  static constexpr std::int64_t kMaxNumber = 100'000;

  using Matrix = std::vector<std::vector<std::int64_t>>;
  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    Matrix A;
    Matrix B;
    std::string reference_answer;
    std::int64_t gold_SumA = 0;
    std::int64_t gold_SumB = 0;
    REDQUEEN_FIELDS(N, A, B, reference_answer, gold_SumA, gold_SumB)
  };
  using Answer = std::vector<std::int64_t>;  // the column of each row

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& problem) {
          if (config.N == 3) return mean_of_others(problem) <= kMeanOfOthers;
          return config.N < kFewRows ||
                 !some_rule_solves<FractionalProgramming_BipartiteGraphMatching>(problem);
        });
  }

  static Problem published(const Config& config, Rng& rng) { return drawn(config, rng); }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    for (const auto& [key, matrix] : {std::pair{"A", &problem.A}, std::pair{"B", &problem.B}}) {
      RETURN_IF_ERROR(within(key, std::ssize(*matrix), problem.N, problem.N));
      for (const auto& row : *matrix) {
        RETURN_IF_ERROR(check_numbers(key, row, problem.N, 1, kMaxNumber));
      }
    }
    // Other permutations may be as good; that of the parameter has to be one of them.
    const auto choice = parse_answer<Answer>(problem.reference_answer);
    if (!choice || !is_order(problem.N, *choice)) {
      return failure("\"reference_answer\": it is no permutation of 0 to {}", problem.N - 1);
    }
    const RatioSums sums = sums_of(problem, *choice);
    RETURN_IF_ERROR(reference_is("gold_SumA", problem.gold_SumA, sums.above));
    RETURN_IF_ERROR(reference_is("gold_SumB", problem.gold_SumB, sums.below));
    if (sums_of(problem, solve(problem)).equals(sums)) return {};
    return failure("\"reference_answer\": there are better permutations");
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are two matrices of {0} rows and {0} columns, both numbered 0 to {1}. A:\n"
        "{2}\n"
        "B:\n"
        "{3}\n"
        "Find a permutation P[0], P[1], …, P[{1}] of the numbers 0 to {1} such that the sum of "
        "A[i][P[i]] over all rows i, divided by the sum of B[i][P[i]] over all rows i, is as great "
        "as possible.\n"
        "Answer with P[0] to P[{1}] in this order on one line, separated by spaces.",
        problem.N, problem.N - 1, format_answer(problem.A), format_answer(problem.B));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer)) return kInvalidReward;
    const RatioSums sums = sums_of(problem, answer);
    return maximise_reward(sums.above * problem.gold_SumB, problem.gold_SumA * sums.below, kBeta);
  }

  static Answer solve(const Problem& problem) {
    const std::size_t n = problem.A.size();
    std::vector<std::int64_t> costs(n * n);
    const auto choose = [&](const RatioSums& sums) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          costs[i * n + j] = sums.above * problem.B[i][j] - sums.below * problem.A[i][j];
        }
      }
      const std::vector<int> columns = cheapest_assignment(problem.N, costs);
      return Answer(columns.begin(), columns.end());
    };
    return best_ratio_choice(sums_of(problem, by_free_cells(problem)), choose,
                             [&](const Answer& choice) { return sums_of(problem, choice); });
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const auto order = rng.permutation(problem.N);
    return {order.begin(), order.end()};
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"the identity", ascending_order(problem.N)},
            {"the free cell with the greatest quotient, row by row", by_rows(problem)},
            {"the free cell with the greatest quotient", by_free_cells(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem drawn(const Config& config, Rng& rng) {
    Problem problem{
        .N = config.N, .A = {}, .B = {}, .reference_answer = {}, .gold_SumA = 0, .gold_SumB = 0};
    for (int i = 0; i < config.N; ++i) {
      problem.B.push_back(draw_numbers(config.N, 1, config.N, rng));
      problem.A.push_back(problem.B.back());
      for (std::int64_t& a : problem.A.back()) a = rng.integer(1, kMaxProportion * a);
    }
    const Answer best = solve(problem);
    const RatioSums sums = sums_of(problem, best);
    problem.reference_answer = format_answer(best);
    problem.gold_SumA = sums.above;
    problem.gold_SumB = sums.below;
    return problem;
  }

  // What the permutations other than a best one earn.
  static double mean_of_others(const Problem& problem) {
    Answer order = ascending_order(problem.N);
    double sum = -1.0;
    double count = -1.0;
    do {
      sum += score(problem, order);
      count += 1.0;
    } while (std::ranges::next_permutation(order).found);
    return sum / count;
  }

  static RatioSums sums_of(const Problem& problem, const Answer& columns) {
    RatioSums sums{.above = 0, .below = 0};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      sums.above += problem.A[i][columns[i]];
      sums.below += problem.B[i][columns[i]];
    }
    return sums;
  }

  static Answer by_rows(const Problem& problem) {
    Answer columns;
    std::vector<char> taken(problem.A.size());
    for (int i = 0; i < problem.N; ++i) {
      int best = -1;
      for (int j = 0; j < problem.N; ++j) {
        if (taken[j] == 0 && (best < 0 || problem.A[i][j] * problem.B[i][best] >
                                              problem.A[i][best] * problem.B[i][j])) {
          best = j;
        }
      }
      taken[best] = 1;
      columns.push_back(best);
    }
    return columns;
  }

  static Answer by_free_cells(const Problem& problem) {
    const auto n = std::ssize(problem.A);
    std::vector<std::int64_t> cells(static_cast<std::size_t>(n * n));
    std::iota(cells.begin(), cells.end(), 0);
    std::ranges::sort(cells, [&](std::int64_t x, std::int64_t y) {
      const std::int64_t left = problem.A[x / n][x % n] * problem.B[y / n][y % n];
      const std::int64_t right = problem.A[y / n][y % n] * problem.B[x / n][x % n];
      return left != right ? left > right : x < y;
    });
    Answer columns(problem.A.size(), -1);
    std::vector<char> taken(problem.A.size());
    for (const std::int64_t cell : cells) {
      if (columns[cell / n] >= 0 || taken[cell % n] == 1) continue;
      columns[cell / n] = cell % n;
      taken[cell % n] = 1;
    }
    return columns;
  }
};
REDQUEEN_ENVIRONMENT(FractionalProgramming_BipartiteGraphMatching);

}  // namespace
}  // namespace redqueen
