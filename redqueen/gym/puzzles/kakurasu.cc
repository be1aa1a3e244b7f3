#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/puzzle/holes.h"
#include "redqueen/gym/common/puzzle/line_sums.h"

namespace redqueen {
namespace {

struct Kakurasu {
  static constexpr Card card{
      .name = "Kakurasu",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kOther,
      .scoring = Scoring::kFeasibility,
      .task =
          "Mark cells of a grid such that the column numbers of the marked cells of each row, and "
          "the row numbers of those of each column, have given sums.",
      .levels =
          "Both sides are in the upper third of a bound that starts at 3 and grows by one a level.",
      .rewards =
          "-1 no grid of zeros and ones of the right size, else (rows and columns with the right "
          "sum / all)^10.",
      .differences =
          "Three to seven tenths of the cells are marked, and a grid that a simple rule solves is "
          "drawn again.",
      .slow_reason = SlowReason::kStricter,
  };

  static constexpr int kMaxCells = 40'000;
  static constexpr int kDraws = 20;
  static constexpr double kLeastShare = 0.3;
  static constexpr double kMostShare = 0.7;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;                    // rows
    int M = 0;                    // columns
    std::vector<std::int64_t> A;  // sums of column numbers, by row
    std::vector<std::int64_t> B;  // sums of row numbers, by column
    std::string reference_answer;
    REDQUEEN_FIELDS(N, M, A, B, reference_answer)
  };
  using Answer = TextGrid;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_preferred(
        kDraws,
        [&] {
          const GridShape shape = draw_large_shape(2, config.MAX_N_M, rng);
          return draw(shape, rng.real(kLeastShare, kMostShare), rng);
        },
        [](const Problem& problem) { return !some_rule_solves<Kakurasu>(problem); });
  }

  // Sides are uniform, and a tenth to nine tenths of the cells are marked.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    return draw(shape, rng.real(0.1, 0.9), rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxCells));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 0, triangle(problem.M)));
    RETURN_IF_ERROR(check_numbers("B", problem.B, problem.M, 0, triangle(problem.N)));
    if (score(problem, parse_text_grid(problem.reference_answer)) != 1.0) {
      return failure("\"reference_answer\" does not solve the puzzle");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Write 0 or 1 into every cell of a grid of {0} rows and {1} columns. Rows are numbered 1 "
        "to {0} from top to bottom, columns 1 to {1} from left to right.\n"
        "In each row, the column numbers of the cells with a 1 are to add up to a given sum; from "
        "top to bottom the sums are\n"
        "{2}\n"
        "In each column, the row numbers of the cells with a 1 are to add up to a given sum; from "
        "left to right the sums are\n"
        "{3}\n"
        "The sum of no cells is 0. Any solution will do.\n"
        "Answer with the grid: {0} lines of {1} digits, without spaces.",
        problem.N, problem.M, format_answer(problem.A), format_answer(problem.B));
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_text_grid(text); }

  static double score(const Problem& problem, const Answer& answer) {
    const GridShape shape{.rows = problem.N, .columns = problem.M};
    if (!has_shape(answer, shape) || !is_written_in(answer, "01")) return kMalformedReward;
    const LineSums wanted{.rows = problem.A, .columns = problem.B};
    return share_reward(sums_of(answer).matches(wanted), wanted.lines());
  }

  static Answer solve(const Problem& problem) { return parse_text_grid(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return draw_text_grid({.rows = problem.N, .columns = problem.M}, "01", rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"all zeros", filled(problem, '0')},
            {"all ones", filled(problem, '1')},
            {"each row by itself, large numbers first", greedy_rows(problem, false)},
            {"large numbers first where row and column have room", greedy_rows(problem, true)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static std::int64_t triangle(std::int64_t n) { return n * (n + 1) / 2; }

  static LineSums sums_of(const TextGrid& grid) {
    return line_sums(grid, [](std::size_t place) { return static_cast<std::int64_t>(place) + 1; });
  }

  static Problem draw(const GridShape& shape, double share, Rng& rng) {
    TextGrid grid(static_cast<std::size_t>(shape.rows));
    for (std::string& row : grid) {
      for (int column = 0; column < shape.columns; ++column) row += rng.chance(share) ? '1' : '0';
    }
    LineSums sums = sums_of(grid);
    return {.N = shape.rows,
            .M = shape.columns,
            .A = std::move(sums.rows),
            .B = std::move(sums.columns),
            .reference_answer = format_answer(grid)};
  }

  static TextGrid filled(const Problem& problem, char digit) {
    return TextGrid(static_cast<std::size_t>(problem.N),
                    std::string(static_cast<std::size_t>(problem.M), digit));
  }

  // From the last cell to the first, a one wherever it does not pass the sum of its row, nor, if
  // asked, that of its column.
  static TextGrid greedy_rows(const Problem& problem, bool mind_columns) {
    TextGrid grid = filled(problem, '0');
    std::vector<std::int64_t> below = problem.B;
    for (int row = problem.N - 1; row >= 0; --row) {
      std::int64_t left = problem.A[row];
      for (int column = problem.M - 1; column >= 0; --column) {
        if (column + 1 > left || (mind_columns && row + 1 > below[column])) continue;
        grid[row][column] = '1';
        left -= column + 1;
        below[column] -= row + 1;
      }
    }
    return grid;
  }
};
REDQUEEN_ENVIRONMENT(Kakurasu);

}  // namespace
}  // namespace redqueen
