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

struct ProtectingFlowers {
  static constexpr Card card{
      .name = "ProtectingFlowers",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Order jobs with times and weights such that the sum of weight times waiting time is "
          "least.",
      .levels =
          "The number of jobs grows from 3 by a tenth and one a level, times and weights with it. "
          "Beyond level 60 the lists would be too long to read.",
      .rewards = "-1 malformed, -0.5 not a permutation, else (least sum / sum)^5.",
      .differences =
          "Of fewer than 5 jobs, only one order comes near the least sum, and not the one given. "
          "From 5 jobs on, a problem is drawn again that is solved by the order given, by time, by "
          "weight, or by their difference.",
      .slow_reason = SlowReason::kStricter,
      .source =
          "USACO 2007 January, Silver, Protecting the Flowers; W. Smith, Various optimizers "
          "for single-stage production, 1956.",
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kStrictFrom = 5;
  static constexpr int kDraws = 500;
  static constexpr int kMaxJobs = 20'000;
  static constexpr std::int64_t kMaxAmount = 100'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> T;
    std::vector<std::int64_t> D;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, T, D, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] { return published(config, rng); };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (config.N >= kStrictFrom) return !some_rule_solves<ProtectingFlowers>(problem);
      return sum_of(problem, ascending_order(config.N, 1)) > problem.gold_answer &&
             has_clear_winner(problem);
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .T = {}, .D = {}, .gold_answer = 0};
    problem.T = draw_numbers(config.N, 1, config.N, rng);
    problem.D = draw_numbers(config.N, 1, config.N, rng);
    problem.gold_answer = sum_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxJobs));
    RETURN_IF_ERROR(check_numbers("T", problem.T, problem.N, 1, kMaxAmount));
    RETURN_IF_ERROR(check_numbers("D", problem.D, problem.N, 1, kMaxAmount));
    return reference_is("gold_answer", problem.gold_answer, sum_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are {0} jobs, numbered from 1 to {0}. Job i takes T[i] minutes and does D[i] of "
        "damage in every minute before it begins:\n"
        "{1}\n"
        "{2}\n"
        "The jobs are done one after another without pause, the first of them from minute 0 on. So "
        "a job does D[i] times the sum of the T of all jobs before it, and nothing once it has "
        "begun. Find an order of the jobs for which the damage of all jobs together is as small as "
        "possible.\n"
        "Answer with the numbers of the jobs in that order on one line, separated by spaces.",
        problem.N, with_indices("T", problem.T, 1), with_indices("D", problem.D, 1));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer, 1)) return kInvalidReward;
    return minimise_reward(sum_of(problem, answer), problem.gold_answer, kBeta);
  }

  // By ascending T / D: an exchange of neighbours changes the sum by T D' - T' D.
  static Answer solve(const Problem& problem) {
    Answer order = ascending_order(problem.N, 1);
    std::ranges::stable_sort(order, [&](std::int64_t i, std::int64_t j) {
      return problem.T[i - 1] * problem.D[j - 1] < problem.T[j - 1] * problem.D[i - 1];
    });
    return order;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer order = ascending_order(problem.N, 1);
    rng.shuffle(order);
    return order;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto& t = problem.T;
    const auto& d = problem.D;
    return {
        {"the order given", ascending_order(problem.N, 1)},
        {"shortest first", by(problem, [&](std::int64_t i) { return t[i - 1]; })},
        {"most harmful first", by(problem, [&](std::int64_t i) { return -d[i - 1]; })},
        {"by time less damage", by(problem, [&](std::int64_t i) { return t[i - 1] - d[i - 1]; })}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  template <typename Key>
  static Answer by(const Problem& problem, Key key) {
    Answer order = ascending_order(problem.N, 1);
    std::ranges::stable_sort(order, {}, key);
    return order;
  }

  // Whether one order alone comes near the least sum. For few jobs.
  static bool has_clear_winner(const Problem& problem) {
    return count_orders_within(problem.N, 1, problem.gold_answer * 20 / 17,
                               [&](const Answer& order) { return sum_of(problem, order); }) == 1;
  }

  static std::int64_t sum_of(const Problem& problem, const Answer& order) {
    std::int64_t time = 0;
    std::int64_t sum = 0;
    for (const std::int64_t i : order) {
      sum += time * problem.D[i - 1];
      time += problem.T[i - 1];
    }
    return sum;
  }
};
REDQUEEN_ENVIRONMENT(ProtectingFlowers);

}  // namespace
}  // namespace redqueen
