#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/puzzle/holes.h"
#include "redqueen/gym/common/puzzle/line_sums.h"

namespace redqueen {
namespace {

struct Binario_NoAdjacencyRequirement {
  static constexpr Card card{
      .name = "Binario_NoAdjacencyRequirement",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kFeasibility,
      .task =
          "Fill the empty cells of a grid with zeros and ones such that every row and every column "
          "has as many zeros as ones.",
      .levels =
          "Half of each side is in the upper third of a bound that starts at 2 and grows by a "
          "tenth and one a level; a tenth to nine tenths of the cells are empty. Beyond level 30 "
          "grids are too large to read.",
      .rewards =
          "-1 no grid of zeros and ones of the right size, -0.5 a given cell changed, 0 a row or "
          "column out of balance, 1 right.",
      .differences =
          "Full grids come from many random exchanges between rows; those of the published "
          "environment have two different rows only. A grid that a simple rule solves is drawn "
          "again where that helps.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 30,
  };

  static constexpr char kEmpty = '*';
  static constexpr int kMaxCells = 250'000;
  static constexpr int kDraws = 20;

  struct Config {
    int MAX_N_M = 0;
    double sparsity = 0;
    REDQUEEN_FIELDS(MAX_N_M, sparsity)
  };
  struct Problem {
    int N = 0;  // half of the rows
    int M = 0;  // half of the columns
    TextGrid matrix;
    std::string reference_answer;  // the full grid
    REDQUEEN_FIELDS(N, M, matrix, reference_answer)
  };
  using Answer = TextGrid;

  static Config at_level(int level, Rng& rng) {
    return {.MAX_N_M = grow_by_tenth(2, level), .sparsity = draw_sparsity(rng)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_preferred(
        kDraws,
        [&] {
          const GridShape half = draw_large_shape(2, config.MAX_N_M, rng);
          return with_empty_cells(half, balanced_grid(half, rng), config.sparsity, rng);
        },
        [](const Problem& problem) {
          return !some_rule_solves<Binario_NoAdjacencyRequirement>(problem);
        });
  }

  // The digits of a full grid are the parity of a number of the row and one of the column; half of
  // each are odd. Sides are uniform.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape half = draw_any_shape(2, config.MAX_N_M, rng);
    const auto numbers = [&](int count) {
      std::string odd(static_cast<std::size_t>(2 * count), '0');
      std::fill_n(odd.begin(), count, '1');
      rng.shuffle(odd);
      return odd;
    };
    const std::string rows = numbers(half.rows);
    const std::string columns = numbers(half.columns);
    TextGrid full;
    for (const char row : rows) {
      std::string& cells = full.emplace_back(columns);
      for (char& cell : cells) cell = cell == row ? '0' : '1';
    }
    return with_empty_cells(half, full, config.sparsity, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxCells / 4));
    RETURN_IF_ERROR(check_text_grid("matrix", problem.matrix, shape(problem), "01*"));
    if (score(problem, parse_text_grid(problem.reference_answer)) != 1.0) {
      return failure("\"reference_answer\" does not solve \"matrix\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {0} rows and {1} columns, one row per line, with * for an empty cell:\n"
        "{2}\n"
        "Put 0 or 1 into every empty cell; the other cells stay as they are. In the end every row "
        "must have {3} zeros and {3} ones, and every column {4} zeros and {4} ones. Any solution "
        "will do.\n"
        "Answer with the whole grid: {0} lines of {1} digits, without spaces.",
        2 * problem.N, 2 * problem.M, format_answer(problem.matrix), problem.M, problem.N);
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_text_grid(text); }

  static double score(const Problem& problem, const Answer& answer) {
    if (!has_shape(answer, shape(problem)) || !is_written_in(answer, "01")) return kMalformedReward;
    if (!keeps_given(problem.matrix, kEmpty, answer)) return kInvalidReward;
    const LineSums counts = line_counts(answer);
    return exact_reward(
        std::ranges::all_of(counts.rows, [&](std::int64_t n) { return n == problem.M; }) &&
        std::ranges::all_of(counts.columns, [&](std::int64_t n) { return n == problem.N; }));
  }

