#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"

namespace redqueen {
namespace {

struct QueenPlacement {
  static constexpr Card card{
      .name = "QueenPlacement",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kOther,
      .scoring = Scoring::kFeasibility,
      .task = "Put so many more queens on a chessboard that no two queens attack each other.",
      .levels = "The side of the board starts at 4 and grows by one a level.",
      .rewards =
          "-1 no board of the right size, -0.5 a given queen is missing, 0 an attack or another "
          "number of queens, 1 right.",
      .differences =
          "Half of the queens are to be found. From side 8 on, the whole board holds as many as it "
          "has rows, and a board is drawn again that is solved by taking the first or the last "
          "free cell each time, or by one of several random ways to take free cells.",
      .small_answer_space =
          "On boards of side 4 to 7, which are levels 0 to 3, one to three queens are missing, "
          "and taking free cells in any order mostly succeeds, whatever is missing. On those of "
          "side 8 and 9, levels 4 and 5, taking them at random still succeeds in one case out of "
          "four.",
      .guess_until_level = 5,
      .source =
          "n-queens completion; I. P. Gent, C. Jefferson and P. Nightingale, Complexity of "
          "n-Queens Completion, 2017, show it NP-complete.",
  };

  static constexpr int kMaxSide = 500;
  static constexpr int kFullFrom = 8;
  static constexpr int kRandomWays = 10;
  static constexpr int kDraws = 500;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<std::vector<std::string>> grid;  // "Q" or "."
    std::string reference_answer;                // a whole board
    REDQUEEN_FIELDS(N, K, grid, reference_answer)
  };
  using Answer = std::vector<std::string>;  // the rows

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    for (int draw = 0; draw < kDraws; ++draw) {
      Board whole(n);
      if (n < kFullFrom) {
        whole.take_free_cells(all_cells(n, &rng));
      } else {
        const std::vector<int> columns = peaceful_permutation(n, rng);
        for (int row = 0; row < n; ++row) whole.put(row, columns[row]);
      }
      const int missing = std::max(1, static_cast<int>(whole.queens.size()) / 2);
      rng.shuffle(whole.queens);
      Board given(n);
      for (std::size_t i = missing; i < whole.queens.size(); ++i) {
        given.put(whole.queens[i].first, whole.queens[i].second);
      }
      if (n >= kFullFrom && falls_to_free_cells(given, whole.queens.size(), rng)) continue;
      return {.N = n,
              .K = missing,
              .grid = cells_of(given.rows()),
              .reference_answer = format_answer(whole.rows())};
    }
    throw Retry();
  }

