#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct MinimumSumDifferenceSubmatrix {
  static constexpr Card card{
      .name = "MinimumSumDifferenceSubmatrix",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kMinimise,
      .task =
          "Choose rows and columns of a matrix, such that neighbours in what is left differ as "
          "little as possible in sum.",
      .levels =
          "The bound on rows and columns starts at 4 and grows by one a level; the shorter side is "
          "at most 7.",
      .rewards =
          "-1 malformed or of other lengths, -0.5 a place that does not exist or comes too early, "
          "else (least sum / sum)^5.",
      .differences =
          "Large matrices are long rather than square, for all choices along the shorter side are "
          "searched, and the longer side is from the upper half of its range. From level 2 on, a "
          "matrix is drawn again that is solved by consecutive rows and columns, or by leaving out "
          "the row or column that lowers the sum most, again and again.",
      .slow_reason = SlowReason::kStricter,
      .source = "Submatrix (子矩阵), NOIP 2014",
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kMostShort = 7;
  static constexpr int kMaxShort = 14;
  static constexpr int kMaxCells = 1000;
  static constexpr std::int64_t kMaxNumber = 1'000'000;
  static constexpr int kStrictFrom = 6;  // the bound on sides
  static constexpr int kDraws = 500;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;  // rows
    int M = 0;  // columns
    int R = 0;  // rows to choose
    int C = 0;  // columns to choose
    std::vector<std::vector<std::int64_t>> matrix;
    std::int64_t gold_answer = 0;  // least sum
    REDQUEEN_FIELDS(N, M, R, C, matrix, gold_answer)
  };
  using Answer = std::vector<std::vector<std::int64_t>>;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] {
          GridShape shape;
          shape.rows = static_cast<int>(rng.integer(3, std::min(config.MAX_N_M, kMostShort)));
          shape.columns = static_cast<int>(draw_upper_half(3, config.MAX_N_M, rng));
          if (rng.chance(0.5)) std::swap(shape.rows, shape.columns);
          return draw(shape, rng);
        },
        [&](const Problem& problem) {
          return config.MAX_N_M < kStrictFrom ||
                 !some_rule_solves<MinimumSumDifferenceSubmatrix>(problem);
        });
  }

  // Both sides are uniform; what check() finds too costly is drawn again.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(3, config.MAX_N_M, rng);
    if (std::min(shape.rows, shape.columns) > kMaxShort || shape.cells() > kMaxCells) {
      throw Retry();
    }
    return draw(shape, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxCells));
    RETURN_IF_ERROR(within("the shorter side", std::min(problem.N, problem.M), 1, kMaxShort));
    RETURN_IF_ERROR(within("R", problem.R, 1, problem.N));
    RETURN_IF_ERROR(within("C", problem.C, 1, problem.M));
    RETURN_IF_ERROR(check_matrix("matrix", problem.matrix, {problem.N, problem.M}, 0, kMaxNumber));
    return reference_is("gold_answer", problem.gold_answer, sum_of(problem, best(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a matrix of {0} rows, numbered 0 to {1}, and {2} columns, numbered 0 to {3}:\n"
        "{4}\n"
        "Choose {5} of the rows and {6} of the columns. The numbers in chosen rows and chosen "
        "columns form, in their old order, a matrix of {5} rows and {6} columns. For every two "
        "numbers of it that are next to each other in a row or in a column, take the absolute "
        "value of their difference; the sum of all these values is to be as small as possible.\n"
        "Answer with two lines: the numbers of the chosen rows in ascending order, then those of "
        "the chosen columns in ascending order, separated by spaces.",
        problem.N, problem.N - 1, problem.M, problem.M - 1, format_answer(problem.matrix),
        problem.R, problem.C);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != 2 || std::ssize(answer[0]) != problem.R ||
        std::ssize(answer[1]) != problem.C) {
      return kMalformedReward;
    }
    if (!are_ascending_indices(problem.N, answer[0]) ||
        !are_ascending_indices(problem.M, answer[1])) {
      return kInvalidReward;
    }
    return minimise_reward(sum_of(problem, answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return best(problem); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer{rng.sample(0, problem.N - 1, static_cast<std::size_t>(problem.R)),
                  rng.sample(0, problem.M - 1, static_cast<std::size_t>(problem.C))};
    for (auto& places : answer) std::ranges::sort(places);
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"the best consecutive rows and columns", best_block(problem)},
            {"leaving out what lowers the sum most, again and again", by_leaving_out(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back(
        {"the first rows and columns",
         format_answer(Answer{ascending_order(problem.R), ascending_order(problem.C)})});
    return named;
  }

 private:
  static Problem draw(const GridShape& shape, Rng& rng) {
    Problem problem{.N = shape.rows,
                    .M = shape.columns,
                    .R = static_cast<int>(rng.integer(2, shape.rows - 1)),
                    .C = static_cast<int>(rng.integer(2, shape.columns - 1)),
                    .matrix = draw_matrix(shape, 1, shape.cells(), rng),
                    .gold_answer = 0};
    problem.gold_answer = sum_of(problem, best(problem));
    return problem;
  }

  static std::int64_t sum_of(const Problem& problem, const Answer& answer) {
    const auto& rows = answer[0];
    const auto& columns = answer[1];
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& row = problem.matrix[rows[i]];
      for (std::size_t j = 0; j < columns.size(); ++j) {
        const std::int64_t number = row[columns[j]];
        if (i > 0) sum += std::abs(number - problem.matrix[rows[i - 1]][columns[j]]);
        if (j > 0) sum += std::abs(number - row[columns[j - 1]]);
      }
    }
    return sum;
  }

  // All choices along the shorter side; for each, what the columns and pairs of columns cost, and
  // the cheapest choice of columns by their last one and their number.
  static Answer best(const Problem& problem) {
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 2;
    const bool turned = problem.M < problem.N;
    const int rows = std::min(problem.N, problem.M);
    const int columns = std::max(problem.N, problem.M);
    const int few = turned ? problem.C : problem.R;   // to choose of `rows`
    const int many = turned ? problem.R : problem.C;  // to choose of `columns`
    const auto at = [&](int row, int column) {
      return turned ? problem.matrix[column][row] : problem.matrix[row][column];
    };
    Answer best;
    std::int64_t least = kFar;
    std::vector<std::int64_t> chosen_rows;
    std::vector<std::int64_t> cell(static_cast<std::size_t>(few * columns));  // of chosen rows
    std::vector<std::int64_t> own(static_cast<std::size_t>(columns));
    std::vector<std::int64_t> cost(static_cast<std::size_t>(many * columns));
    std::vector<int> before(cost.size());
    for (unsigned set = 0; set < 1u << rows; ++set) {
      if (std::popcount(set) != few) continue;
      chosen_rows.clear();
      for (int row = 0; row < rows; ++row) {
        if ((set >> row & 1) != 0) chosen_rows.push_back(row);
      }
      for (int column = 0; column < columns; ++column) {
        own[column] = 0;
        for (int k = 0; k < few; ++k) {
          cell[column * few + k] = at(static_cast<int>(chosen_rows[k]), column);
          if (k > 0) own[column] += std::abs(cell[column * few + k] - cell[column * few + k - 1]);
        }
        cost[column] = own[column];
      }
      std::fill(cost.begin() + columns, cost.end(), kFar);
      for (int column = 1; column < columns; ++column) {
        for (int left = 0; left < column; ++left) {
          std::int64_t between = own[column];
          for (int k = 0; k < few; ++k) {
            between += std::abs(cell[column * few + k] - cell[left * few + k]);
          }
          for (int count = 1; count < std::min(many, left + 2); ++count) {
            const std::int64_t sum = cost[(count - 1) * columns + left] + between;
            if (sum >= cost[count * columns + column]) continue;
            cost[count * columns + column] = sum;
            before[count * columns + column] = left;
          }
        }
      }
      const auto last = std::min_element(cost.end() - columns, cost.end());
      if (*last >= least) continue;
      least = *last;
      std::vector<std::int64_t> chosen_columns(static_cast<std::size_t>(many));
      int column = static_cast<int>(last - (cost.end() - columns));
      for (int count = many - 1; count >= 0; --count) {
        chosen_columns[count] = column;
        column = before[count * columns + column];
      }
      best = {chosen_rows, std::move(chosen_columns)};
    }
    if (turned) std::swap(best[0], best[1]);
    return best;
  }

  static Answer best_block(const Problem& problem) {
    Answer best;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int top = 0; top + problem.R <= problem.N; ++top) {
      for (int left = 0; left + problem.C <= problem.M; ++left) {
        Answer block{ascending_order(problem.R, top), ascending_order(problem.C, left)};
        const std::int64_t sum = sum_of(problem, block);
        if (sum >= least) continue;
        least = sum;
        best = std::move(block);
      }
    }
    return best;
  }

  static Answer by_leaving_out(const Problem& problem) {
    Answer kept{ascending_order(problem.N), ascending_order(problem.M)};
    const std::array<std::ptrdiff_t, 2> wanted{problem.R, problem.C};
    while (true) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      Answer best;
      for (std::size_t side = 0; side < 2; ++side) {
        if (std::ssize(kept[side]) == wanted[side]) continue;
        for (std::size_t i = 0; i < kept[side].size(); ++i) {
          Answer fewer = kept;
          fewer[side].erase(fewer[side].begin() + static_cast<std::ptrdiff_t>(i));
          const std::int64_t sum = sum_of(problem, fewer);
          if (sum >= least) continue;
          least = sum;
          best = std::move(fewer);
        }
      }
      if (best.empty()) return kept;
      kept = std::move(best);
    }
  }
};
REDQUEEN_ENVIRONMENT(MinimumSumDifferenceSubmatrix);

}  // namespace
}  // namespace redqueen
