#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/max_flow.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct MaximumIndependentSetGrid {
  static constexpr Card card{
      .name = "MaximumIndependentSetGrid",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kMaximise,
      .task =
          "Mark cells of a grid of numbers, no two of which share a side, with the largest sum.",
      .levels =
          "The bound on rows and columns is 3, and grows by a tenth and one a level; beyond level "
          "25 the best choice would take long to find.",
      .rewards =
          "-1 malformed or of another shape, -0.5 two marked cells that share a side, else (sum / "
          "largest sum)^3.",
      .differences =
          "Sides are drawn from the upper half of their range, and small numbers are more frequent "
          "than large ones. From level 2 on, a grid is drawn again if a chessboard pattern is "
          "best, or taking the largest number that can be marked, again and again.",
      .max_level = 25,
  };

  static constexpr double kBeta = 3.0;
  static constexpr int kMaxCells = 20'000;
  static constexpr int kStrictFrom = 5;  // the bound on sides
  static constexpr int kDraws = 500;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;  // rows
    int M = 0;  // columns
    std::vector<std::vector<std::int64_t>> matrix;
    std::int64_t gold_answer = 0;  // largest sum
    REDQUEEN_FIELDS(N, M, matrix, gold_answer)
  };
  using Answer = TextGrid;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config, rng); },
        [&](const Problem& problem) {
          return config.MAX_N_M < kStrictFrom ||
                 !some_rule_is_best<MaximumIndependentSetGrid>(problem, [&](const Answer& marks) {
                   return sum_of(problem, marks) == problem.gold_answer;
                 });
        });
  }

  // Sides and numbers are uniform.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    Problem problem{.N = shape.rows,
                    .M = shape.columns,
                    .matrix = draw_matrix(shape, 1, std::max(shape.rows, shape.columns), rng),
                    .gold_answer = 0};
    problem.gold_answer = sum_of(problem, best(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxCells));
    RETURN_IF_ERROR(check_matrix("matrix", problem.matrix, shape_of(problem), 1, kMaxCells));
    return reference_is("gold_answer", problem.gold_answer, sum_of(problem, best(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {0} rows and {1} columns of numbers:\n"
        "{2}\n"
        "Mark cells such that no two marked cells share a side and the sum of the marked numbers "
        "is as large as possible.\n"
        "Answer with {0} lines of {1} digits, without separators: 1 for a marked cell, 0 for any "
        "other.",
        problem.N, problem.M, format_answer(problem.matrix));
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_text_grid(text); }

  static double score(const Problem& problem, const Answer& answer) {
    const GridShape shape = shape_of(problem);
    if (!has_shape(answer, shape) || !is_written_in(answer, "01")) return kMalformedReward;
    for (int i = 0; i < problem.N; ++i) {
      for (int j = 0; j < problem.M; ++j) {
        if (answer[i][j] == '0') continue;
        if (i > 0 && answer[i - 1][j] == '1') return kInvalidReward;
        if (j > 0 && answer[i][j - 1] == '1') return kInvalidReward;
      }
    }
    return maximise_reward(sum_of(problem, answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return best(problem); }

  // Cells in random order are marked where they can be.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    return marked_in_order(problem, rng.permutation(shape_of(problem).cells()));
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    std::vector<int> order(static_cast<std::size_t>(shape_of(problem).cells()));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater(), [&](int place) {
      return problem.matrix[place / problem.M][place % problem.M];
    });
    return visit("the largest number that can be marked, again and again",
                 marked_in_order(problem, order)) ||
           visit("every second cell, with the first one", chessboard(problem, 0)) ||
           visit("every second cell, without the first one", chessboard(problem, 1));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<MaximumIndependentSetGrid>(problem));
  }

 private:
  static GridShape shape_of(const Problem& problem) { return {problem.N, problem.M}; }

  static Problem draw(const Config& config, Rng& rng) {
    const GridShape shape = draw_shape(2, config.MAX_N_M, rng);
    const int largest = std::max(shape.rows, shape.columns);
    Problem problem{.N = shape.rows, .M = shape.columns, .matrix = {}, .gold_answer = 0};
    problem.matrix.assign(shape.rows,
                          std::vector<std::int64_t>(static_cast<std::size_t>(shape.columns)));
    for (auto& row : problem.matrix) {
      for (std::int64_t& number : row) {
        const double share = rng.real();
        number = 1 + static_cast<std::int64_t>(largest * share * share * share);
      }
    }
    problem.gold_answer = sum_of(problem, best(problem));
    return problem;
  }

  static std::int64_t sum_of(const Problem& problem, const Answer& marks) {
    std::int64_t sum = 0;
    for (int i = 0; i < problem.N; ++i) {
      for (int j = 0; j < problem.M; ++j) sum += marks[i][j] == '1' ? problem.matrix[i][j] : 0;
    }
    return sum;
  }

  static Answer unmarked(const Problem& problem) {
    return Answer(static_cast<std::size_t>(problem.N),
                  std::string(static_cast<std::size_t>(problem.M), '0'));
  }

  static Answer chessboard(const Problem& problem, int parity) {
    Answer marks = unmarked(problem);
    for (int i = 0; i < problem.N; ++i) {
      for (int j = (i + parity) % 2; j < problem.M; j += 2) marks[i][j] = '1';
    }
    return marks;
  }

  static Answer marked_in_order(const Problem& problem, const std::vector<int>& order) {
    const GridShape shape = shape_of(problem);
    Answer marks = unmarked(problem);
    for (const int place : order) {
      bool alone = true;
      shape.for_each_neighbour(
          place, [&](int other) { alone &= marks[shape.row(other)][shape.column(other)] == '0'; });
      if (alone) marks[shape.row(place)][shape.column(place)] = '1';
    }
    return marks;
  }

  // What is not marked is a cheapest set of cells with one of every two neighbours: a minimum cut
  // between the even cells and the odd ones, as on a chessboard.
  static Answer best(const Problem& problem) {
    const GridShape shape = shape_of(problem);
    const int source = shape.cells();
    const int sink = source + 1;
    FlowNetwork network(sink + 1);
    for (int place = 0; place < shape.cells(); ++place) {
      const int row = shape.row(place);
      const int column = shape.column(place);
      const std::int64_t number = problem.matrix[row][column];
      if ((row + column) % 2 == 0) {
        network.add_arc(source, place, number);
        shape.for_each_neighbour(
            place, [&](int other) { network.add_arc(place, other, FlowNetwork::kUnbounded); });
      } else {
        network.add_arc(place, sink, number);
      }
    }
    network.maximise_flow(source, sink);
    const std::vector<char> reached = network.source_side(source);
    Answer marks = unmarked(problem);
    for (int place = 0; place < shape.cells(); ++place) {
      const int row = shape.row(place);
      const int column = shape.column(place);
      if ((reached[place] != 0) == ((row + column) % 2 == 0)) marks[row][column] = '1';
    }
    return marks;
  }
};
REDQUEEN_ENVIRONMENT(MaximumIndependentSetGrid);

}  // namespace
}  // namespace redqueen
