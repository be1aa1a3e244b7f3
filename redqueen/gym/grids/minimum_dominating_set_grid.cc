#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/grid/any_shape.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct Minimum_DominatingSet_Grid {
  static constexpr Card card{
      .name = "Minimum_DominatingSet_Grid",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kPairs,
      .scoring = Scoring::kMinimise,
      .task =
          "Choose cells of a grid, as cheap as possible together, such that each cell is chosen "
          "or shares a side with a chosen one.",
      .levels =
          "The bound on rows and columns starts at 3 and grows by one a level; the shorter side is "
          "at most 5.",
      .rewards =
          "-1 malformed, -0.5 a cell that does not exist or comes twice, -0.2 a cell that is "
          "neither chosen nor next to a chosen one, else (least cost / cost)^5.",
      .differences =
          "Large grids are long rather than square, for the least cost takes time exponential in "
          "the shorter side, and the longer side is from the upper half of its range. From level 2 "
          "on, a grid is drawn again that is solved by the cell that serves most cells for its "
          "cost, again and again, or by leaving out the dearest cell that can be.",
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr double kUnservedReward = -0.2;
  static constexpr int kMostShort = 5;
  static constexpr int kMaxShort = 8;
  static constexpr int kMostPublishedColumns = 7;
  static constexpr int kMaxCells = 1000;
  static constexpr std::int64_t kMaxCost = 1'000'000;
  static constexpr int kStrictFrom = 5;  // the bound on sides
  static constexpr int kDraws = 300;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int N = 0;  // rows
    int M = 0;  // columns
    std::vector<std::vector<std::int64_t>> F;
    std::int64_t gold_answer = 0;  // least cost
    REDQUEEN_FIELDS(N, M, F, gold_answer)
  };
  using Answer = std::vector<std::pair<std::int64_t, std::int64_t>>;  // row and column, from 1

  static Config at_level(int level, Rng&) { return {.MAX_N_M = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws,
        [&] {
          GridShape shape;
          shape.rows = static_cast<int>(rng.integer(2, std::min(config.MAX_N_M, kMostShort)));
          shape.columns = static_cast<int>(draw_upper_half(2, config.MAX_N_M, rng));
          if (rng.chance(0.5)) std::swap(shape.rows, shape.columns);
          return draw(shape, rng);
        },
        [&](const Problem& problem) {
          return config.MAX_N_M < kStrictFrom ||
                 !some_rule_solves<Minimum_DominatingSet_Grid>(problem);
        });
  }

  // Both sides are uniform. RLVE-Gym goes through all sets of a row and of the two before it, for
  // which its ten seconds do not suffice with more than kMostPublishedColumns columns.
  static Problem published(const Config& config, Rng& rng) {
    const GridShape shape = draw_any_shape(2, config.MAX_N_M, rng);
    if (shape.columns > kMostPublishedColumns || shape.cells() > kMaxCells) throw Retry();
    return draw(shape, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("N", problem.N, "M", problem.M, 1, kMaxCells));
    RETURN_IF_ERROR(within("the shorter side", std::min(problem.N, problem.M), 1, kMaxShort));
    RETURN_IF_ERROR(check_matrix("F", problem.F, shape_of(problem), 1, kMaxCost));
    return reference_is("gold_answer", problem.gold_answer, cost_of(problem, best(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A grid has {0} rows, numbered 1 to {0} from top to bottom, and {1} columns, numbered 1 to "
        "{1} from left to right. Choosing a cell costs:\n"
        "{2}\n"
        "Choose different cells such that every cell of the grid is chosen or shares a side with a "
        "chosen cell, and the sum of the costs is as small as possible.\n"
        "Answer with the chosen cells in any order, one per line: its row and its column, "
        "separated by a space.",
        problem.N, problem.M, format_answer(problem.F));
  }

  static double score(const Problem& problem, const Answer& answer) {
    const GridShape shape = shape_of(problem);
    std::vector<char> chosen(static_cast<std::size_t>(shape.cells()));
    std::vector<char> served = chosen;
    std::int64_t cost = 0;
    for (const auto& [row, column] : answer) {
      // The order of the tests keeps huge numbers from overflowing.
      if (row < 1 || column < 1 || !shape.contains(row - 1, column - 1)) return kInvalidReward;
      const int place = shape.place(static_cast<int>(row - 1), static_cast<int>(column - 1));
      if (std::exchange(chosen[place], 1) != 0) return kInvalidReward;
      served[place] = 1;
      shape.for_each_neighbour(place, [&](int other) { served[other] = 1; });
      cost += problem.F[row - 1][column - 1];
    }
    if (std::ranges::count(served, 0) > 0) return kUnservedReward;
    return minimise_reward(cost, problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return best(problem); }

  // Cells in random order are chosen where they, or cells beside them, are not served yet.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    const GridShape shape = shape_of(problem);
    std::vector<char> served(static_cast<std::size_t>(shape.cells()));
    std::vector<int> chosen;
    for (const int place : rng.permutation(shape.cells())) {
      if (new_served(shape, served, place) == 0) continue;
      serve(shape, served, place);
      chosen.push_back(place);
    }
    return as_answer(shape, chosen);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"the cell that serves most others for its cost, again and again", by_gain(problem)},
            {"all but the dearest that can be left out", without_dearest(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    std::vector<int> all(static_cast<std::size_t>(shape_of(problem).cells()));
    std::iota(all.begin(), all.end(), 0);
    named.push_back({"all cells", format_answer(as_answer(shape_of(problem), all))});
    return named;
  }

 private:
  static Problem draw(const GridShape& shape, Rng& rng) {
    Problem problem{.N = shape.rows,
                    .M = shape.columns,
                    .F = draw_matrix(shape, 1, shape.cells(), rng),
                    .gold_answer = 0};
    problem.gold_answer = cost_of(problem, best(problem));
    return problem;
  }

  static GridShape shape_of(const Problem& problem) { return {problem.N, problem.M}; }

  static std::int64_t cost_at(const Problem& problem, int place) {
    return problem.F[place / problem.M][place % problem.M];
  }

  static std::int64_t cost_of(const Problem& problem, const Answer& answer) {
    std::int64_t cost = 0;
    for (const auto& [row, column] : answer) cost += problem.F[row - 1][column - 1];
    return cost;
  }

  static Answer as_answer(const GridShape& shape, const std::vector<int>& places) {
    Answer answer;
    for (const int place : places) {
      answer.emplace_back(shape.row(place) + 1, shape.column(place) + 1);
    }
    return answer;
  }

  static void serve(const GridShape& shape, std::vector<char>& served, int place) {
    served[place] = 1;
    shape.for_each_neighbour(place, [&](int other) { served[other] = 1; });
  }

  static int new_served(const GridShape& shape, const std::vector<char>& served, int place) {
    int count = served[place] == 0 ? 1 : 0;
    shape.for_each_neighbour(place, [&](int other) { count += served[other] == 0 ? 1 : 0; });
    return count;
  }

  // Cell by cell along the shorter side. A state holds, for the last cell of each of its places, in
  // base 3: chosen, served but not chosen, or not served yet.
  static Answer best(const Problem& problem) {
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 2;
    enum : int { kOpen, kServed, kChosen };
    const bool turned = problem.N < problem.M;  // then columns are gone through
    const int width = std::min(problem.N, problem.M);
    const int length = std::max(problem.N, problem.M);
    std::array<int, kMaxShort + 1> power{1};
    for (int i = 0; i < width; ++i) power[i + 1] = 3 * power[i];
    const int states = power[width];
    struct Step {
      std::int64_t cost;
      int before;
      bool chosen;
    };
    const auto digit = [&](int state, int at) { return state / power[at] % 3; };
    std::vector<Step> steps(static_cast<std::size_t>(width * length) * states, {kFar, 0, false});
    std::vector<std::int64_t> cost(static_cast<std::size_t>(states), kFar);
    cost[states / 2] = 0;  // all digits are kServed: nothing above needs service, nothing is chosen
    for (int cell = 0; cell < width * length; ++cell) {
      Step* const step = steps.data() + static_cast<std::size_t>(cell) * states;
      const int at = cell % width;
      const std::int64_t price = turned ? problem.F[at][cell / width] : problem.F[cell / width][at];
      for (int state = 0; state < states; ++state) {
        if (cost[state] == kFar) continue;
        const int above = digit(state, at);
        const int left = at > 0 ? digit(state, at - 1) : int{kServed};
        const auto reach = [&](int next, std::int64_t sum, bool chosen) {
          if (sum < step[next].cost) step[next] = {sum, state, chosen};
        };
        if (above != kOpen) {
          const bool served = above == kChosen || left == kChosen;
          reach(state + ((served ? kServed : kOpen) - above) * power[at], cost[state], false);
        }
        int with = state + (kChosen - above) * power[at];
        if (left == kOpen) with += power[at - 1];
        reach(with, cost[state] + price, true);
      }
      for (int state = 0; state < states; ++state) cost[state] = step[state].cost;
    }
    int last = -1;
    for (int state = 0; state < states; ++state) {
      bool whole = true;
      for (int i = 0; i < width; ++i) whole &= digit(state, i) != kOpen;
      if (whole && (last < 0 || cost[state] < cost[last])) last = state;
    }
    Answer answer;
    for (int cell = width * length - 1; cell >= 0; --cell) {
      const Step& step = steps[static_cast<std::size_t>(cell) * states + last];
      if (step.chosen) {
        const int along = cell / width + 1;
        const int across = cell % width + 1;
        answer.emplace_back(turned ? across : along, turned ? along : across);
      }
      last = step.before;
    }
    return answer;
  }

  static Answer by_gain(const Problem& problem) {
    const GridShape shape = shape_of(problem);
    std::vector<char> served(static_cast<std::size_t>(shape.cells()));
    std::vector<int> chosen;
    while (true) {
      int best = -1;
      int most = 0;
      for (int place = 0; place < shape.cells(); ++place) {
        const int gain = new_served(shape, served, place);
        if (gain == 0) continue;
        if (best < 0 || gain * cost_at(problem, best) > most * cost_at(problem, place)) {
          best = place;
          most = gain;
        }
      }
      if (best < 0) return as_answer(shape, chosen);
      serve(shape, served, best);
      chosen.push_back(best);
    }
  }

  static Answer without_dearest(const Problem& problem) {
    const GridShape shape = shape_of(problem);
    std::vector<int> servants(static_cast<std::size_t>(shape.cells()), 1);
    for (int place = 0; place < shape.cells(); ++place) {
      shape.for_each_neighbour(place, [&](int) { ++servants[place]; });
    }
    std::vector<int> order(servants.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater(),
                             [&](int place) { return cost_at(problem, place); });
    std::vector<int> kept;
    for (const int place : order) {
      bool needed = servants[place] == 1;
      shape.for_each_neighbour(place, [&](int other) { needed |= servants[other] == 1; });
      if (needed) {
        kept.push_back(place);
      } else {
        --servants[place];
        shape.for_each_neighbour(place, [&](int other) { --servants[other]; });
      }
    }
    return as_answer(shape, kept);
  }
};
REDQUEEN_ENVIRONMENT(Minimum_DominatingSet_Grid);

}  // namespace
}  // namespace redqueen
