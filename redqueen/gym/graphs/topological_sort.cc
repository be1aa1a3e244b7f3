#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/precedence.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct TopologicalSort {
  static constexpr Card card{
      .name = "TopologicalSort",
      .published = true,
      .family = Family::kGraphs,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task = "Put items in an order that keeps conditions of what comes before what.",
      .levels =
          "From 3 items, a tenth more and one a level, with up to three conditions each. Beyond "
          "level 45 the list of conditions would be too long to read.",
      .rewards =
          "-1 malformed, -0.5 not an order of all items, else (conditions kept / conditions)^10.",
      .differences =
          "An item has at most three direct predecessors; published lists grew with the square of "
          "the items. From 5 items on, a problem is drawn again that is solved by the numbers of "
          "the items or by those of their predecessors and successors.",
      .slow_reason = SlowReason::kStricter,
      .source = "A. Kahn, Topological sorting of large networks, 1962",
      .max_level = 45,
  };

  static constexpr double kBeta = 10.0;
  static constexpr int kFewItems = 5;
  static constexpr int kDraws = 200;
  static constexpr int kMostPredecessors = 3;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Edge> before_conditions;
    REDQUEEN_FIELDS(N, before_conditions)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, kMostPredecessors, rng); },
        [&](const Problem& problem) {
          return config.N < kFewItems || !some_rule_solves<TopologicalSort>(problem);
        });
  }

  // An item has any number of direct predecessors.
  static Problem published(const Config& config, Rng& rng) { return drawn(config, config.N, rng); }

  static Status check(const Problem& problem) {
    return check_conditions("before_conditions", problem.N, problem.before_conditions);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Put the {0} items 0 to {1} in an order. Each of these lines names two items, the first of "
        "which has to stand somewhere before the second in the order:\n"
        "{2}\n"
        "There is an order that keeps all these conditions; any will do.\n"
        "Answer with the items from first to last on one line, separated by spaces.",
        problem.N, problem.N - 1, format_edges(problem.before_conditions));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_permutation_of(problem.N, answer)) return kInvalidReward;
    return share_reward(conditions_kept(answer, problem.before_conditions),
                        std::ssize(problem.before_conditions), kBeta);
  }

  static Answer solve(const Problem& problem) {
    return *smallest_first(problem.N, problem.before_conditions);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer order = in_order(problem);
    rng.shuffle(order);
    return order;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer before(static_cast<std::size_t>(problem.N));  // direct predecessors of each item
    Answer surplus(before.size());                       // of these over direct successors
    for (const auto& [first, second] : problem.before_conditions) {
      ++before[second];
      ++surplus[second];
      --surplus[first];
    }
    Answer backwards = in_order(problem);
    std::ranges::reverse(backwards);
    return {{"the items by number", in_order(problem)},
            {"the items by number, backwards", backwards},
            {"items with few direct predecessors first", sorted_by(problem, before)},
            {"items with many successors and few predecessors first", sorted_by(problem, surplus)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Answer in_order(const Problem& problem) {
    Answer order(static_cast<std::size_t>(problem.N));
    std::iota(order.begin(), order.end(), 0);
    return order;
  }

  static Answer sorted_by(const Problem& problem, const Answer& keys) {
    Answer order = in_order(problem);
    std::ranges::stable_sort(order, {}, [&](std::int64_t item) { return keys[item]; });
    return order;
  }

  static Problem drawn(const Config& config, int most, Rng& rng) {
    const std::vector<int> order = rng.permutation(config.N);
    Problem problem{.N = config.N, .before_conditions = {}};
    for (int i = 1; i < config.N; ++i) {
      const auto count = static_cast<std::size_t>(rng.integer(1, std::min(i, most)));
      for (const std::int64_t place : rng.sample(0, i - 1, count)) {
        problem.before_conditions.emplace_back(order[place], order[i]);
      }
    }
    rng.shuffle(problem.before_conditions);
    return problem;
  }
};
REDQUEEN_ENVIRONMENT(TopologicalSort);

}  // namespace
}  // namespace redqueen
