#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/puzzle/holes.h"

namespace redqueen {
namespace {

struct Numbrix {
  static constexpr Card card{
      .name = "Numbrix",
      .published = true,
      .family = Family::kPuzzles,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kFeasibility,
      .task =
          "Fill the empty cells of a grid such that consecutive numbers lie side by side: a path "
          "through all cells.",
      .levels =
          "Both sides are in the upper third of a bound that starts at 3 and grows by one a level; "
          "two tenths to nine tenths of the cells are empty.",
      .rewards =
          "-1 no grid of integers of the right size, -0.5 a number missing or a given cell "
          "changed, "
          "else (1 / parts into which the path falls)^3.",
      .differences =
          "Paths come from random changes of a winding one, which never fail. At least two "
          "tenths of the cells are empty. Where these are three or more, a grid that a simple rule "
          "fills is drawn again where that helps.",
      .source =
          "The puzzle is by M. vos Savant, Parade, 2008. The changes are those of R. Oberdorf, A. "
          "Ferguson, J. L. Jacobsen and J. Kondev, Secondary structures in long compact polymers, "
          "Physical Review E 74 (2006).",
  };

  static constexpr std::int64_t kEmpty = -1;
  static constexpr int kMaxCells = 40'000;
  static constexpr int kDraws = 60;
  static constexpr int kLeastTenths = 2;  // of the cells are empty
  static constexpr int kChangesPerCell = 5;
  static constexpr double kBeta = 3.0;

  struct Config {
    int MAX_N_M = 0;
    double sparsity = 0;
    REDQUEEN_FIELDS(MAX_N_M, sparsity)
  };
  using Answer = std::vector<std::vector<std::int64_t>>;
  struct Problem {
    int N = 0;
    int M = 0;
    Answer matrix;
    std::string reference_answer;  // the full grid
    REDQUEEN_FIELDS(N, M, matrix, reference_answer)
  };

  static Config at_level(int level, Rng& rng) {
    return {.MAX_N_M = 3 + level, .sparsity = draw_sparsity(rng, kLeastTenths)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const GridShape shape = draw_large_shape(2, config.MAX_N_M, rng);
    Answer full(static_cast<std::size_t>(shape.rows),
                std::vector<std::int64_t>(static_cast<std::size_t>(shape.columns)));
    std::int64_t number = 0;
    for (const int place : random_path(shape, rng)) {
      full[shape.row(place)][shape.column(place)] = number++;
    }
    return draw_preferred(
        kDraws,
        [&] {
          Problem problem{.N = shape.rows,
                          .M = shape.columns,
                          .matrix = full,
                          .reference_answer = format_answer(full)};
          empty_cells(problem.matrix, kEmpty, config.sparsity, rng);
          return problem;
        },
        [](const Problem& problem) {
          return count_holes(problem.matrix, kEmpty) < 3 || !some_rule_solves<Numbrix>(problem);
        });
  }

  static Config published_level(int level, Rng& rng) {
    return {.MAX_N_M = 3 + level, .sparsity = draw_sparsity(rng)};
  }

  // Sides are uniform. A path goes on from a random cell to the neighbour with the fewest free
  // neighbours, if what is left stays connected, with backtracking. A search that takes long is
  // given up, and another size drawn.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    PathSearch search(shape);
    while (!search.find(static_cast<int>(rng.below(shape.cells())), rng)) {
    }
    Problem problem{.N = shape.rows,
                    .M = shape.columns,
                    .matrix = search.numbers,
                    .reference_answer = format_answer(search.numbers)};
    empty_cells(problem.matrix, kEmpty, config.sparsity, rng);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxCells));
    const GridShape shape = shape_of(problem);
    RETURN_IF_ERROR(check_matrix("matrix", problem.matrix, shape, kEmpty, shape.cells() - 1));
    const auto full = parse_int_matrix(problem.reference_answer);
    if (!full || score(problem, *full) != 1.0) {
      return failure("\"reference_answer\" does not solve \"matrix\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {0} rows and {1} columns, one row per line, with -1 for an empty cell:\n"
        "{2}\n"
        "Fill the empty cells such that the grid holds each of the numbers 0 to {3} exactly once "
        "and the cells of any two consecutive numbers, such as 0 and 1, share a side. The other "
        "cells stay as they are. Any solution will do.\n"
        "Answer with the whole grid: {0} lines of {1} numbers separated by spaces.",
        problem.N, problem.M, format_answer(problem.matrix), problem.N * problem.M - 1);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!has_shape(answer, shape_of(problem))) return kMalformedReward;
    if (!holds_each_once(answer, 0) || !keeps_given(problem.matrix, kEmpty, answer)) {
      return kInvalidReward;
    }
    const GridShape shape = shape_of(problem);
    std::int64_t parts = shape.cells();
    for (int place = 0; place < shape.cells(); ++place) {
      const auto at = [&](int cell) { return answer[shape.row(cell)][shape.column(cell)]; };
      shape.for_each_neighbour(place, [&](int other) { parts -= at(other) == at(place) + 1; });
    }
    return minimise_reward<std::int64_t>(parts, 1, kBeta);
  }

