#include <algorithm>
#include <array>
#include <cstdlib>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/matrix_sums.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct MaxThreeSquareSum {
  static constexpr Card card{
      .name = "MaxThreeSquareSum",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Place three squares of a given size on a grid of numbers, without overlap, such that "
          "they cover the largest sum.",
      .levels =
          "The bound on rows and columns is 4, and grows by a tenth and one a level; beyond level "
          "29 the grid would be too large to read.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Sides are drawn from the upper half of their range, and so is the size of the squares "
          "below half of the shorter side. From level 1 on, a grid is drawn again if it is best to "
          "take the best square that fits, three times, or to leave out a corner.",
      .source = "Digging for Oil, Asia-Pacific Informatics Olympiad 2009",
      .max_level = 29,
  };

  static constexpr int kStrictFrom = 5;  // the bound on sides
  static constexpr int kDraws = 300;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;  // rows
    int M = 0;  // columns
    int K = 0;  // side of the squares
    std::vector<std::vector<std::int64_t>> A;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, M, K, A, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] {
          const GridShape shape = draw_shape(4, config.MAX_N_M, rng);
          const int largest = std::min(shape.rows, shape.columns) / 2;
          const auto side = static_cast<int>(draw_upper_half(2, largest, rng));
          return draw(shape, side, config.MAX_N_M, rng);
        },
        [&](const Problem& problem) {
          return config.MAX_N_M < kStrictFrom || !some_rule_solves<MaxThreeSquareSum>(problem);
        });
  }

  // Sides are uniform, and so is that of the squares up to half of the shorter one.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(4, config.MAX_N_M, rng);
    const auto side = static_cast<int>(rng.integer(2, std::min(shape.rows, shape.columns) / 2));
    return draw(shape, side, config.MAX_N_M, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 2, kMaxShownNumbers));
    RETURN_IF_ERROR(within("K", problem.K, 1, std::min(problem.N, problem.M) / 2));
    RETURN_IF_ERROR(check_matrix("A", problem.A, {problem.N, problem.M}, 0, kMaxShownNumbers));
    return reference_is("reference_answer", problem.reference_answer,
                        Squares(problem).best_three());
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {0} rows and {1} columns of numbers:\n"
        "{2}\n"
        "Place three squares on the grid, each of {3} consecutive rows and {3} consecutive "
        "columns, such that no cell belongs to two of them. What is the largest possible sum of "
        "the numbers in the cells of the three squares?\n"
        "Answer with one integer.",
        problem.N, problem.M, format_answer(problem.A), problem.K);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  // Near the right one.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(problem.reference_answer / 2, 2 * problem.reference_answer);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const Squares squares(problem);
    return {{"the best square that fits, three times", squares.greedy()},
            {"three of the four squares in the corners", squares.corners()}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem draw(const GridShape& shape, int side, int largest_number, Rng& rng) {
    Problem problem{.N = shape.rows,
                    .M = shape.columns,
                    .K = side,
                    .A = draw_matrix(shape, 0, largest_number, rng),
                    .reference_answer = 0};
    problem.reference_answer = Squares(problem).best_three();
    return problem;
  }

  // The squares by their upper left cells, which are in rows 0 … rows − 1, columns 0 … columns − 1.
  class Squares {
   public:
    explicit Squares(const Problem& problem)
        : k_(problem.K), rows_(problem.N - k_ + 1), columns_(problem.M - k_ + 1) {
      const MatrixSums sums(problem.A);
      sums_.resize(static_cast<std::size_t>(rows_ * columns_));
      for (int i = 0; i < rows_; ++i) {
        for (int j = 0; j < columns_; ++j) sums_[place(i, j)] = sums.sum(i, j, i + k_, j + k_);
      }
    }

    // Of any three squares one can be cut off by a straight line along a side, and the other two
    // from each other.
    std::int64_t best_three() const {
      const Corner upper_left = corner(false, false);
      const Corner upper_right = corner(false, true);
      const Corner lower_left = corner(true, false);
      const Corner lower_right = corner(true, true);
      std::vector<std::int64_t> of_row(static_cast<std::size_t>(rows_));
      std::vector<std::int64_t> of_column(static_cast<std::size_t>(columns_));
      for (int i = 0; i < rows_; ++i) {
        for (int j = 0; j < columns_; ++j) {
          of_row[i] = std::max(of_row[i], sums_[place(i, j)]);
          of_column[j] = std::max(of_column[j], sums_[place(i, j)]);
        }
      }
      const int right = columns_ - 1;
      const int low = rows_ - 1;
      std::int64_t best = 0;
      for (int i = k_; i + k_ < rows_; ++i) {
        best = std::max(
            best, upper_left[place(i - k_, right)] + of_row[i] + lower_left[place(i + k_, right)]);
      }
      for (int j = k_; j + k_ < columns_; ++j) {
        best = std::max(
            best, upper_left[place(low, j - k_)] + of_column[j] + upper_right[place(low, j + k_)]);
      }
      // Row i and column j are the last before the cuts.
      for (int i = 0; i < rows_; ++i) {
        for (int j = 0; j < columns_; ++j) {
          const bool below = i + k_ < rows_;
          const bool beside = j + k_ < columns_;
          if (!below || !beside) continue;
          const std::int64_t a = upper_left[place(i, j)];
          const std::int64_t b = upper_right[place(i, j + k_)];
          const std::int64_t c = lower_left[place(i + k_, j)];
          const std::int64_t d = lower_right[place(i + k_, j + k_)];
          best = std::max(
              {best, a + b + lower_left[place(i + k_, right)], c + d + upper_left[place(i, right)],
               a + c + upper_right[place(low, j + k_)], b + d + upper_left[place(low, j)]});
        }
      }
      return best;
    }

    // 0 if no third one fits.
    std::int64_t greedy() const {
      std::vector<std::array<int, 2>> taken;
      std::int64_t sum = 0;
      for (int square = 0; square < 3; ++square) {
        std::int64_t best = -1;
        std::array<int, 2> where{};
        for (int i = 0; i < rows_; ++i) {
          for (int j = 0; j < columns_; ++j) {
            const bool free = std::ranges::all_of(taken, [&](const auto& other) {
              return std::abs(other[0] - i) >= k_ || std::abs(other[1] - j) >= k_;
            });
            if (!free || sums_[place(i, j)] <= best) continue;
            best = sums_[place(i, j)];
            where = {i, j};
          }
        }
        if (best < 0) return 0;
        sum += best;
        taken.push_back(where);
      }
      return sum;
    }

    std::int64_t corners() const {
      const std::array<std::int64_t, 4> all{sums_.front(), sums_[place(0, columns_ - 1)],
                                            sums_[place(rows_ - 1, 0)], sums_.back()};
      return all[0] + all[1] + all[2] + all[3] - std::ranges::min(all);
    }

   private:
    using Corner = std::vector<std::int64_t>;  // by place: the best square from there to a corner

    int place(int row, int column) const { return row * columns_ + column; }

    Corner corner(bool lower, bool right) const {
      Corner best = sums_;
      for (int a = 0; a < rows_; ++a) {
        const int i = lower ? rows_ - 1 - a : a;
        for (int b = 0; b < columns_; ++b) {
          const int j = right ? columns_ - 1 - b : b;
          std::int64_t& here = best[place(i, j)];
          if (a > 0) here = std::max(here, best[place(lower ? i + 1 : i - 1, j)]);
          if (b > 0) here = std::max(here, best[place(i, right ? j + 1 : j - 1)]);
        }
      }
      return best;
    }

    int k_;
    int rows_;
    int columns_;
    std::vector<std::int64_t> sums_;
  };
};
REDQUEEN_ENVIRONMENT(MaxThreeSquareSum);

}  // namespace
}  // namespace redqueen
