#include <algorithm>
#include <array>
#include <optional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/bipartite_matching.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct MaxNoConflictingBombs {
  static constexpr Card card{
      .name = "MaxNoConflictingBombs",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kMaximise,
      .task =
          "Place as many bombs as possible on a grid, such that hard walls separate any two in a "
          "row or a column.",
      .levels =
          "The bound on rows and columns is 3, and grows by a tenth and one a level; beyond level "
          "30 the grid would be too large to read.",
      .rewards =
          "-1 malformed or of another shape, -0.5 a cell changed that must not be, or two bombs "
          "that see each other, else (bombs / most bombs)^3.",
      .differences =
          "Sides are drawn from the upper half of their range. A tenth to three tenths of the "
          "cells are hard walls, a fifth to a half take no bomb, and at least one bomb is "
          "possible. From level 2 on, a grid is drawn again if it is best to place bombs wherever "
          "they can be, by rows or by columns, forwards or backwards.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 30,
  };

  static constexpr double kBeta = 3.0;
  static constexpr double kFewestWalls = 0.1;
  static constexpr double kMostWalls = 0.3;
  static constexpr double kFewestOthers = 0.2;  // cells that take no bomb
  static constexpr double kMostOthers = 0.5;
  static constexpr int kStrictFrom = 5;  // the bound on sides
  static constexpr int kDraws = 500;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;  // rows
    int M = 0;  // columns
    CellGrid grid;
    std::int64_t gold_answer = 0;  // most bombs
    REDQUEEN_FIELDS(N, M, grid, gold_answer)
  };
  using Answer = TextGrid;

  static Config at_level(int level, Rng&) { return {.MAX_N_M = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config, rng); },
        [&](Problem& problem) {
          const Stretches stretches(problem);
          if (config.MAX_N_M < kStrictFrom) {
            problem.gold_answer = matching_of(problem, stretches).size();
            return problem.gold_answer > 0;
          }
          // A rule that leaves no stretch without a bomb that could take one spares the matching.
          const std::int64_t bound = most_bombs(problem, stretches);
          std::int64_t by_rules = 0;
          if (try_orders(problem, stretches, [&](std::string_view, const std::vector<int>& places) {
                by_rules = std::max(by_rules, std::ssize(places));
                return by_rules == bound;
              })) {
            return false;
          }
          problem.gold_answer = matching_of(problem, stretches).size();
          return problem.gold_answer > by_rules;
        });
  }

  // Sides are uniform, and so are the weights of the three kinds of cells, from 1 to the number of
  // cells. There may be no bomb.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    constexpr std::string_view kKinds = "#x*";
    std::array<double, kKinds.size()> weights{};
    for (double& weight : weights) weight = static_cast<double>(rng.integer(1, shape.cells()));
    Problem problem{.N = shape.rows, .M = shape.columns, .grid = {}, .gold_answer = 0};
    problem.grid.resize(static_cast<std::size_t>(shape.rows));
    for (auto& row : problem.grid) {
      row.reserve(static_cast<std::size_t>(shape.columns));
      for (int i = 0; i < shape.columns; ++i) row.emplace_back(1, kKinds[rng.weighted(weights)]);
    }
    problem.gold_answer = matching_of(problem, Stretches(problem)).size();
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_cell_grid("grid", problem.grid, {problem.N, problem.M}, "#x*"));
    return reference_is("gold_answer", problem.gold_answer, bombs(best(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a grid of {0} rows and {1} columns:\n"
        "{2}\n"
        "You may place bombs on cells with a *, by replacing the * by a B. Between any two bombs "
        "in the same row, and between any two bombs in the same column, there must be at least one "
        "cell with a #; other cells do not separate bombs. Place as many bombs as possible.\n"
        "Answer with the whole grid, with the bombs: {0} lines of {1} characters, without "
        "separators.",
        problem.N, problem.M, format_answer(to_text_grid(problem.grid)));
  }

  static std::optional<Answer> parse(std::string_view text) { return parse_text_grid(text); }

  static double score(const Problem& problem, const Answer& answer) {
    if (!has_shape(answer, {problem.N, problem.M})) return kMalformedReward;
    std::vector<char> bomb_above(static_cast<std::size_t>(problem.M));
    for (int i = 0; i < problem.N; ++i) {
      bool bomb_before = false;
      for (int j = 0; j < problem.M; ++j) {
        const char cell = answer[i][j];
        const char was = problem.grid[i][j][0];
        if (cell != was && !(cell == 'B' && was == '*')) return kInvalidReward;
        if (cell == 'B') {
          if (bomb_before || bomb_above[j] != 0) return kInvalidReward;
          bomb_before = true;
          bomb_above[j] = 1;
        } else if (cell == '#') {
          bomb_before = false;
          bomb_above[j] = 0;
        }
      }
    }
    return maximise_reward(bombs(answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return best(problem); }

  // Half of the cells, in random order, take a bomb if they can.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<int> order = rng.permutation(problem.N * problem.M);
    order.resize(order.size() / 2);
    return with_bombs(problem, Stretches(problem).placed(order));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<SimpleRule<Answer>> rules;
    try_orders(problem, Stretches(problem),
               [&](std::string_view rule, const std::vector<int>& places) {
                 rules.push_back({rule, with_bombs(problem, places)});
                 return false;
               });
    return rules;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"no bombs", format_answer(to_text_grid(problem.grid))});
    return named;
  }

 private:
  struct Stretches;

  // Without its best answer.
  static Problem draw(const Config& config, Rng& rng) {
    const GridShape shape = draw_shape(2, config.MAX_N_M, rng);
    const double walls = rng.real(kFewestWalls, kMostWalls);
    const double others = rng.real(kFewestOthers, kMostOthers);
    Problem problem{.N = shape.rows, .M = shape.columns, .grid = {}, .gold_answer = 0};
    problem.grid.resize(static_cast<std::size_t>(shape.rows));
    for (auto& row : problem.grid) {
      row.reserve(static_cast<std::size_t>(shape.columns));
      for (int i = 0; i < shape.columns; ++i) {
        const double kind = rng.real();
        row.emplace_back(1, kind < walls ? '#' : kind < walls + others ? 'x' : '*');
      }
    }
    return problem;
  }

  // Calls visit(rule, places of the bombs) for one rule after another until it returns true;
  // whether it did.
  template <typename Visit>
  static bool try_orders(const Problem& problem, const Stretches& stretches, Visit visit) {
    const int cells = problem.N * problem.M;
    std::vector<int> order(static_cast<std::size_t>(cells));
    for (int i = 0; i < cells; ++i) order[i] = i;
    if (visit("a bomb wherever it can be, by rows", stretches.placed(order))) return true;
    std::ranges::reverse(order);
    if (visit("the same, by rows from the end", stretches.placed(order))) return true;
    for (int i = 0; i < cells; ++i) order[i] = i % problem.N * problem.M + i / problem.N;
    if (visit("a bomb wherever it can be, by columns", stretches.placed(order))) return true;
    std::ranges::reverse(order);
    return visit("the same, by columns from the end", stretches.placed(order));
  }

  static std::int64_t bombs(const Answer& grid) {
    std::int64_t count = 0;
    for (const std::string& row : grid) count += std::ranges::count(row, 'B');
    return count;
  }

  // The stretches of rows, and those of columns, that no wall divides: of each cell their numbers.
  struct Stretches {
    const Problem& problem;
    std::vector<std::array<int, 2>> of;  // by place
    std::array<int, 2> count{};

    explicit Stretches(const Problem& grid)
        : problem(grid), of(static_cast<std::size_t>(problem.N * problem.M)) {
      const auto is_wall = [&](int i, int j) { return problem.grid[i][j][0] == '#'; };
      for (int i = 0; i < problem.N; ++i) {
        for (int j = 0; j < problem.M; ++j) {
          if (j == 0 || is_wall(i, j)) ++count[0];
          of[i * problem.M + j][0] = count[0] - 1;
        }
      }
      for (int j = 0; j < problem.M; ++j) {
        for (int i = 0; i < problem.N; ++i) {
          if (i == 0 || is_wall(i, j)) ++count[1];
          of[i * problem.M + j][1] = count[1] - 1;
        }
      }
    }

    // The places that take a bomb if each in this order does that can.
    std::vector<int> placed(const std::vector<int>& order) const {
      std::array<std::vector<char>, 2> taken;
      for (int kind = 0; kind < 2; ++kind) {
        taken[kind].resize(static_cast<std::size_t>(count[kind]));
      }
      std::vector<int> places;
      for (const int place : order) {
        const auto [across, down] = of[place];
        if (!takes_bomb(problem, place) || taken[0][across] != 0 || taken[1][down] != 0) continue;
        taken[0][across] = 1;
        taken[1][down] = 1;
        places.push_back(place);
      }
      return places;
    }
  };

  // The stretches of rows, or those of columns, that can take a bomb, whichever are fewer.
  static std::int64_t most_bombs(const Problem& problem, const Stretches& stretches) {
    std::array<std::vector<char>, 2> takes;
    for (int kind = 0; kind < 2; ++kind) {
      takes[kind].resize(static_cast<std::size_t>(stretches.count[kind]));
    }
    for (int place = 0; place < problem.N * problem.M; ++place) {
      if (!takes_bomb(problem, place)) continue;
      for (int kind = 0; kind < 2; ++kind) takes[kind][stretches.of[place][kind]] = 1;
    }
    return std::min(std::ranges::count(takes[0], 1), std::ranges::count(takes[1], 1));
  }

  // A bomb takes up a stretch of a row and one of a column: bombs are a matching of these.
  static BipartiteMatching matching_of(const Problem& problem, const Stretches& stretches) {
    std::vector<std::vector<int>> columns_of(static_cast<std::size_t>(stretches.count[0]));
    for (int place = 0; place < problem.N * problem.M; ++place) {
      if (!takes_bomb(problem, place)) continue;
      const auto [across, down] = stretches.of[place];
      columns_of[across].push_back(down);
    }
    return {columns_of, stretches.count[1]};
  }

  static Answer best(const Problem& problem) {
    const Stretches stretches(problem);
    const BipartiteMatching matching = matching_of(problem, stretches);
    std::vector<int> places;
    for (int place = 0; place < problem.N * problem.M; ++place) {
      const auto [across, down] = stretches.of[place];
      if (takes_bomb(problem, place) && matching.partners()[across] == down) {
        places.push_back(place);
      }
    }
    return with_bombs(problem, places);
  }

  static bool takes_bomb(const Problem& problem, int place) {
    return problem.grid[place / problem.M][place % problem.M][0] == '*';
  }

  static Answer with_bombs(const Problem& problem, const std::vector<int>& places) {
    Answer grid = to_text_grid(problem.grid);
    for (const int place : places) grid[place / problem.M][place % problem.M] = 'B';
    return grid;
  }
};
REDQUEEN_ENVIRONMENT(MaxNoConflictingBombs);

}  // namespace
}  // namespace redqueen