  static Answer solve(const Problem& problem) {
    return *parse_int_matrix(problem.reference_answer);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return filled_at_random(problem.matrix, kEmpty, 0, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    auto rules = missing_number_rules(problem.matrix, kEmpty, 0);
    rules.push_back(
        {"the missing numbers beside their predecessors, if there is room", chained(problem)});
    return rules;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static constexpr std::int64_t kMaxVisits = 3'000'000;  // of cells by a PathSearch

  // Of paths through all cells, in the manner of Warnsdorff.
  struct PathSearch {
    explicit PathSearch(const GridShape& grid)
        : shape(grid),
          numbers(static_cast<std::size_t>(grid.rows),
                  std::vector<std::int64_t>(static_cast<std::size_t>(grid.columns), kEmpty)),
          seen(static_cast<std::size_t>(grid.cells()), 0) {}

    // Whether there is one from `start`; then `numbers` holds it, else nothing. Throws Retry where
    // all calls together take long.
    bool find(int start, Rng& rng) {
      number(start) = 0;
      if (extend(1, start, rng)) return true;
      number(start) = kEmpty;
      return false;
    }

    std::int64_t& number(int place) { return numbers[shape.row(place)][shape.column(place)]; }
    bool is_free(int place) const {
      return numbers[shape.row(place)][shape.column(place)] == kEmpty;
    }

    int free_neighbours(int place) const {
      int count = 0;
      shape.for_each_neighbour(place, [&](int other) { count += is_free(other) ? 1 : 0; });
      return count;
    }

    bool extend(int next, int place, Rng& rng) {
      if (next == shape.cells()) return true;
      std::array<std::pair<int, int>, 4> choices;  // free neighbours, place
      std::size_t count = 0;
      shape.for_each_neighbour(place, [&](int other) {
        if (is_free(other)) choices[count++] = {0, other};
      });
      std::span open(choices.data(), count);
      rng.shuffle(open);
      for (auto& [free, other] : open) free = free_neighbours(other);
      std::ranges::stable_sort(open, {}, [](const auto& choice) { return choice.first; });
      for (const auto& choice : open) {
        if (visits > kMaxVisits) throw Retry();
        number(choice.second) = next;
        if (free_cells_are_connected(shape.cells() - next - 1) &&
            extend(next + 1, choice.second, rng)) {
          return true;
        }
        number(choice.second) = kEmpty;
      }
      return false;
    }

    bool free_cells_are_connected(int count) {
      if (count == 0) return true;
      int start = 0;
      while (!is_free(start)) ++start;
      std::ranges::fill(seen, 0);
      queue.assign(1, start);
      seen[start] = 1;
      for (std::size_t i = 0; i < queue.size(); ++i) {
        shape.for_each_neighbour(queue[i], [&](int other) {
          if (seen[other] != 0 || !is_free(other)) return;
          seen[other] = 1;
          queue.push_back(other);
        });
      }
      visits += std::ssize(queue);
      return std::ssize(queue) == count;
    }

    GridShape shape;
    Answer numbers;
    std::vector<char> seen;  // by place; of free_cells_are_connected()
    std::vector<int> queue;
    std::int64_t visits = 0;
  };

  static GridShape shape_of(const Problem& problem) {
    return {.rows = problem.N, .columns = problem.M};
  }

  // Places in the order of their numbers. One end joins a neighbour; the path opens before it, so
  // that there is a new end.
  static std::vector<int> random_path(const GridShape& shape, Rng& rng) {
    std::vector<int> path;
    for (int row = 0; row < shape.rows; ++row) {
      for (int i = 0; i < shape.columns; ++i) {
        path.push_back(shape.place(row, row % 2 == 0 ? i : shape.columns - 1 - i));
      }
    }
    const int cells = shape.cells();
    std::vector<int> at(path.size());  // by place
    for (int i = 0; i < cells; ++i) at[path[i]] = i;
    const auto reverse = [&](int first, int last) {  // last is included
      for (; first < last; ++first, --last) {
        std::swap(path[first], path[last]);
        at[path[first]] = first;
        at[path[last]] = last;
      }
    };
    for (int change = 0; change < kChangesPerCell * cells; ++change) {
      const bool at_front = rng.chance(0.5);
      std::size_t count = 0;
      std::array<int, 4> neighbours{};
      shape.for_each_neighbour(at_front ? path.front() : path.back(),
                               [&](int other) { neighbours[count++] = other; });
      const int joined = at[neighbours[rng.below(count)]];
      if (at_front) {
        reverse(0, joined - 1);
      } else {
        reverse(joined + 1, cells - 1);
      }
    }
    return path;
  }

  // Each missing number, ascending, goes to the first empty cell beside the number before it, else
  // to the first empty cell.
  static Answer chained(const Problem& problem) {
    Answer grid = problem.matrix;
    const GridShape shape = shape_of(problem);
    std::vector<int> place_of(static_cast<std::size_t>(shape.cells()), -1);
    std::vector<int> empty;
    for (int place = 0; place < shape.cells(); ++place) {
      const std::int64_t number = grid[shape.row(place)][shape.column(place)];
      if (number == kEmpty) {
        empty.push_back(place);
      } else {
        place_of[number] = place;
      }
    }
    for (const std::int64_t number : missing_numbers(problem.matrix, 0)) {
      int chosen = -1;
      if (number > 0) {
        shape.for_each_neighbour(place_of[number - 1], [&](int other) {
          if (chosen < 0 && grid[shape.row(other)][shape.column(other)] == kEmpty) chosen = other;
        });
      }
      for (std::size_t i = 0; chosen < 0; ++i) {
        if (grid[shape.row(empty[i])][shape.column(empty[i])] == kEmpty) chosen = empty[i];
      }
      grid[shape.row(chosen)][shape.column(chosen)] = number;
      place_of[number] = chosen;
    }
    return grid;
  }
};
REDQUEEN_ENVIRONMENT(Numbrix);

}  // namespace
}  // namespace redqueen
