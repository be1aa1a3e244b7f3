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

struct SalesmanFatigue {
  static constexpr Card card{
      .name = "SalesmanFatigue",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task =
          "For every k, choose k houses such that twice the greatest distance and the sum of their "
          "weights are as much as possible together.",
      .levels =
          "The number of houses grows from 3 by a tenth and one a level, the weights with it. "
          "Beyond level 60 the lists would be too long to read.",
      .rewards = "-1 malformed, -0.5 another number of integers, else (right ones / all)^5.",
      .differences =
          "Distances go up to N, not to half of its square: beyond that, the farthest house is in "
          "nearly every best choice. From 5 houses on, a problem is drawn again that is solved by "
          "always taking the farthest house, the greatest weights or the farthest houses.",
      .slow_reason = SlowReason::kStricter,
      .source = "National Olympiad in Informatics in Provinces (China) 2015, Junior, Salesman.",
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kStrictFrom = 5;
  static constexpr int kDraws = 500;
  static constexpr std::int64_t kMaxAmount = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> S;
    std::vector<std::int64_t> A;
    std::vector<std::int64_t> gold_answer;
    REDQUEEN_FIELDS(N, S, A, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem{.N = config.N, .S = {}, .A = {}, .gold_answer = {}};
      problem.S = draw_numbers(config.N, 1, config.N, rng);
      std::ranges::sort(problem.S);
      problem.A = draw_numbers(config.N, 1, config.N, rng);
      problem.gold_answer = greatest_sums(problem);
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      return config.N < kStrictFrom || !some_rule_solves<SalesmanFatigue>(problem);
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t n = config.N;
    Problem problem{.N = config.N, .S = {}, .A = {}, .gold_answer = {}};
    problem.S = draw_numbers(n, 1, n * n / 2, rng);
    std::ranges::sort(problem.S);
    problem.A = draw_numbers(n, 1, n, rng);
    problem.gold_answer = greatest_sums(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_numbers("S", problem.S, problem.N, 0, kMaxAmount));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 0, kMaxAmount));
    return reference_is("gold_answer", problem.gold_answer, greatest_sums(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are {0} houses, numbered from 0 to {1}, each with a distance S[i] and a weight "
        "A[i]:\n"
        "{2}\n"
        "{3}\n"
        "A choice of different houses is worth twice the greatest distance among them, plus the "
        "sum of their weights. For each k from 1 to {0}, find the greatest worth of a choice of "
        "exactly k houses.\n"
        "Answer with these {0} values for k = 1 to {0}, in this order on one line, separated by "
        "spaces.",
        problem.N, problem.N - 1, with_indices("S", problem.S), with_indices("A", problem.A));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kInvalidReward;
    std::int64_t right = 0;
    for (std::size_t k = 0; k < answer.size(); ++k) right += answer[k] == problem.gold_answer[k];
    return share_reward(right, problem.N, kBeta);
  }

  static Answer solve(const Problem& problem) { return problem.gold_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    std::vector<std::int64_t> order = ascending_order(problem.N);
    rng.shuffle(order);
    return sums_along(problem, order);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    return {{"the farthest house and the greatest weights", with_farthest(problem)},
            {"the greatest weights", sums_along(problem, by_weight(problem))},
            {"the farthest houses", sums_along(problem, by_distance(problem))}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static std::vector<std::int64_t> by_weight(const Problem& problem) {
    std::vector<std::int64_t> order = ascending_order(problem.N);
    std::ranges::sort(order, std::greater(),
                      [&](std::int64_t i) { return std::pair(problem.A[i], problem.S[i]); });
    return order;
  }

  static std::vector<std::int64_t> by_distance(const Problem& problem) {
    std::vector<std::int64_t> order = ascending_order(problem.N);
    std::ranges::sort(order, std::greater(),
                      [&](std::int64_t i) { return std::pair(problem.S[i], problem.A[i]); });
    return order;
  }

  // What the first k houses of an order are worth, for every k.
  static Answer sums_along(const Problem& problem, const std::vector<std::int64_t>& order) {
    Answer sums;
    std::int64_t farthest = 0;
    std::int64_t weights = 0;
    for (const std::int64_t i : order) {
      farthest = std::max(farthest, problem.S[i]);
      weights += problem.A[i];
      sums.push_back(2 * farthest + weights);
    }
    return sums;
  }

  static Answer with_farthest(const Problem& problem) {
    std::vector<std::int64_t> order = by_weight(problem);
    const auto place = std::ranges::find(order, by_distance(problem).front());
    std::rotate(order.begin(), place, place + 1);
    return sums_along(problem, order);
  }

  // Either the k greatest weights are best, or the k - 1 greatest and one of the others, whose
  // distance is then the greatest.
  static Answer greatest_sums(const Problem& problem) {
    const std::vector<std::int64_t> order = by_weight(problem);
    Answer sums = sums_along(problem, order);
    std::vector<std::int64_t> best_beyond(order.size());  // 2 S + A, from each place on
    std::int64_t best = 0;
    for (std::size_t k = order.size(); k-- > 0;) {
      best = std::max(best, 2 * problem.S[order[k]] + problem.A[order[k]]);
      best_beyond[k] = best;
    }
    std::int64_t weights = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      sums[k] = std::max(sums[k], weights + best_beyond[k]);
      weights += problem.A[order[k]];
    }
    return sums;
  }
};
REDQUEEN_ENVIRONMENT(SalesmanFatigue);

}  // namespace
}  // namespace redqueen
