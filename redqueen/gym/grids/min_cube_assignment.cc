#include <algorithm>
#include <array>
#include <cstdlib>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/max_flow.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct MinCubeAssignment {
  static constexpr Card card{
      .name = "MinCubeAssignment",
      .published = true,
      .family = Family::kGrids,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kMinimise,
      .task =
          "Give each cell of a grid a value, such that neighbours differ by little and the costs "
          "of the values are as small as possible.",
      .levels =
          "The bound on rows, columns and values starts at 2 and grows by one a level; there are "
          "at "
          "most 40 costs for each unit of it. Beyond level 60 the costs would be too many to read.",
      .rewards =
          "-1 malformed, -0.5 another shape, a value that does not exist, or neighbours that "
          "differ too much, else (least cost / cost)^5.",
      .differences =
          "From level 1 on, there are at least three values, and neighbours may differ, but by "
          "less than half of the values. From level 2 on, a problem is drawn again that is solved "
          "by one value everywhere, by the cheapest value of each cell, or by changing single "
          "values as long as that helps.",
      .small_answer_space = "At level 0 there are sixteen answers only.",
      .guess_until_level = 0,
      .source = "Cutting the Cake (切糕), HNOI 2013",
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kMaxCosts = 20'000;
  static constexpr int kCostsForAUnit = 40;
  static constexpr std::int64_t kMaxCost = 1'000'000;
  static constexpr int kFirstWithDifferences = 3;  // the bound on sizes
  static constexpr int kStrictFrom = 4;
  static constexpr int kDraws = 500;

  struct Config {
    int MAX_P_Q_R = 0;
    REDQUEEN_FIELDS(MAX_P_Q_R)
  };
  struct Problem {
    int P = 0;  // rows
    int Q = 0;  // columns
    int R = 0;  // values
    int D = 0;  // the largest difference of neighbours
    std::vector<std::vector<std::vector<std::int64_t>>> costs;  // by row, column and value
    std::int64_t gold_answer = 0;                               // least cost
    REDQUEEN_FIELDS(P, Q, R, D, costs, gold_answer)
  };
  using Answer = std::vector<std::vector<std::int64_t>>;

  static Config at_level(int level, Rng&) { return {.MAX_P_Q_R = 2 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config, rng); },
        [&](const Problem& problem) {
          return config.MAX_P_Q_R < kStrictFrom || !some_rule_solves<MinCubeAssignment>(problem);
        });
  }

  // All sizes are uniform. More costs than check() allows are drawn again.
  static Problem published(const Config& config, Rng& rng) {
    std::array<int, 3> sizes{};  // rows, columns, values
    for (int& size : sizes) size = static_cast<int>(rng.integer(2, config.MAX_P_Q_R));
    const auto [rows, columns, values] = sizes;
    if (rows * columns * values > kMaxCosts) throw Retry();
    Problem problem{.P = rows, .Q = columns, .R = values, .D = 0, .costs = {}, .gold_answer = 0};
    for (int i = 0; i < rows; ++i) {
      problem.costs.push_back(draw_matrix({columns, values}, 1, std::int64_t{rows} * columns, rng));
    }
    problem.D = static_cast<int>(rng.integer(0, values - 1));
    problem.gold_answer = cost_of(problem, best(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(check_shape("P", problem.P, "Q", problem.Q, 1, kMaxCosts));
    RETURN_IF_ERROR(within("R", problem.R, 1, kMaxCosts / (problem.P * problem.Q)));
    RETURN_IF_ERROR(within("D", problem.D, 0, problem.R));
    if (std::ssize(problem.costs) != problem.P) {
      return failure("\"costs\": expected \"P\" rows, found {}", problem.costs.size());
    }
    for (const auto& row : problem.costs) {
      RETURN_IF_ERROR(check_matrix("costs", row, {problem.Q, problem.R}, 1, kMaxCost));
    }
    return reference_is("gold_answer", problem.gold_answer, cost_of(problem, best(problem)));
  }

  static std::string prompt(const Problem& problem) {
    std::string lines;
    for (int i = 0; i < problem.P; ++i) {
      for (int j = 0; j < problem.Q; ++j) {
        lines += fmt::format("{} {}: {}\n", i, j, format_answer(problem.costs[i][j]));
      }
    }
    return fmt::format(
        "A grid has {0} rows, numbered 0 to {1}, and {2} columns, numbered 0 to {3}. Give each "
        "cell an integer from 0 to {4}. Each line below names a cell by its row and its column, "
        "and then says what it costs there to take 0, 1 and so on, up to {4}:\n"
        "{5}"
        "{6} The sum of the costs of all cells is to be as small as possible.\n"
        "Answer with the integers of all cells, one line for each row, separated by spaces.",
        problem.P, problem.P - 1, problem.Q, problem.Q - 1, problem.R - 1, lines,
        problem.D == 0
            ? std::string("The integers of any two cells that share a side must be equal.")
            : fmt::format("The integers of any two cells that share a side may differ "
                          "by at most {}.",
                          problem.D));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!has_shape(answer, {problem.P, problem.Q})) return kInvalidReward;
    for (const auto& row : answer) {
      for (const std::int64_t value : row) {
        if (value < 0 || value >= problem.R) return kInvalidReward;
      }
    }
    if (!is_smooth(problem, answer)) return kInvalidReward;
    return minimise_reward(cost_of(problem, answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return best(problem); }

  // Values of a window that is as wide as neighbours may differ.
  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::int64_t width = std::min(problem.D, problem.R - 1);
    const std::int64_t lowest = rng.integer(0, problem.R - 1 - width);
    return draw_matrix({problem.P, problem.Q}, lowest, lowest + width, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer cheapest = one_value(problem, 0);
    for (int i = 0; i < problem.P; ++i) {
      for (int j = 0; j < problem.Q; ++j) {
        const auto& costs = problem.costs[i][j];
        cheapest[i][j] = std::ranges::min_element(costs) - costs.begin();
      }
    }
    Answer constant = best_constant(problem);
    Answer improved = improve(problem, constant);
    return {{"the best value for all", std::move(constant)},
            {"the cheapest value of each cell", std::move(cheapest)},
            {"the best value for all, then better single values", std::move(improved)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem draw(const Config& config, Rng& rng) {
    const int bound = config.MAX_P_Q_R;
    const bool differs = bound >= kFirstWithDifferences;
    std::array<int, 3> sizes{};  // rows, columns, values
    for (int& size : sizes) size = static_cast<int>(draw_upper_half(2, bound, rng));
    if (differs) sizes[2] = std::max(sizes[2], 3);
    while (sizes[0] * sizes[1] * sizes[2] > kCostsForAUnit * bound)
      --*std::ranges::max_element(sizes);
    Problem problem{
        .P = sizes[0], .Q = sizes[1], .R = sizes[2], .D = 1, .costs = {}, .gold_answer = 0};
    if (differs) problem.D = static_cast<int>(rng.integer(1, (problem.R - 1) / 2));
    for (int i = 0; i < problem.P; ++i) {
      problem.costs.push_back(
          draw_matrix({problem.Q, problem.R}, 1, std::int64_t{problem.P} * problem.Q, rng));
    }
    problem.gold_answer = cost_of(problem, best(problem));
    return problem;
  }

  static Answer one_value(const Problem& problem, std::int64_t value) {
    return Answer(static_cast<std::size_t>(problem.P),
                  std::vector<std::int64_t>(static_cast<std::size_t>(problem.Q), value));
  }

  static std::int64_t cost_of(const Problem& problem, const Answer& values) {
    std::int64_t cost = 0;
    for (int i = 0; i < problem.P; ++i) {
      for (int j = 0; j < problem.Q; ++j) cost += problem.costs[i][j][values[i][j]];
    }
    return cost;
  }

  static bool is_smooth(const Problem& problem, const Answer& values) {
    for (int i = 0; i < problem.P; ++i) {
      for (int j = 0; j < problem.Q; ++j) {
        if (i > 0 && std::abs(values[i][j] - values[i - 1][j]) > problem.D) return false;
        if (j > 0 && std::abs(values[i][j] - values[i][j - 1]) > problem.D) return false;
      }
    }
    return true;
  }

  // A minimum cut. Each cell has a chain of arcs from source to sink, one for each value; the one
  // that is cut first is the value. Arcs that cannot be cut lead from a place of a chain to the
  // places D before it on neighbours' chains: these are not cut before.
  static Answer best(const Problem& problem) {
    const GridShape shape{problem.P, problem.Q};
    const int inner = problem.R - 1;  // places of a chain between source and sink
    const int source = shape.cells() * inner;
    const int sink = source + 1;
    FlowNetwork network(sink + 1);
    const auto node = [&](int place, int at) {
      return at == 0 ? source : at == problem.R ? sink : place * inner + at - 1;
    };
    for (int place = 0; place < shape.cells(); ++place) {
      const auto& costs = problem.costs[shape.row(place)][shape.column(place)];
      for (int value = 0; value < problem.R; ++value) {
        network.add_arc(node(place, value), node(place, value + 1), costs[value]);
      }
      shape.for_each_neighbour(place, [&](int other) {
        for (int at = problem.D + 1; at < problem.R; ++at) {
          network.add_arc(node(place, at), node(other, at - problem.D), FlowNetwork::kUnbounded);
        }
      });
    }
    network.maximise_flow(source, sink);
    const std::vector<char> reached = network.source_side(source);
    Answer values = one_value(problem, 0);
    for (int place = 0; place < shape.cells(); ++place) {
      std::int64_t& value = values[shape.row(place)][shape.column(place)];
      while (reached[node(place, static_cast<int>(value) + 1)] != 0) ++value;
    }
    return values;
  }

  static Answer best_constant(const Problem& problem) {
    Answer best = one_value(problem, 0);
    for (int value = 1; value < problem.R; ++value) {
      Answer other = one_value(problem, value);
      if (cost_of(problem, other) < cost_of(problem, best)) best = std::move(other);
    }
    return best;
  }

  // Each cell in turn takes its cheapest value that its neighbours allow, until nothing changes.
  static Answer improve(const Problem& problem, Answer values) {
    const GridShape shape{problem.P, problem.Q};
    for (bool changed = true; changed;) {
      changed = false;
      for (int place = 0; place < shape.cells(); ++place) {
        std::int64_t low = 0;
        std::int64_t high = problem.R - 1;
        shape.for_each_neighbour(place, [&](int other) {
          const std::int64_t near = values[shape.row(other)][shape.column(other)];
          low = std::max(low, near - problem.D);
          high = std::min(high, near + problem.D);
        });
        const auto& costs = problem.costs[shape.row(place)][shape.column(place)];
        std::int64_t& value = values[shape.row(place)][shape.column(place)];
        for (std::int64_t other = low; other <= high; ++other) {
          if (costs[other] >= costs[value]) continue;
          value = other;
          changed = true;
        }
      }
    }
    return values;
  }
};
REDQUEEN_ENVIRONMENT(MinCubeAssignment);

}  // namespace
}  // namespace redqueen
