#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/grid/search.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct GridComponent {
  static constexpr Card card{
      .name = "GridComponent",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task = "Find the size of the largest connected part of the ones of a 0/1 grid.",
      .levels =
          "The bound on rows and columns is 4, and grows by a tenth and one a level; beyond level "
          "30 the grid would be too large to read.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Sides are at least three quarters of their bound. The share of ones is from 0.4 to "
          "0.68, about where a part begins to span the grid. From level 1 on, a grid is drawn "
          "again if all ones are connected, if the first one that is read belongs to a largest "
          "part, or if the longest straight run of ones is a largest part.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 30,
  };

  static constexpr double kFewestOnes = 0.4;
  static constexpr double kMostOnes = 0.68;
  static constexpr int kStrictFrom = 5;  // the bound on sides
  static constexpr int kDraws = 200;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;  // rows
    int M = 0;  // columns
    TextGrid grid;
    REDQUEEN_FIELDS(N, M, grid)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] {
          const GridShape shape = draw_shape(3 * config.MAX_N_M / 4, config.MAX_N_M, rng);
          return draw(shape, rng.real(kFewestOnes, kMostOnes), rng);
        },
        [&](const Problem& problem) {
          if (config.MAX_N_M < kStrictFrom) return true;
          const Answer largest = solve(problem);
          return std::ranges::none_of(rules(problem), [&](const SimpleRule<Answer>& rule) {
            return rule.answer == largest;
          });
        });
  }

  // Sides are uniform, and a tenth to nine tenths of the cells are ones.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    return draw(shape, rng.real(0.1, 0.9), rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, 4 * kMaxShownNumbers));
    return check_text_grid("grid", problem.grid, {problem.N, problem.M}, "01");
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {} rows and {} columns:\n"
        "{}\n"
        "Two cells with a 1 are connected if one can get from one to the other by steps between "
        "cells that share a side, on cells with a 1 only. What is the largest possible number of "
        "cells with a 1 that are all connected with each other? It is 0 if there is no 1.\n"
        "Answer with one integer.",
        problem.N, problem.M, format_answer(problem.grid));
  }

  static double score(const Problem&, const Answer& answer, Answer right) {
    return exact_reward(answer == right);
  }

  static Answer solve(const Problem& problem) {
    const GridParts parts = parts_of(problem);
    return parts.sizes.empty() ? 0 : std::ranges::max(parts.sizes);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, std::int64_t{problem.N} * problem.M);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const GridParts parts = parts_of(problem);
    const std::int64_t ones = std::accumulate(parts.sizes.begin(), parts.sizes.end(), 0);
    return {{"the number of ones", ones},
            {"the part of the first one", parts.sizes.empty() ? 0 : parts.sizes[0]},
            {"the longest straight run of ones", longest_run(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem draw(const GridShape& shape, double ones, Rng& rng) {
    Problem problem{.N = shape.rows, .M = shape.columns, .grid = {}};
    problem.grid.assign(shape.rows, std::string(static_cast<std::size_t>(shape.columns), '0'));
    for (std::string& row : problem.grid) {
      for (char& cell : row) cell = rng.chance(ones) ? '1' : '0';
    }
    return problem;
  }

  static GridParts parts_of(const Problem& problem) {
    return grid_parts({problem.N, problem.M}, [&](int place) {
      return problem.grid[place / problem.M][place % problem.M] == '1';
    });
  }

  static std::int64_t longest_run(const Problem& problem) {
    int longest = 0;
    std::vector<int> down(static_cast<std::size_t>(problem.M));
    for (const std::string& row : problem.grid) {
      int across = 0;
      for (int column = 0; column < problem.M; ++column) {
        const bool one = row[column] == '1';
        across = one ? across + 1 : 0;
        down[column] = one ? down[column] + 1 : 0;
        longest = std::max({longest, across, down[column]});
      }
    }
    return longest;
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(GridComponent);

}  // namespace
}  // namespace redqueen
