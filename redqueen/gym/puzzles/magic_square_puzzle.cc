#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/puzzle/holes.h"

namespace redqueen {
namespace {

struct MagicSquarePuzzle {
  static constexpr Card card{
      .name = "MagicSquarePuzzle",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kFeasibility,
      .task = "Fill the empty cells of a magic square.",
      .levels =
          "The side starts at 3 and grows by one a level, without 6, 10, 14 and so on; a tenth to "
          "nine tenths of the cells are empty.",
      .rewards =
          "-1 no grid of integers of the right size, -0.5 a number missing or a given cell "
          "changed, "
          "else (rows, columns and diagonals with the right sum / all)^10.",
      .differences =
          "Squares come from constructions with random choices; those of the published environment "
          "are eight views of one square for each side. Where three or more cells are empty, a "
          "square that takes the missing numbers in ascending or descending order is drawn again.",
      .source =
          "W. S. Andrews, Magic Squares and Cubes, 1908, describes the constructions: two Latin "
          "squares added for odd sides, numbers exchanged with their opposites for others.",
  };

  using Square = std::vector<std::vector<std::int64_t>>;

  static constexpr std::int64_t kEmpty = 0;
  static constexpr int kMaxSide = 200;
  static constexpr int kDraws = 20;

  struct Config {
    int N = 0;
    double sparsity = 0;
    REDQUEEN_FIELDS(N, sparsity)
  };
  struct Problem {
    int N = 0;
    Square grid;
    std::string reference_answer;  // the full square
    REDQUEEN_FIELDS(N, grid, reference_answer)
  };
  using Answer = Square;

  // Of four sides in a row, three are on the ladder.
  static Config at_level(int level, Rng& rng) {
    return {.N = 4 * (level / 3) + 3 + level % 3, .sparsity = draw_sparsity(rng)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const Square full = magic_square(config.N, rng);
    return draw_preferred(
        kDraws,
        [&] {
          Problem problem{.N = config.N, .grid = full, .reference_answer = format_answer(full)};
          empty_cells(problem.grid, kEmpty, config.sparsity, rng);
          return problem;
        },
        [](const Problem& problem) {
          return count_holes(problem.grid, kEmpty) < 3 ||
                 !some_rule_solves<MagicSquarePuzzle>(problem);
        });
  }

  // A view of the one square that the Siamese method gives for odd sides, and the exchange of
  // numbers on diagonals for multiples of 4: N² times, the square is turned or mirrored with
  // probability 1/10 each.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    if (n % 4 == 2) throw Retry();
    bool mirrored = false;
    int turns = 0;  // of a quarter, counterclockwise, after the mirror
    for (int step = 0; step < n * n; ++step) {
      const double kind = rng.real();
      if (kind < 0.1) {
        turns += static_cast<int>(rng.integer(1, 3));
      } else if (kind < 0.2) {
        mirrored = !mirrored;
        turns = -turns;
      }
    }
    Square full = n % 2 == 1 ? siamese_square(n) : square_of_fours(n);
    const auto mirror = [&] {
      for (auto& row : full) std::ranges::reverse(row);
    };
    if (mirrored) mirror();
    for (int turn = 0; turn < (turns % 4 + 4) % 4; ++turn) {
      mirror();
      transpose(full);
    }
    Problem problem{.N = n, .grid = full, .reference_answer = format_answer(full)};
    empty_cells(problem.grid, kEmpty, config.sparsity, rng);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxSide));
    const GridShape shape{.rows = problem.N, .columns = problem.N};
    RETURN_IF_ERROR(check_matrix("grid", problem.grid, shape, kEmpty, shape.cells()));
    const auto full = parse_int_matrix(problem.reference_answer);
    if (!full || score(problem, *full) != 1.0) {
      return failure("\"reference_answer\" does not solve \"grid\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a square of {0} rows and {0} columns, one row per line, with 0 for an empty "
        "cell:\n"
        "{1}\n"
        "Fill the empty cells such that the square holds each of the numbers 1 to {2} exactly once "
        "and every row, every column and both diagonals from corner to corner add up to {3}. The "
        "other cells stay as they are. Any solution will do.\n"
        "Answer with the whole square: {0} lines of {0} numbers separated by spaces.",
        problem.N, format_answer(problem.grid), problem.N * problem.N, magic_sum(problem.N));
  }

