#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/shape.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct DoubleCrossCounting {
  static constexpr Card card{
      .name = "DoubleCrossCounting",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the crosses with two bars, the upper one shorter, that consist of ones of a 0/1 "
          "matrix.",
      .levels =
          "The bound on rows and columns is 5, and grows by a tenth and one a level; beyond level "
          "25 the zeros would be too many to read.",
      .rewards =
          "-1 malformed or negative, else (smaller / larger of answer and count)^3; 0 if just one "
          "of them is 0.",
      .differences =
          "A fiftieth to a seventh of the cells are zeros, and sides are from the upper half of "
          "their range. At level 0 a cross is possible in half of the matrices; from level 1 on "
          "there are at least two crosses.",
      .small_answer_space =
          "At level 0 there is room for one cross only. At level 2, zeros stand in the way of "
          "few crosses.",
      .guess_until_level = 2,
      .max_level = 25,
  };

  static constexpr double kBeta = 3.0;
  static constexpr int kLeastSide = 5;
  static constexpr int kMaxCells = 100'000;
  static constexpr int kMaxSide = 2'000;
  static constexpr double kFewestZeros = 0.02;
  static constexpr double kMostZeros = 0.14;
  static constexpr int kDraws = 500;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;                           // rows
    int M = 0;                           // columns
    std::vector<Edge> zero_coordinates;  // row and column
    BigInt reference_answer;
    REDQUEEN_FIELDS(N, M, zero_coordinates, reference_answer)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const bool has_crosses = config.MAX_N_M > kLeastSide || rng.chance(0.5);
    const std::int64_t least = config.MAX_N_M > kLeastSide ? 2 : 1;
    return draw_accepted(
        kDraws,
        [&] {
          const GridShape shape = draw_shape(kLeastSide, config.MAX_N_M, rng);
          const double share = rng.real(kFewestZeros, kMostZeros);
          return draw(shape, std::max(1, static_cast<int>(share * shape.cells())), rng);
        },
        [&](const Problem& problem) {
          return has_crosses ? problem.reference_answer >= least : problem.reference_answer == 0;
        });
  }

  // Sides are uniform, and up to a quarter of the cells are zeros: there are often no crosses.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(kLeastSide, config.MAX_N_M, rng);
    return draw(shape, rng.integer(1, shape.cells() / 4), rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxCells));
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxSide));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxSide));
    std::vector<char> is_zero(static_cast<std::size_t>(problem.N * problem.M));
    for (const auto& [row, column] : problem.zero_coordinates) {
      if (row < 0 || row >= problem.N || column < 0 || column >= problem.M ||
          std::exchange(is_zero[row * problem.M + column], 1) != 0) {
        return failure("\"zero_coordinates\": a cell that does not exist, or comes twice");
      }
    }
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A matrix has {0} rows, numbered 0 to {1} from top to bottom, and {2} columns, numbered 0 "
        "to {3} from left to right. Its entries are 1, but for zeros in these cells, each given by "
        "its row and its column:\n"
        "{4}\n"
        "A double cross consists of three straight lines of cells: a vertical line in some column "
        "c, and two horizontal bars, each of which reaches equally far to the left and to the "
        "right of column c. The upper bar is in row u, the lower bar in row v. The vertical line "
        "begins above row u and ends below row v, and there is at least one row between the bars: "
        "u + 2 ≤ v. The upper bar reaches at least 1 cell to each side, the lower bar reaches "
        "further than the upper bar. All cells of a double cross lie in the matrix and are ones.\n"
        "How many double crosses are there? Two are different if they do not consist of the same "
        "cells.\n"
        "Answer with one integer.",
        problem.N, problem.N - 1, problem.M, problem.M - 1, format_edges(problem.zero_coordinates));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer < 0) return kMalformedReward;
    return closeness_reward(answer, problem.reference_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(problem.reference_answer, rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Problem whole = problem;
    whole.zero_coordinates.clear();
    const BigInt all = count(whole);
    const auto share = static_cast<std::int64_t>(problem.zero_coordinates.size());
    return {{"crosses of a matrix of ones", format_answer(all)},
            {"crosses of a matrix of ones, divided by the zeros",
             format_answer(BigInt(all / std::max<std::int64_t>(share, 1)))}};
  }

 private:
  static Problem draw(const GridShape& shape, std::int64_t zeros, Rng& rng) {
    const int cells = shape.cells();
    Problem problem{
        .N = shape.rows, .M = shape.columns, .zero_coordinates = {}, .reference_answer = 0};
    for (const std::int64_t place : rng.sample(0, cells - 1, static_cast<std::size_t>(zeros))) {
      problem.zero_coordinates.emplace_back(shape.row(static_cast<int>(place)),
                                            shape.column(static_cast<int>(place)));
    }
    problem.reference_answer = count(problem);
    return problem;
  }

  // For every two cells of a column with ones between them, at least one: the ways to go on above
  // and below, times the pairs of bars.
  static BigInt count(const Problem& problem) {
    const int n = problem.N;
    const int m = problem.M;
    std::vector<char> one(static_cast<std::size_t>(n * m), 1);
    for (const auto& [row, column] : problem.zero_coordinates) one[row * m + column] = 0;
    // How far ones reach, to both sides equally.
    std::vector<int> reach(one.size());
    for (int row = 0; row < n; ++row) {
      for (int column = 0, run = 0; column < m; ++column) {
        run = one[row * m + column] != 0 ? run + 1 : 0;
        reach[row * m + column] = run - 1;
      }
      for (int column = m - 1, run = 0; column >= 0; --column) {
        int& cell = reach[row * m + column];
        run = one[row * m + column] != 0 ? run + 1 : 0;
        cell = std::min(cell, run - 1);
      }
    }
    __int128 sum = 0;
    for (int column = 0; column < m; ++column) {
      for (int top = 0; top < n;) {
        int end = top;  // of a stretch of ones
        while (end < n && one[end * m + column] != 0) ++end;
        for (int lower = top + 3; lower + 1 < end; ++lower) {
          const std::int64_t longest = reach[lower * m + column];
          std::int64_t with_upper = 0;
          for (int upper = top + 1; upper + 2 <= lower && longest > 1; ++upper) {
            const std::int64_t most =
                std::min<std::int64_t>(longest - 1, reach[upper * m + column]);
            with_upper += (upper - top) * (most * longest - most * (most + 1) / 2);
          }
          sum += static_cast<__int128>(with_upper) * (end - 1 - lower);
        }
        top = std::max(end, top + 1);
      }
    }
    return BigInt(sum);
  }
};
REDQUEEN_ENVIRONMENT(DoubleCrossCounting);

}  // namespace
}  // namespace redqueen
