#include <algorithm>
#include <optional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct GridParityConstruction {
  static constexpr Card card{
      .name = "GridParityConstruction",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kFeasibility,
      .task =
          "Find a 0/1 grid in which every cell and its neighbours have a given parity of their "
          "sum.",
      .levels =
          "The bound on rows and columns starts at 3 and grows by one a level, up to 60 at level "
          "57.",
      .rewards = "-1 malformed or of another shape, else (cells with the asked parity / cells)^5.",
      .differences =
          "Sides are drawn from the upper half of their range, and 0.3 to 0.7 of the hidden cells "
          "are ones. From level 1 on, a grid is drawn again that is solved by equal cells, by the "
          "parities themselves or by their opposites.",
      .source =
          "Lights Out: M. Anderson and T. Feil, Turning Lights Out with Linear Algebra, "
          "Mathematics Magazine 71, 1998",
      .max_level = 57,
  };

  static constexpr double kBeta = 5.0;
  static constexpr double kFewestOnes = 0.3;
  static constexpr double kMostOnes = 0.7;
  static constexpr int kMaxSide = 120;
  static constexpr int kStrictFrom = 4;  // the bound on sides
  static constexpr int kDraws = 200;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;                             // rows
    int M = 0;                             // columns
    std::vector<std::vector<int>> parity;  // N rows of M cells
    REDQUEEN_FIELDS(N, M, parity)
  };
  using Answer = TextGrid;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] {
          const GridShape shape = draw_shape(2, config.MAX_N_M, rng);
          return draw(shape, rng.real(kFewestOnes, kMostOnes), rng);
        },
        [&](const Problem& problem) {
          return config.MAX_N_M < kStrictFrom || !some_rule_solves<GridParityConstruction>(problem);
        });
  }

  // Sides are uniform, and any share of the hidden cells are ones.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    return draw(shape, rng.real(), rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxSide));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxSide));
    RETURN_IF_ERROR(check_matrix("parity", problem.parity, {problem.N, problem.M}, 0, 1));
    if (!solution(problem)) return failure("\"parity\": no grid has these parities");
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A grid of {0} rows and {1} columns holds a 0 or a 1 in each cell. The parity of a cell is "
        "1 if there is an odd number of ones among the cell itself and the cells that share a side "
        "with it, else 0. These are the parities of all cells:\n"
        "{2}\n"
        "Find a grid that has these parities. There is at least one.\n"
        "Answer with the grid: {0} lines of {1} digits 0 or 1, without separators.",
        problem.N, problem.M, format_digits(problem.parity));
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_text_grid(text); }

  static double score(const Problem& problem, const Answer& answer) {
    const GridShape shape{problem.N, problem.M};
    if (!has_shape(answer, shape) || !is_written_in(answer, "01")) return kMalformedReward;
    std::int64_t matches = 0;
    for (int row = 0; row < problem.N; ++row) {
      for (int column = 0; column < problem.M; ++column) {
        matches += parity_at(answer, row, column) == problem.parity[row][column];
      }
    }
    return share_reward(matches, shape.cells(), kBeta);
  }

  static Answer solve(const Problem& problem) { return *solution(problem); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return draw_text_grid({problem.N, problem.M}, "01", rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::string row(static_cast<std::size_t>(problem.M), '0');
    const Answer zeros(static_cast<std::size_t>(problem.N), row);
    Answer same = zeros;
    Answer opposite = zeros;
    for (int i = 0; i < problem.N; ++i) {
      for (int j = 0; j < problem.M; ++j) {
        same[i][j] = digit(problem.parity[i][j] == 1);
        opposite[i][j] = digit(problem.parity[i][j] == 0);
      }
    }
    const Answer ones(zeros.size(), std::string(row.size(), '1'));
    return {{"zeros", zeros},
            {"ones", ones},
            {"the parities", std::move(same)},
            {"the opposites of the parities", std::move(opposite)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static char digit(bool one) { return one ? '1' : '0'; }

  static int parity_at(const Answer& grid, int row, int column) {
    const int rows = static_cast<int>(grid.size());
    const int columns = static_cast<int>(grid[row].size());
    int sum = grid[row][column] - '0';
    if (row > 0) sum += grid[row - 1][column] - '0';
    if (row + 1 < rows) sum += grid[row + 1][column] - '0';
    if (column > 0) sum += grid[row][column - 1] - '0';
    if (column + 1 < columns) sum += grid[row][column + 1] - '0';
    return sum % 2;
  }

  static Problem draw(const GridShape& shape, double ones, Rng& rng) {
    Answer grid(static_cast<std::size_t>(shape.rows),
                std::string(static_cast<std::size_t>(shape.columns), '0'));
    for (std::string& row : grid) {
      for (char& cell : row) cell = digit(rng.chance(ones));
    }
    Problem problem{.N = shape.rows, .M = shape.columns, .parity = {}};
    problem.parity.assign(shape.rows, std::vector<int>(static_cast<std::size_t>(shape.columns)));
    for (int i = 0; i < shape.rows; ++i) {
      for (int j = 0; j < shape.columns; ++j) problem.parity[i][j] = parity_at(grid, i, j);
    }
    return problem;
  }

  // Sums modulo 2 of unknowns and of a constant: bit k stands for cell k of the first row, the
  // highest bit for 1.
  using Sum = unsigned __int128;
  static constexpr int kConstant = 127;
  static bool bit(Sum sum, int place) { return (sum >> place & 1) != 0; }

  // The first row decides all others, one after another: the parity of a cell gives the cell below.
  // What would come below the last row must be 0, which is a system of equations in the first row.
  static std::optional<Answer> solution(const Problem& problem) {
    std::vector<std::vector<Sum>> sums(static_cast<std::size_t>(problem.N + 1),
                                       std::vector<Sum>(static_cast<std::size_t>(problem.M)));
    for (int j = 0; j < problem.M; ++j) sums[0][j] = Sum{1} << j;
    for (int i = 0; i < problem.N; ++i) {
      for (int j = 0; j < problem.M; ++j) {
        Sum below = sums[i][j] ^ (static_cast<Sum>(problem.parity[i][j]) << kConstant);
        if (i > 0) below ^= sums[i - 1][j];
        if (j > 0) below ^= sums[i][j - 1];
        if (j + 1 < problem.M) below ^= sums[i][j + 1];
        sums[i + 1][j] = below;
      }
    }
    const auto first = zero_of(sums.back(), problem.M);
    if (!first) return std::nullopt;
    Answer grid;
    for (int i = 0; i < problem.N; ++i) {
      std::string& row = grid.emplace_back();
      for (int j = 0; j < problem.M; ++j) row += digit(is_odd(sums[i][j] & *first));
    }
    return grid;
  }

  static bool is_odd(Sum sum) {
    return (__builtin_parityll(static_cast<std::uint64_t>(sum)) ^
            __builtin_parityll(static_cast<std::uint64_t>(sum >> 64))) != 0;
  }

  // Unknowns, with the highest bit set, for which all sums are even.
  static std::optional<Sum> zero_of(std::vector<Sum> sums, int unknowns) {
    std::size_t solved = 0;
    std::vector<int> leading;  // unknown of each of the first sums, which no other sum contains
    for (int unknown = 0; unknown < unknowns && solved < sums.size(); ++unknown) {
      const auto found = std::find_if(sums.begin() + static_cast<std::ptrdiff_t>(solved),
                                      sums.end(), [&](Sum sum) { return bit(sum, unknown); });
      if (found == sums.end()) continue;
      std::swap(*found, sums[solved]);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        if (i != solved && bit(sums[i], unknown)) sums[i] ^= sums[solved];
      }
      leading.push_back(unknown);
      ++solved;
    }
    Sum values = Sum{1} << kConstant;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (!bit(sums[i], kConstant)) continue;
      if (i >= solved) return std::nullopt;
      values |= Sum{1} << leading[i];
    }
    return values;
  }
};
REDQUEEN_ENVIRONMENT(GridParityConstruction);

}  // namespace
}  // namespace redqueen