  static double score(const Problem& problem, const Answer& answer) {
    const int n = problem.N;
    if (!has_shape(answer, {.rows = n, .columns = n})) return kMalformedReward;
    if (!holds_each_once(answer, 1) || !keeps_given(problem.grid, kEmpty, answer)) {
      return kInvalidReward;
    }
    return share_reward(right_lines(answer), 2 * n + 2);
  }

  static Answer solve(const Problem& problem) {
    return *parse_int_matrix(problem.reference_answer);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return filled_at_random(problem.grid, kEmpty, 1, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return missing_number_rules(problem.grid, kEmpty, 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto shortcuts = as_shortcuts(rules(problem));
    shortcuts.push_back({"opposite cells add up to N^2 + 1, else ascending",
                         format_answer(opposites_filled(problem))});
    return shortcuts;
  }

 private:
  // Numbers run up and to the right, and step down where the next cell is taken.
  static Square siamese_square(int n) {
    Square square = empty_square(n);
    int row = 0;
    int column = n / 2;
    for (std::int64_t number = 1; number <= n * n; ++number) {
      square[row][column] = number;
      const int up = (row + n - 1) % n;
      const int right = (column + 1) % n;
      if (square[up][right] == kEmpty) {
        row = up;
        column = right;
      } else {
        row = (row + 1) % n;
      }
    }
    return square;
  }

  // Of a multiple of 4: numbers in order; those on the diagonals of blocks of 4 run backwards.
  static Square square_of_fours(int n) {
    Square square = empty_square(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const std::int64_t number = i * n + j + 1;
        const bool on_diagonal = i % 4 == j % 4 || i % 4 + j % 4 == 3;
        square[i][j] = on_diagonal ? n * n + 1 - number : number;
      }
    }
    return square;
  }

  static std::int64_t magic_sum(std::int64_t n) { return n * (n * n + 1) / 2; }

  static std::int64_t right_lines(const Square& square) {
    const auto n = static_cast<int>(square.size());
    std::int64_t right = 0;
    std::int64_t falling = 0;
    std::int64_t rising = 0;
    for (int i = 0; i < n; ++i) {
      std::int64_t row = 0;
      std::int64_t column = 0;
      for (int j = 0; j < n; ++j) {
        row += square[i][j];
        column += square[j][i];
      }
      right += (row == magic_sum(n)) + (column == magic_sum(n));
      falling += square[i][i];
      rising += square[i][n - 1 - i];
    }
    return right + (falling == magic_sum(n)) + (rising == magic_sum(n));
  }

  static Square opposites_filled(const Problem& problem) {
    Square grid = problem.grid;
    const int n = problem.N;
    std::vector<std::int64_t> missing = missing_numbers(grid, 1);
    fill_holes(grid, kEmpty, [&](std::size_t row, std::size_t column) {
      const std::int64_t opposite = problem.grid[n - 1 - row][n - 1 - column];
      const auto place = std::ranges::find(missing, std::int64_t{n} * n + 1 - opposite);
      if (opposite == kEmpty || place == missing.end()) return kEmpty;
      const std::int64_t number = *place;
      missing.erase(place);
      return number;
    });
    return filled_in_order(grid, kEmpty, missing);
  }

  static Square magic_square(int n, Rng& rng) {
    Square square = n % 2 == 1 ? odd_square(n, rng) : even_square(n, rng);
    permute_symmetrically(square, rng);
    if (n == 4) permute_freely(square, rng);
    exchange_equal_pairs(square, rng);
    if (rng.chance(0.5)) transpose(square);
    if (rng.chance(0.5)) std::ranges::reverse(square);
    return square;
  }

  // n p(i + j) + q(i − j) + 1, with permutations p and q: the diagonals along which i + j or i − j
  // does not change hold the mean of all numbers.
  static Square odd_square(int n, Rng& rng) {
    const auto numbers = [&](int constant_at) {
      std::vector<int> order = rng.permutation(n);
      std::swap(order[constant_at], *std::ranges::find(order, (n - 1) / 2));
      return order;
    };
    const std::vector<int> p = numbers(n - 1);
    const std::vector<int> q = numbers(0);
    Square square = empty_square(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) square[i][j] = n * p[(i + j) % n] + q[(i - j + n) % n] + 1;
    }
    return square;
  }

