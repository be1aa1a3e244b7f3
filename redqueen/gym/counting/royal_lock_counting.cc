#include <algorithm>
#include <bit>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct RoyalLockCounting : StoredCount<0> {
  static constexpr Card card{
      .name = "RoyalLockCounting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the ways to place a given number of kings that do not attack each other on a "
          "square chessboard, some of whose squares are closed.",
      .levels =
          "The board is 3 × 3 and a row and a column larger each level. Beyond level 11 the "
          "reference solution would take too long.",
      .rewards =
          "-1 malformed or negative, else (smaller / larger of answer and count)^10, which is 1 "
          "only if right.",
      .differences =
          "No king may stand on some squares, as many as the board has rows at most: board and "
          "number of kings alone make only a few problems at each level. There are two kings at "
          "least. Only the exact count is solved.",
      .small_answer_space = "Two kings fit on 3 × 3 squares, level 0, in 16 ways at most.",
      .guess_until_level = 0,
      .source = "Without conflict (互不侵犯), SCOI 2005",
      .max_level = 11,
  };

  static constexpr int kMaxSide = 15;  // counts then stay below 2^127, those of half a board 2^63
  static constexpr int kDraws = 50;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::optional<std::vector<std::pair<int, int>>> closed;  // row, column, from 1; none if absent
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, K, closed, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int squares = config.N * config.N;
    Problem problem{.N = config.N};
    problem.K = static_cast<int>(rng.integer(2, std::max(2, squares / 4)));
    const auto closed = static_cast<std::size_t>(rng.integer(1, config.N));
    std::vector<std::int64_t> places = rng.sample(0, squares - 1, closed);
    std::ranges::sort(places);
    auto& list = problem.closed.emplace();
    for (const std::int64_t place : places) {
      list.emplace_back(static_cast<int>(place / config.N) + 1,
                        static_cast<int>(place % config.N) + 1);
    }
    problem.reference_answer = count(problem);
    if (problem.reference_answer < 2) throw Retry();
    return problem;
  }

  // No square is closed.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N};
    problem.K = static_cast<int>(rng.integer(1, std::max(1, config.N * config.N / 4)));
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxSide));
    RETURN_IF_ERROR(within("K", problem.K, 0, problem.N * problem.N));
    if (problem.closed) {
      std::vector<std::uint32_t> rows(static_cast<std::size_t>(problem.N));
      for (const auto& [row, column] : *problem.closed) {
        RETURN_IF_ERROR(within("closed", row, 1, problem.N));
        RETURN_IF_ERROR(within("closed", column, 1, problem.N));
        const std::uint32_t bit = std::uint32_t{1} << column;
        if ((rows[row - 1] & bit) != 0) {
          return failure("\"closed\": ({}, {}) occurs twice", row, column);
        }
        rows[row - 1] |= bit;
      }
    }
    if (problem.reference_answer != count(problem)) {
      return failure("\"reference_answer\": it is not the right answer to this problem{}",
                     problem.closed ? "" : ", in which no squares are \"closed\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string squares;
    if (problem.closed && !problem.closed->empty()) {
      squares = "No king may stand on these squares (row, column), counted from 1:";
      for (const auto& [row, column] : *problem.closed) {
        append_format(squares, " ({}, {})", row, column);
      }
      squares += "\n";
    }
    return fmt::format(
        "In how many ways can {1} kings be placed on a chessboard of {0} rows and {0} columns, at "
        "most one on a square, so that no two of them stand on squares that share a side or a "
        "corner?\n"
        "{2}"
        "The kings cannot be told apart. Placements that become the same by turning or reflecting "
        "the board are counted separately.\n"
        "Answer with one integer, the exact number.",
        problem.N, problem.K, squares);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto closed = problem.closed ? std::ssize(*problem.closed) : 0;
    BigInt apart = 1;  // as if each king closed nine squares for the next
    BigInt any = 1;
    for (std::int64_t k = 0; k < problem.K; ++k) {
      const std::int64_t open = problem.N * problem.N - closed;
      apart = apart * std::max<std::int64_t>(1, open - 9 * k) / (k + 1);
      any = any * std::max<std::int64_t>(1, open - k) / (k + 1);
    }
    return {{"any open squares", format_answer(any)},
            {"as if each king took nine squares from the next", format_answer(apart)}};
  }

 private:
  // A line between the squares that were looked at and the rest: bit x < N tells whether the last
  // square looked at in column x has a king, bit N the one diagonally before the next square.
  using Line = std::uint32_t;

  // What the next square does to a line.
  struct Step {
    int without;  // place of the line after it among those of the next column
    int with;     // the same with a king on it; −1 if a neighbour has one
  };

  // The lines that can be before each column of a row, and the steps between them. Those before
  // column 0 are the rows without two neighbouring kings, ascending.
  struct Lines {
    std::vector<Line> rows;
    std::vector<std::vector<Step>> steps;  // by column
  };

  static Lines lines_of(int n) {
    Lines lines;
    for (Line row = 0; row < Line{1} << n; ++row) {
      if ((row & row >> 1) == 0) lines.rows.push_back(row);
    }
    std::vector<Line> current = lines.rows;
    std::vector<int> place(std::size_t{1} << (n + 1), -1);
    for (int column = 0; column < n; ++column) {
      std::vector<Line> next;
      std::vector<Step> steps;
      if (column == n - 1) {  // back to the rows
        next = lines.rows;
        for (std::size_t i = 0; i < next.size(); ++i) place[next[i]] = static_cast<int>(i);
      }
      const auto place_of = [&](Line line) {
        if (place[line] < 0) {
          place[line] = static_cast<int>(next.size());
          next.push_back(line);
        }
        return place[line];
      };
      const Line here = Line{1} << column;
      const Line corner = Line{1} << n;
      const Line beside = (here >> 1) | here | (column + 1 < n ? here << 1 : 0) | corner;
      for (const Line line : current) {
        Line after = line & ~(here | corner);
        if ((line & here) != 0 && column + 1 < n) after |= corner;
        steps.push_back({place_of(after), (line & beside) == 0 ? place_of(after | here) : -1});
      }
      for (const Line line : next) place[line] = -1;
      lines.steps.push_back(std::move(steps));
      current = std::move(next);
    }
    return lines;
  }

  // Entry line · width + k: the placements of k kings in `closed.size()` rows, the last of which is
  // that line. closed[r] holds the closed columns of row r. Entries of more kings are left out.
  static std::vector<std::uint64_t> placements(const Lines& lines, const std::vector<Line>& closed,
                                               std::size_t width) {
    std::vector<std::uint64_t> counts(lines.rows.size() * width);
    counts[0] = 1;
    std::size_t rows = 0;
    for (const Line shut : closed) {
      // A king in every second row and column at most.
      const std::size_t most = (rows++ / 2 + 1) * ((lines.steps.size() + 1) / 2);
      const std::size_t used = std::min(width, most + 1);
      for (std::size_t column = 0; column < lines.steps.size(); ++column) {
        const std::vector<Step>& steps = lines.steps[column];
        const bool is_last = column + 1 == lines.steps.size();
        const std::size_t after = is_last ? lines.rows.size() : lines.steps[column + 1].size();
        std::vector<std::uint64_t> next(after * width);
        for (std::size_t line = 0; line < steps.size(); ++line) {
          const std::uint64_t* from = &counts[line * width];
          std::uint64_t* without = &next[steps[line].without * width];
          for (std::size_t k = 0; k < used; ++k) without[k] += from[k];
          if (steps[line].with < 0 || (shut >> column & 1) != 0) continue;
          std::uint64_t* with = &next[steps[line].with * width];
          for (std::size_t k = 0; k + 1 < used; ++k) with[k + 1] += from[k];
        }
        counts = std::move(next);
      }
    }
    return counts;
  }

  // Two halves that share a middle row, each counted from its edge of the board.
  static BigInt count(const Problem& problem) {
    const int n = problem.N;
    const Lines lines = lines_of(n);
    std::vector<Line> closed(static_cast<std::size_t>(n));
    if (problem.closed) {
      for (const auto& [row, column] : *problem.closed) closed[row - 1] |= Line{1} << (column - 1);
    }
    const int middle = n / 2;
    const int side = (n + 1) / 2;
    const int most = std::min(problem.K, (middle + 2) / 2 * side);  // kings in a half
    const auto width = static_cast<std::size_t>(most) + 1;
    const auto upper = placements(lines, {closed.begin(), closed.begin() + middle + 1}, width);
    const auto lower = placements(lines, {closed.rbegin(), closed.rbegin() + (n - middle)}, width);
    Int128 sum = 0;
    for (std::size_t line = 0; line < lines.rows.size(); ++line) {
      const int shared = std::popcount(lines.rows[line]);
      for (int k = shared; k <= most; ++k) {
        const int rest = problem.K - k + shared;
        if (rest < shared || rest > most) continue;
        sum += static_cast<Int128>(upper[line * width + k]) * lower[line * width + rest];
      }
    }
    return BigInt(sum);
  }
};
REDQUEEN_ENVIRONMENT(RoyalLockCounting);

}  // namespace
}  // namespace redqueen