  // Free cells are taken in random order until there are none; one to half of the queens are to be
  // found again.
  static Problem published(const Config& config, Rng& rng) {
    Board whole(config.N);
    whole.take_free_cells(all_cells(config.N, &rng));
    const std::int64_t queens = std::ssize(whole.queens);
    const std::int64_t missing = rng.integer(1, std::max<std::int64_t>(1, queens / 2));
    const std::vector<std::int64_t> removed =
        rng.sample(0, queens - 1, static_cast<std::size_t>(missing));
    Answer given = whole.rows();
    for (const std::int64_t queen : removed) {
      const auto& [row, column] = whole.queens[queen];
      given[row][column] = '.';
    }
    return {.N = config.N,
            .K = static_cast<int>(missing),
            .grid = cells_of(given),
            .reference_answer = format_answer(whole.rows())};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxSide));
    const auto is_row = [&](const std::vector<std::string>& row) {
      return std::ssize(row) == problem.N && std::ranges::all_of(row, [](const std::string& cell) {
               return cell == "Q" || cell == ".";
             });
    };
    if (std::ssize(problem.grid) != problem.N || !std::ranges::all_of(problem.grid, is_row)) {
      return failure("\"grid\": expected {0} rows of {0} cells, \"Q\" or \".\"", problem.N);
    }
    if (score(problem, *parse(problem.reference_answer)) != 1.0) {
      return failure("\"reference_answer\" does not complete \"grid\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a chessboard of {0} rows and {0} columns, one row per line, with Q for a queen "
        "and . for an empty cell:\n"
        "{1}\n"
        "A queen attacks all cells of her row, of her column and of both diagonals through her "
        "cell, also beyond other queens. Put exactly {2} more queen{3} on empty cells such that no "
        "queen on the board attacks another. The queens that are there stay. Any solution will "
        "do.\n"
        "Answer with the whole board in the same form: {0} lines of {0} characters, without "
        "spaces.",
        problem.N, format_answer(given_board(problem).rows()), problem.K,
        problem.K == 1 ? "" : "s");
  }

  static std::optional<Answer> parse(std::string_view text) {
    Answer rows;
    for (const std::string_view line : split_lines(text)) rows.emplace_back(line);
    return rows;
  }

  static double score(const Problem& problem, const Answer& answer) {
    const auto side = static_cast<std::size_t>(problem.N);
    if (answer.size() != side) return kMalformedReward;
    for (const std::string& row : answer) {
      if (row.size() != side || row.find_first_not_of("Q.") != std::string::npos) {
        return kMalformedReward;
      }
    }
    Board board(problem.N);
    std::size_t given = 0;
    for (int row = 0; row < problem.N; ++row) {
      for (int column = 0; column < problem.N; ++column) {
        const bool is_given = problem.grid[row][column] == "Q";
        given += is_given;
        if (answer[row][column] != 'Q') {
          if (is_given) return kInvalidReward;
          continue;
        }
        if (!board.is_free(row, column)) return 0.0;
        board.put(row, column);
      }
    }
    return exact_reward(board.queens.size() == given + static_cast<std::size_t>(problem.K));
  }

  static Answer solve(const Problem& problem) { return *parse(problem.reference_answer); }

  // Free cells at random, as long as there are any and queens are missing.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    return completed(problem, all_cells(problem.N, &rng));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::vector<Cell> cells = all_cells(problem.N, nullptr);
    return {{"the first free cell each time", format_answer(completed(problem, cells))},
            {"the last free cell each time",
             format_answer(completed(problem, {cells.rbegin(), cells.rend()}))},
            {"the board as given", format_answer(given_board(problem).rows())}};
  }

 private:
  static std::vector<std::vector<std::string>> cells_of(const Answer& rows) {
    std::vector<std::vector<std::string>> grid;
    for (const std::string& row : rows) {
      auto& cells = grid.emplace_back();
      for (const char cell : row) cells.emplace_back(1, cell);
    }
    return grid;
  }

  using Cell = std::pair<int, int>;  // row, column

  struct Board {
    int n;
    std::vector<Cell> queens;
    std::vector<char> taken;  // rows, columns, diagonals of either direction

    explicit Board(int side) : n(side), taken(6 * static_cast<std::size_t>(side), 0) {}

    std::array<int, 4> lines(int row, int column) const {
      return {row, n + column, 2 * n + row + column, 5 * n + row - column - 1};
    }

    bool is_free(int row, int column) const {
      return std::ranges::none_of(lines(row, column), [&](int line) { return taken[line] != 0; });
    }

    void put(int row, int column) {
      for (const int line : lines(row, column)) taken[line] = 1;
      queens.emplace_back(row, column);
    }

    // In this order, up to so many queens in all.
    void take_free_cells(const std::vector<Cell>& cells,
                         std::size_t most = std::numeric_limits<std::size_t>::max()) {
      for (const auto& [row, column] : cells) {
        if (queens.size() >= most) return;
        if (is_free(row, column)) put(row, column);
      }
    }

    Answer rows() const {
      Answer text(n, std::string(n, '.'));
      for (const auto& [row, column] : queens) text[row][column] = 'Q';
      return text;
    }
  };

  // By rows, or shuffled.
  static std::vector<Cell> all_cells(int n, Rng* rng) {
    std::vector<Cell> cells;
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column < n; ++column) cells.emplace_back(row, column);
    }
    if (rng != nullptr) rng->shuffle(cells);
    return cells;
  }

  static Board given_board(const Problem& problem) {
    Board board(problem.N);
    for (int row = 0; row < problem.N; ++row) {
      for (int column = 0; column < problem.N; ++column) {
        if (problem.grid[row][column] == "Q") board.put(row, column);
      }
    }
    return board;
  }

  static Answer completed(const Problem& problem, const std::vector<Cell>& cells) {
    Board board = given_board(problem);
    board.take_free_cells(cells, board.queens.size() + static_cast<std::size_t>(problem.K));
    return board.rows();
  }

  static bool falls_to_free_cells(const Board& given, std::size_t wanted, Rng& rng) {
    std::vector<Cell> cells;
    for (const Cell& cell : all_cells(given.n, nullptr)) {
      if (given.is_free(cell.first, cell.second)) cells.push_back(cell);
    }
    for (int way = 0; way < 2 + kRandomWays; ++way) {
      if (way == 1) std::ranges::reverse(cells);
      if (way > 1) rng.shuffle(cells);
      Board board = given;
      board.take_free_cells(cells, wanted);
      if (board.queens.size() == wanted) return true;
    }
    return false;
  }

  // A column for each row such that no two queens attack each other: random exchanges of two rows
  // that leave fewer attacks (R. Sosic and J. Gu, "A polynomial time algorithm for the n-queens
  // problem", 1990).
  static std::vector<int> peaceful_permutation(int n, Rng& rng) {
    while (true) {
      std::vector<int> columns = rng.permutation(n);
      std::vector<int> on(4 * static_cast<std::size_t>(n), 0);  // queens on each diagonal
      const auto rising = [&](int row) { return row + columns[row]; };
      const auto falling = [&](int row) { return 3 * n + row - columns[row] - 1; };
      const auto add = [&](int row, int change) {  // returns the pairs gained or lost
        const int up = change > 0 ? on[rising(row)] : on[rising(row)] - 1;
        const int down = change > 0 ? on[falling(row)] : on[falling(row)] - 1;
        on[rising(row)] += change;
        on[falling(row)] += change;
        return change * (up + down);
      };
      int attacks = 0;
      for (int row = 0; row < n; ++row) attacks += add(row, 1);
      for (bool better = true; better && attacks > 0;) {
        better = false;
        for (int a = 0; a < n && attacks > 0; ++a) {
          for (int b = 0; b < a && attacks > 0; ++b) {
            if (on[rising(a)] + on[falling(a)] + on[rising(b)] + on[falling(b)] == 4) continue;
            const int lost = add(a, -1) + add(b, -1);
            std::swap(columns[a], columns[b]);
            const int change = lost + add(a, 1) + add(b, 1);
            if (change < 0) {
              attacks += change;
              better = true;
              continue;
            }
            add(a, -1);
            add(b, -1);
            std::swap(columns[a], columns[b]);
            add(a, 1);
            add(b, 1);
          }
        }
      }
      if (attacks == 0) return columns;
    }
  }
};
REDQUEEN_ENVIRONMENT(QueenPlacement);

}  // namespace
}  // namespace redqueen
