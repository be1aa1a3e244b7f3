#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct SLOElephants {
  static constexpr Card card{
      .name = "SLOElephants",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kPairs,
      .scoring = Scoring::kMinimise,
      .task =
          "Bring a row into another order by exchanging elements, each exchange at the cost of its "
          "two elements, as cheaply as can be.",
      .levels =
          "The number of elements grows from 3 by a tenth and one a level, the costs with it. "
          "Beyond level 60 the lists would be too long to read.",
      .rewards =
          "-1 malformed, -0.5 an element that does not exist or is exchanged with itself, -0.2 "
          "another order at the end, else (least cost / cost)^5.",
      .differences =
          "From 5 elements on, a problem is drawn again that is solved by filling the places from "
          "the left or by doing all with the cheapest element. From 9 on, one long cycle of "
          "expensive elements is made without the cheapest one, and a problem is drawn again that "
          "is solved by doing each cycle with its own cheapest element; below 9 elements no cycle "
          "is worth a detour.",
      .slow_reason = SlowReason::kStricter,
      .source = "Polish Olympiad in Informatics XVI, Elephants",
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr double kWrongOrderReward = -0.2;
  static constexpr int kStrictFrom = 5;
  static constexpr int kDetoursFrom = 9;
  static constexpr int kDraws = 500;
  static constexpr std::int64_t kMaxCost = 1'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::vector<std::int64_t> B;
    std::vector<std::int64_t> C;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, A, B, C, gold_answer)
  };
  using Answer = std::vector<std::pair<std::int64_t, std::int64_t>>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem =
          config.N < kDetoursFrom ? drawn(config.N, rng) : drawn_with_long_cycle(config.N, rng);
      problem.gold_answer = cost_of(problem, solve(problem));
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (problem.gold_answer == 0) return false;
      return config.N < kStrictFrom || !some_rule_solves<SLOElephants>(problem);
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem = draw_accepted(
        kDraws, [&] { return drawn(config.N, rng); },
        [](const Problem& drawn) { return drawn.A != drawn.B; });
    problem.gold_answer = cost_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxShownNumbers));
    if (!is_order(problem.N, problem.A)) return failure("\"A\": expected an order of 0 … N - 1");
    if (!is_order(problem.N, problem.B)) return failure("\"B\": expected an order of 0 … N - 1");
    if (problem.A == problem.B) return failure("\"B\": it is the same as \"A\"");
    RETURN_IF_ERROR(check_numbers("C", problem.C, problem.N, 1, kMaxCost));
    return reference_is("gold_answer", problem.gold_answer, cost_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "{0} elephants with the numbers 0 to {1} stand in a row, in this order from left to "
        "right:\n"
        "{2}\n"
        "They are to stand in this order:\n"
        "{3}\n"
        "One exchange names two different elephants by their numbers; these two change places, "
        "wherever they stand at that time. An exchange of the elephants i and j costs C[i] + "
        "C[j]:\n"
        "{4}\n"
        "Find exchanges that bring the row into the second order at the least total cost.\n"
        "Answer with the exchanges in the order in which they are made, one a line: the numbers of "
        "the two elephants, separated by a space.",
        problem.N, problem.N - 1, format_answer(problem.A), format_answer(problem.B),
        with_indices("C", problem.C));
  }

  static double score(const Problem& problem, const Answer& answer) {
    Row row(problem);
    for (const auto& [i, j] : answer) {
      if (i < 0 || i >= problem.N || j < 0 || j >= problem.N || i == j) return kInvalidReward;
      row.exchange(i, j);
    }
    if (row.order != problem.B) return kWrongOrderReward;
    return minimise_reward(cost_of(problem, answer), problem.gold_answer, kBeta);
  }

  // Each cycle is done by its cheapest element, or by the cheapest of all, which comes in for it
  // and leaves again.
  static Answer solve(const Problem& problem) {
    return by_cycles(problem, [](const Cycle& cycle, std::int64_t cheapest) {
      return cycle.cost_with(cheapest) < cycle.cost_alone();
    });
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer exchanges;
    for (int i = 0; i < problem.N; ++i) {
      const std::int64_t first = rng.integer(0, problem.N - 1);
      const std::int64_t step = rng.integer(1, problem.N - 1);
      exchanges.emplace_back(first, (first + step) % problem.N);
    }
    return exchanges;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<SimpleRule<Answer>> list{
        {"fill the places from the left", from_left(problem)},
        {"do all with the cheapest element",
         by_cycles(problem, [](const Cycle&, std::int64_t) { return true; })}};
    if (problem.N >= kDetoursFrom) {
      list.push_back({"do each cycle with its own cheapest element",
                      by_cycles(problem, [](const Cycle&, std::int64_t) { return false; })});
    }
    return list;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  struct Row {
    std::vector<std::int64_t> order;
    std::vector<std::int64_t> place;  // of each element

    explicit Row(const Problem& problem) : order(problem.A), place(problem.A.size()) {
      for (std::size_t p = 0; p < order.size(); ++p) place[order[p]] = static_cast<int>(p);
    }

    void exchange(std::int64_t i, std::int64_t j) {
      std::swap(order[place[i]], order[place[j]]);
      std::swap(place[i], place[j]);
    }
  };

  // Elements each of which stands where the next one belongs.
  struct Cycle {
    std::int64_t length = 0;
    std::int64_t sum = 0;       // of costs
    std::int64_t least = 0;     // cost
    std::int64_t cheapest = 0;  // element

    std::int64_t cost_alone() const { return sum + (length - 2) * least; }
    std::int64_t cost_with(std::int64_t cost) const { return sum + least + (length + 1) * cost; }
  };

  // `detour` says whether the cheapest of all, whose cost is given, does the cycle.
  template <typename Detour>
  static Answer by_cycles(const Problem& problem, Detour detour) {
    Row row(problem);
    Answer exchanges;
    const auto exchange = [&](std::int64_t i, std::int64_t j) {
      exchanges.emplace_back(i, j);
      row.exchange(i, j);
    };
    const std::int64_t of_all = std::ranges::min_element(problem.C) - problem.C.begin();
    for (std::int64_t start = 0; start < problem.N; ++start) {
      const Cycle cycle = cycle_of(problem, row, start);
      if (cycle.length == 1) continue;
      std::int64_t mover = cycle.cheapest;
      if (!in_cycle(problem, row, start, of_all) && detour(cycle, problem.C[of_all])) {
        mover = of_all;
        exchange(mover, cycle.cheapest);
      }
      for (std::int64_t done = cycle.length - (mover == cycle.cheapest); done > 0; --done) {
        exchange(mover, problem.B[row.place[mover]]);
      }
    }
    return exchanges;
  }

  // From an element to the one that belongs in its place.
  static std::int64_t next(const Problem& problem, const Row& row, std::int64_t element) {
    return problem.B[row.place[element]];
  }

  static Cycle cycle_of(const Problem& problem, const Row& row, std::int64_t start) {
    Cycle cycle{.length = 0, .sum = 0, .least = problem.C[start], .cheapest = start};
    std::int64_t element = start;
    do {
      ++cycle.length;
      cycle.sum += problem.C[element];
      if (problem.C[element] < cycle.least) {
        cycle.least = problem.C[element];
        cycle.cheapest = element;
      }
      element = next(problem, row, element);
    } while (element != start);
    return cycle;
  }

  static bool in_cycle(const Problem& problem, const Row& row, std::int64_t start,
                       std::int64_t wanted) {
    std::int64_t element = start;
    do {
      if (element == wanted) return true;
      element = next(problem, row, element);
    } while (element != start);
    return false;
  }

  static Answer from_left(const Problem& problem) {
    Row row(problem);
    Answer exchanges;
    for (std::size_t p = 0; p < row.order.size(); ++p) {
      const std::int64_t here = row.order[p];
      const std::int64_t wanted = problem.B[p];
      if (here == wanted) continue;
      exchanges.emplace_back(here, wanted);
      row.exchange(here, wanted);
    }
    return exchanges;
  }

  static Problem drawn(int n, Rng& rng) {
    Problem problem{.N = n, .A = {}, .B = {}, .C = {}, .gold_answer = 0};
    for (auto* order : {&problem.A, &problem.B}) {
      *order = ascending_order(n);
      rng.shuffle(*order);
    }
    problem.C = draw_numbers(n, 1, n, rng);
    return problem;
  }

  // The first elements of a random order make one cycle, and their costs are in the upper half; the
  // others are in any order, and one of them is cheap.
  static Problem drawn_with_long_cycle(int n, Rng& rng) {
    Problem problem{.N = n, .A = ascending_order(n), .B = {}, .C = {}, .gold_answer = 0};
    rng.shuffle(problem.A);
    const std::int64_t length = rng.integer((n + 1) / 2, n - 4);
    std::vector<std::int64_t> others(problem.A.begin() + length, problem.A.end());
    rng.shuffle(others);
    problem.B.assign(problem.A.begin(), problem.A.begin() + length);
    std::rotate(problem.B.begin(), problem.B.begin() + 1, problem.B.end());
    problem.B.insert(problem.B.end(), others.begin(), others.end());
    problem.C = draw_numbers(n, 1, n, rng);
    for (std::int64_t p = 0; p < length; ++p) {
      problem.C[problem.A[p]] = rng.integer((n + 1) / 2, n);
    }
    problem.C[others.front()] = rng.integer(1, std::max(1, n / 8));
    // The places are mixed, the same way in both orders.
    for (std::size_t i = problem.A.size(); i > 1; --i) {
      const std::size_t j = rng.below(i);
      std::swap(problem.A[i - 1], problem.A[j]);
      std::swap(problem.B[i - 1], problem.B[j]);
    }
    return problem;
  }

  static std::int64_t cost_of(const Problem& problem, const Answer& exchanges) {
    std::int64_t cost = 0;
    for (const auto& [i, j] : exchanges) cost += problem.C[i] + problem.C[j];
    return cost;
  }
};
REDQUEEN_ENVIRONMENT(SLOElephants);

}  // namespace
}  // namespace redqueen
