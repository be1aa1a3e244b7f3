#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/min_cost_flow.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct MaxGridPathIntersection {
  static constexpr Card card{
      .name = "MaxGridPathIntersection",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Find the most that several walks to the right and down through a grid of numbers can "
          "collect, where each cell pays once.",
      .levels =
          "The side of the grid starts at 3 and grows by one a level; the number of walks is at "
          "most half of it. Beyond level 37 the best walks would take long to find.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "A fifth to three fifths of the cells are empty, and from level 1 on there are at least "
          "two walks. From level 2 on, a grid is drawn again if the best walk on what the walks "
          "before have left, again and again, is best, or if all cells can be visited.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 37,
  };

  static constexpr int kMaxSide = 60;
  static constexpr double kFewestEmpty = 0.2;
  static constexpr double kMostEmpty = 0.6;
  static constexpr int kStrictFrom = 5;  // rows
  static constexpr int kDraws = 500;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int K = 0;  // walks
    std::vector<std::vector<std::int64_t>> grid;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, K, grid, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config, rng); },
        [](const Problem& problem) {
          return problem.N < kStrictFrom || !some_rule_solves<MaxGridPathIntersection>(problem);
        });
  }

  // One walk as well, and numbers that are uniform from 0.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .K = static_cast<int>(rng.integer(1, n / 2)),
                    .grid = draw_matrix({n, n}, 0, n, rng),
                    .reference_answer = 0};
    problem.reference_answer = most(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxSide));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.N));
    RETURN_IF_ERROR(
        check_matrix("grid", problem.grid, {problem.N, problem.N}, 0, kMaxSide * kMaxSide));
    return reference_is("reference_answer", problem.reference_answer, most(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {0} rows and {0} columns of numbers:\n"
        "{1}\n"
        "Walk through it exactly {2} time{3}, each time from the upper left cell to the lower "
        "right cell, by steps to the next cell on the right or to the next cell below. When you "
        "visit a cell for the first time, on whichever walk, you collect its number; later visits "
        "to the same cell bring nothing. What is the largest possible sum of all that you "
        "collect?\n"
        "Answer with one integer.",
        problem.N, format_answer(problem.grid), problem.K, problem.K == 1 ? "" : "s");
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, total(problem));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"the best walk on what is left, again and again", one_by_one(problem)},
            {"all numbers", total(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    Problem one = problem;
    one.K = 1;
    named.push_back({"the best walk, for each of the walks", format_answer(problem.K * most(one))});
    return named;
  }

 private:
  static Problem draw(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .K = static_cast<int>(rng.integer(n == 3 ? 1 : 2, n / 2)),
                    .grid = draw_matrix({n, n}, 1, n, rng),
                    .reference_answer = 0};
    const double empty = rng.real(kFewestEmpty, kMostEmpty);
    for (auto& row : problem.grid) {
      for (std::int64_t& number : row) number = rng.chance(empty) ? 0 : number;
    }
    problem.reference_answer = most(problem);
    return problem;
  }

  static std::int64_t total(const Problem& problem) {
    std::int64_t sum = 0;
    for (const auto& row : problem.grid) sum = std::accumulate(row.begin(), row.end(), sum);
    return sum;
  }

  // A unit of flow is a walk. A cell is an arc for the first visit and one for the others. All
  // walks visit as many cells, so every visit can cost the largest number, less what it collects.
  static std::int64_t most(const Problem& problem) {
    const int n = problem.N;
    std::int64_t largest = 0;
    for (const auto& row : problem.grid) largest = std::max(largest, std::ranges::max(row));
    CostNetwork network(2 * n * n);
    const auto enter = [n](int row, int column) { return 2 * (row * n + column); };
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column < n; ++column) {
        const int in = enter(row, column);
        network.add_arc(in, in + 1, 1, largest - problem.grid[row][column]);
        if (problem.K > 1) network.add_arc(in, in + 1, problem.K - 1, largest);
        if (row + 1 < n) network.add_arc(in + 1, enter(row + 1, column), problem.K, 0);
        if (column + 1 < n) network.add_arc(in + 1, enter(row, column + 1), problem.K, 0);
      }
    }
    const auto flow = network.maximise_flow(enter(0, 0), enter(n - 1, n - 1) + 1);
    return flow.flow * (2 * n - 1) * largest - flow.cost;
  }

  static std::int64_t one_by_one(const Problem& problem) {
    const int n = problem.N;
    auto left = problem.grid;
    std::vector<std::vector<std::int64_t>> best(static_cast<std::size_t>(n),
                                                std::vector<std::int64_t>(left.size()));
    std::int64_t collected = 0;
    for (int walk = 0; walk < problem.K; ++walk) {
      for (int row = 0; row < n; ++row) {
        for (int column = 0; column < n; ++column) {
          const std::int64_t above = row > 0 ? best[row - 1][column] : 0;
          const std::int64_t before = column > 0 ? best[row][column - 1] : 0;
          best[row][column] = left[row][column] + std::max(above, before);
        }
      }
      collected += best[n - 1][n - 1];
      for (int row = n - 1, column = n - 1; row >= 0 && column >= 0;) {
        left[row][column] = 0;
        const bool up = column == 0 || (row > 0 && best[row - 1][column] >= best[row][column - 1]);
        --(up ? row : column);
      }
    }
    return collected;
  }
};
REDQUEEN_ENVIRONMENT(MaxGridPathIntersection);

}  // namespace
}  // namespace redqueen
