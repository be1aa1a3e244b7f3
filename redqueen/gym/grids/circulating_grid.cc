#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct CirculatingGrid {
  static constexpr Card card{
      .name = "CirculatingGrid",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kMinimise,
      .task =
          "Turn as few arrows as possible on a grid without borders, such that following the "
          "arrows leads from every cell back to it.",
      .levels =
          "The bound on rows and columns starts at 3 and grows by one a level; beyond level 40 the "
          "fewest changes would take long to find.",
      .rewards =
          "-1 malformed or of another shape, -0.5 a cell to which one does not come back, else "
          "(fewest changes / changes)^5.",
      .differences =
          "Sides are drawn from the upper half of their range, at least one arrow has to be turned "
          "and, from level 2 on, it is not best to make rows or columns go round in their more "
          "frequent direction.",
      .source = "Circulating Grid (循环格), TJOI 2013",
      .max_level = 40,
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::string_view kLetters = "LRUD";
  static constexpr int kMaxCells = 2'500;
  static constexpr int kStrictFrom = 5;  // the bound on sides
  static constexpr int kDraws = 300;

  struct Config {
    int MAX_R_C = 0;
    REDQUEEN_FIELDS(MAX_R_C)
  };
  struct Problem {
    int R = 0;  // rows
    int C = 0;  // columns
    CellGrid grid;
    std::int64_t gold_answer = 0;  // fewest changes
    REDQUEEN_FIELDS(R, C, grid, gold_answer)
  };
  using Answer = TextGrid;

  static Config at_level(int level, Rng&) { return {.MAX_R_C = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config, rng); },
        [&](const Problem& problem) {
          if (problem.gold_answer == 0) return false;
          return config.MAX_R_C < kStrictFrom || !some_rule_solves<CirculatingGrid>(problem);
        });
  }

  // Sides are uniform, and so are the weights of the directions, from 1 to the number of cells.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_R_C, rng);
    std::array<double, 4> weights{};
    for (double& weight : weights) weight = static_cast<double>(rng.integer(1, shape.cells()));
    return with_arrows(shape, weights, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("R", problem.R, "C", problem.C, 2, kMaxCells));
    RETURN_IF_ERROR(check_cell_grid("grid", problem.grid, {problem.R, problem.C}, kLetters));
    return reference_is("gold_answer", problem.gold_answer, changes(problem, best(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {0} rows and {1} columns of letters:\n"
        "{2}\n"
        "Each letter leads from its cell to a neighbour: L to the cell on the left, R to the cell "
        "on the right, U to the cell above, D to the cell below. The grid has no borders: from the "
        "first column, L leads to the last column of the same row, and R from there to the first; "
        "from the first row, U leads to the last row of the same column, and D from there to the "
        "first.\n"
        "Change as few letters as possible, to others of L, R, U and D, such that the following "
        "holds for every cell: who starts there and follows the letters from cell to cell comes "
        "back to it after one or more moves.\n"
        "Answer with the grid after the changes: {0} lines of {1} letters, without separators.",
        problem.R, problem.C, format_answer(to_text_grid(problem.grid)));
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_text_grid(text); }

  static double score(const Problem& problem, const Answer& answer) {
    const GridShape shape{problem.R, problem.C};
    if (!has_shape(answer, shape) || !is_written_in(answer, kLetters)) return kMalformedReward;
    // One comes back to every cell just if no two cells lead to the same.
    std::vector<char> reached(static_cast<std::size_t>(shape.cells()));
    for (int place = 0; place < shape.cells(); ++place) {
      const char letter = answer[shape.row(place)][shape.column(place)];
      if (std::exchange(reached[target(shape, place, letter)], 1) != 0) return kInvalidReward;
    }
    return minimise_reward(changes(problem, answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return best(problem); }

  // Every row goes round, to one side or the other; or every column does.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    const bool by_rows = rng.chance(0.5);
    Answer answer = to_text_grid(problem.grid);
    std::string turns;
    for (int i = 0; i < std::max(problem.R, problem.C); ++i) {
      turns += by_rows ? kLetters[rng.below(2)] : kLetters[2 + rng.below(2)];
    }
    for (int i = 0; i < problem.R; ++i) {
      for (int j = 0; j < problem.C; ++j) answer[i][j] = turns[by_rows ? i : j];
    }
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto direction = [](int first, int second, std::string_view letters) {
      return first >= second ? letters[0] : letters[1];
    };
    Answer rows = to_text_grid(problem.grid);
    for (std::string& row : rows) {
      const auto left = static_cast<int>(std::ranges::count(row, 'L'));
      const auto right = static_cast<int>(std::ranges::count(row, 'R'));
      std::ranges::fill(row, direction(left, right, "LR"));
    }
    Answer columns = to_text_grid(problem.grid);
    for (int j = 0; j < problem.C; ++j) {
      int up = 0;
      int down = 0;
      for (const auto& row : problem.grid) {
        up += row[j] == "U" ? 1 : 0;
        down += row[j] == "D" ? 1 : 0;
      }
      for (std::string& row : columns) row[j] = direction(up, down, "UD");
    }
    return {{"each row in its more frequent direction", std::move(rows)},
            {"each column in its more frequent direction", std::move(columns)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"no change", format_answer(to_text_grid(problem.grid))});
    return named;
  }

 private:
  static Problem draw(const Config& config, Rng& rng) {
    const GridShape shape = draw_shape(2, config.MAX_R_C, rng);
    std::array<double, 4> weights{};
    for (double& weight : weights) weight = rng.real(0.25, 1.0);
    return with_arrows(shape, weights, rng);
  }

  static Problem with_arrows(const GridShape& shape, const std::array<double, 4>& weights,
                             Rng& rng) {
    Problem problem{.R = shape.rows, .C = shape.columns, .grid = {}, .gold_answer = 0};
    problem.grid.resize(static_cast<std::size_t>(shape.rows));
    for (auto& row : problem.grid) {
      row.reserve(static_cast<std::size_t>(shape.columns));
      for (int j = 0; j < shape.columns; ++j) row.emplace_back(1, kLetters[rng.weighted(weights)]);
    }
    problem.gold_answer = changes(problem, best(problem));
    return problem;
  }

  static int target(const GridShape& shape, int place, char letter) {
    const int row = shape.row(place);
    const int column = shape.column(place);
    switch (letter) {
      case 'L':
        return shape.place(row, (column + shape.columns - 1) % shape.columns);
      case 'R':
        return shape.place(row, (column + 1) % shape.columns);
      case 'U':
        return shape.place((row + shape.rows - 1) % shape.rows, column);
      default:
        return shape.place((row + 1) % shape.rows, column);
    }
  }

  static std::int64_t changes(const Problem& problem, const Answer& answer) {
    std::int64_t count = 0;
    for (int i = 0; i < problem.R; ++i) {
      for (int j = 0; j < problem.C; ++j) count += answer[i][j] != problem.grid[i][j][0];
    }
    return count;
  }

  static Answer best(const Problem& problem) {
    const GridShape shape{problem.R, problem.C};
    Assignment assignment(shape.cells());
    for (int place = 0; place < shape.cells(); ++place) {
      const char now = problem.grid[shape.row(place)][shape.column(place)][0];
      for (std::size_t k = 0; k < kLetters.size(); ++k) {
        assignment.arcs[place][k] = {target(shape, place, kLetters[k]), kLetters[k] == now ? 0 : 1};
      }
    }
    assignment.complete();
    Answer answer = to_text_grid(problem.grid);
    for (int place = 0; place < shape.cells(); ++place) {
      answer[shape.row(place)][shape.column(place)] = kLetters[assignment.chosen[place]];
    }
    return answer;
  }

  // A cheapest assignment of the cells to the cells they lead to: a flow along shortest paths, with
  // costs reduced by potentials, and all paths of one length in a phase.
  struct Assignment {
    struct Arc {
      int to;
      int cost;
    };
    static constexpr int kFar = std::numeric_limits<int>::max();

    std::vector<std::array<Arc, 4>> arcs;  // of a cell
    std::vector<int> chosen;               // its arc; −1: none
    std::vector<int> owner;                // who leads to a cell; −1: nobody
    std::vector<int> here;  // potential of a cell that leads, and of one that is led to
    std::vector<int> there;
    std::vector<char> seen;  // of cells that are led to, in a phase

    explicit Assignment(int cells)
        : arcs(static_cast<std::size_t>(cells)),
          chosen(arcs.size(), -1),
          owner(arcs.size(), -1),
          here(arcs.size()),
          there(arcs.size()),
          seen(arcs.size()) {}

    int reduced(int cell, const Arc& arc) const { return arc.cost + here[cell] - there[arc.to]; }

    void complete() {
      while (true) {
        std::ranges::fill(seen, 0);
        bool whole = true;
        for (int cell = 0; cell < static_cast<int>(arcs.size()); ++cell) {
          if (chosen[cell] < 0) whole &= extend(cell);
        }
        if (whole) return;
        raise();
      }
    }

    // Along arcs of reduced cost 0.
    bool extend(int cell) {
      for (int k = 0; k < 4; ++k) {
        const Arc& arc = arcs[cell][k];
        if (seen[arc.to] != 0 || reduced(cell, arc) != 0) continue;
        seen[arc.to] = 1;
        if (owner[arc.to] >= 0 && !extend(owner[arc.to])) continue;
        owner[arc.to] = cell;
        chosen[cell] = k;
        return true;
      }
      return false;
    }

    // Adds to the potentials the distances from the cells without an arc, up to that of the nearest
    // cell without an owner.
    void raise() {
      std::vector<int> distance(arcs.size(), kFar);     // of cells that are led to
      std::vector<int> distance_of(arcs.size(), kFar);  // of cells that lead
      std::vector<std::vector<int>> by_distance(1);
      int nearest = kFar;
      for (int cell = 0; cell < static_cast<int>(arcs.size()); ++cell) {
        if (chosen[cell] >= 0) continue;
        distance_of[cell] = 0;
        by_distance[0].push_back(cell);
      }
      for (int far = 0; far < static_cast<int>(by_distance.size()) && far < nearest; ++far) {
        for (std::size_t next = 0; next < by_distance[far].size(); ++next) {
          const int cell = by_distance[far][next];
          if (distance_of[cell] < far) continue;
          for (const Arc& arc : arcs[cell]) {
            const int sum = far + reduced(cell, arc);
            if (sum >= distance[arc.to]) continue;
            distance[arc.to] = sum;
            const int other = owner[arc.to];
            if (other < 0) {
              nearest = std::min(nearest, sum);
              continue;
            }
            distance_of[other] = sum;
            if (sum >= static_cast<int>(by_distance.size())) {
              by_distance.resize(static_cast<std::size_t>(sum) + 1);
            }
            by_distance[sum].push_back(other);
          }
        }
      }
      for (std::size_t i = 0; i < arcs.size(); ++i) {
        here[i] += std::min(distance_of[i], nearest);
        there[i] += std::min(distance[i], nearest);
      }
    }
  };
};
REDQUEEN_ENVIRONMENT(CirculatingGrid);

}  // namespace
}  // namespace redqueen