  static Answer solve(const Problem& problem) { return parse_text_grid(problem.reference_answer); }

  // Balanced rows.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    return with_rows_filled(problem, [&](std::string& digits) { rng.shuffle(digits); });
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto filled = [&](char digit) {
      TextGrid grid = problem.matrix;
      fill_holes(grid, kEmpty, [=](std::size_t, std::size_t) { return digit; });
      return grid;
    };
    TextGrid checkered = problem.matrix;
    fill_holes(checkered, kEmpty, [](std::size_t row, std::size_t column) {
      return (row + column) % 2 == 0 ? '0' : '1';
    });
    return {{"zero in every empty cell", filled('0')},
            {"one in every empty cell", filled('1')},
            {"zeros and ones in turn", checkered},
            {"the missing ones of a row first", with_rows_filled(problem, [](std::string&) {})},
            {"the missing zeros of a row first",
             with_rows_filled(problem, [](std::string& digits) { std::ranges::reverse(digits); })}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem with_empty_cells(const GridShape& half, const TextGrid& full, double sparsity,
                                  Rng& rng) {
    Problem problem{
        .N = half.rows, .M = half.columns, .matrix = full, .reference_answer = format_answer(full)};
    empty_cells(problem.matrix, kEmpty, sparsity, rng);
    return problem;
  }

  static GridShape shape(const Problem& problem) {
    return {.rows = 2 * problem.N, .columns = 2 * problem.M};
  }

  // The digits that a row lacks, ones first, go to `arrange` and then into its empty cells.
  template <typename Arrange>
  static TextGrid with_rows_filled(const Problem& problem, Arrange arrange) {
    TextGrid grid = problem.matrix;
    for (std::string& row : grid) {
      const auto empty = static_cast<std::size_t>(std::ranges::count(row, kEmpty));
      const auto ones = static_cast<std::size_t>(problem.M - std::ranges::count(row, '1'));
      std::string digits = std::string(ones, '1') + std::string(empty - ones, '0');
      arrange(digits);
      auto next = digits.begin();
      for (char& cell : row) {
        if (cell == kEmpty) cell = *next++;
      }
    }
    return grid;
  }

  // Starts from rows that are all alike up to exchange of the digits. Two rows may exchange digits
  // in the columns where they differ, as long as each keeps its ones: no column changes its sum
  // (G. Strona et al., "A fast and unbiased procedure to randomize ecological binary matrices",
  // 2014).
  static TextGrid balanced_grid(const GridShape& half, Rng& rng) {
    const int rows = 2 * half.rows;
    const int columns = 2 * half.columns;
    std::string pattern = std::string(static_cast<std::size_t>(half.columns), '1') +
                          std::string(static_cast<std::size_t>(half.columns), '0');
    rng.shuffle(pattern);
    TextGrid grid;
    for (int row = 0; row < rows; ++row) {
      grid.push_back(pattern);
      for (char& digit : pattern) digit = digit == '0' ? '1' : '0';
    }
    std::vector<int> differ;
    std::string ones;  // of the first row, in the columns where they differ
    for (int exchange = 0; exchange < 2 * rows; ++exchange) {
      std::string& first = grid[exchange % rows];
      std::string& second = grid[rng.below(static_cast<std::uint64_t>(rows))];
      differ.clear();
      ones.clear();
      for (int column = 0; column < columns; ++column) {
        if (first[column] == second[column]) continue;
        differ.push_back(column);
        ones += first[column];
      }
      rng.shuffle(ones);
      for (std::size_t i = 0; i < differ.size(); ++i) {
        first[differ[i]] = ones[i];
        second[differ[i]] = ones[i] == '0' ? '1' : '0';
      }
    }
    return grid;
  }
};
REDQUEEN_ENVIRONMENT(Binario_NoAdjacencyRequirement);

}  // namespace
}  // namespace redqueen