  // n p(i) + q(j) + 1 with p(n − 1 − i) = n − 1 − p(i), q likewise, and in half of the cells of
  // every row and column, which lie symmetrically, the number that completes it to n² + 1.
  static Square even_square(int n, Rng& rng) {
    const std::vector<int> p = symmetric_permutation(n, rng);
    const std::vector<int> q = symmetric_permutation(n, rng);
    const int half = n / 2;
    const std::vector<int> row_order = rng.permutation(half);
    const std::vector<int> column_order = rng.permutation(half);
    Square square = empty_square(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const int place = row_order[std::min(i, n - 1 - i)] + column_order[std::min(j, n - 1 - j)];
        const std::int64_t number = n * p[i] + q[j] + 1;
        square[i][j] = place % half < half / 2 ? n * n + 1 - number : number;
      }
    }
    return square;
  }

  static Square empty_square(int n) {
    return Square(static_cast<std::size_t>(n),
                  std::vector<std::int64_t>(static_cast<std::size_t>(n)));
  }

  static std::vector<int> symmetric_permutation(int n, Rng& rng) {
    const std::vector<int> half = rng.permutation(n / 2);
    std::vector<int> order(static_cast<std::size_t>(n), n / 2);  // the middle of an odd n stays
    for (int i = 0; i < n / 2; ++i) {
      const bool mirrored = rng.chance(0.5);
      order[i] = mirrored ? n - 1 - half[i] : half[i];
      order[n - 1 - i] = n - 1 - order[i];
    }
    return order;
  }

  static Square permuted(const Square& square, const std::vector<int>& rows,
                         const std::vector<int>& columns) {
    Square other = square;
    for (std::size_t i = 0; i < square.size(); ++i) {
      for (std::size_t j = 0; j < square.size(); ++j) other[i][j] = square[rows[i]][columns[j]];
    }
    return other;
  }

  // Rows and columns alike: cells of a diagonal stay on one.
  static void permute_symmetrically(Square& square, Rng& rng) {
    const std::vector<int> order = symmetric_permutation(static_cast<int>(square.size()), rng);
    square = permuted(square, order, order);
  }

  // Rows and columns at random, if the diagonals come out right.
  static void permute_freely(Square& square, Rng& rng) {
    constexpr int kTries = 30;
    const auto n = static_cast<int>(square.size());
    for (int i = 0; i < kTries; ++i) {
      Square other = permuted(square, rng.permutation(n), rng.permutation(n));
      if (right_lines(other) != 2 * n + 2) continue;
      square = std::move(other);
      return;
    }
  }

  // Two rows exchange their cells in two columns where both have the same sum; no line changes
  // what it adds up to, if the cells are on no diagonal.
  static void exchange_equal_pairs(Square& square, Rng& rng) {
    const auto n = static_cast<int>(square.size());
    const auto draw = [&] { return static_cast<int>(rng.below(static_cast<std::uint64_t>(n))); };
    for (int i = 0; i < n * n; ++i) {
      const int a = draw();
      const int b = draw();
      const int c = draw();
      const int d = draw();
      const auto on_diagonal = [&](int row, int column) {
        return row == column || row + column == n - 1;
      };
      if (a == b || c == d || on_diagonal(a, c) || on_diagonal(a, d) || on_diagonal(b, c) ||
          on_diagonal(b, d) || square[a][c] + square[a][d] != square[b][c] + square[b][d]) {
        continue;
      }
      std::swap(square[a][c], square[b][c]);
      std::swap(square[a][d], square[b][d]);
    }
  }

  static void transpose(Square& square) {
    for (std::size_t i = 0; i < square.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) std::swap(square[i][j], square[j][i]);
    }
  }
};
REDQUEEN_ENVIRONMENT(MagicSquarePuzzle);

}  // namespace
}  // namespace redqueen
