#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct PipelineArrangement {
  static constexpr Card card{
      .name = "PipelineArrangement",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Order jobs that pass two machines one after the other such that the last one is done "
          "as early as possible.",
      .levels =
          "The number of jobs grows from 3 by a tenth and one a level, the times with it. Beyond "
          "level 60 the lists would be too long to read.",
      .rewards = "-1 malformed, -0.5 not a permutation, else (least time / time)^5.",
      .differences =
          "Of the times on the two machines one is mostly long and the other one short, and both "
          "machines have about as much to do. From 5 jobs on, a problem is drawn again that is "
          "solved by the order given or by sorting by one quantity.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "No order takes more than twice as long as the best, and most take little longer, so "
          "that the fifth power of the ratio pays half to any order. From level 2 on, few orders "
          "are best.",
      .guess_until_level = 2,
      .source =
          "S. Johnson, Optimal two- and three-stage production schedules with setup times "
          "included, 1954.",
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kStrictFrom = 5;
  static constexpr int kDraws = 500;
  static constexpr std::int64_t kMaxTime = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::vector<std::int64_t> B;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, A, B, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem = drawn(config.N, rng);
      problem.gold_answer = time_of(problem, solve(problem));
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      return config.N < kStrictFrom ||
             !some_rule_is_best<PipelineArrangement>(problem, [&](const Answer& order) {
               return time_of(problem, order) == problem.gold_answer;
             });
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{
        .N = n, .A = draw_numbers(n, 1, n, rng), .B = draw_numbers(n, 1, n, rng), .gold_answer = 0};
    problem.gold_answer = time_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 1, kMaxTime));
    RETURN_IF_ERROR(check_numbers("B", problem.B, problem.N, 1, kMaxTime));
    return reference_is("gold_answer", problem.gold_answer, time_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "{0} jobs, numbered from 0 to {1}, pass two machines. Each job is first worked on by the "
        "first machine, for A[i] minutes, and after that by the second machine, for B[i] minutes, "
        "both without a break:\n"
        "{2}\n"
        "{3}\n"
        "A machine works on one job at a time, and both take the jobs in the same order. The first "
        "machine begins at minute 0 and works without pause. The second machine takes the next job "
        "as soon as it is free and the first machine is done with that job. Find an order of the "
        "jobs for which the second machine is done with the last job as early as possible.\n"
        "Answer with the numbers of the jobs in that order on one line, separated by spaces.",
        problem.N, problem.N - 1, with_indices("A", problem.A), with_indices("B", problem.B));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_order(problem.N, answer)) return kInvalidReward;
    return minimise_reward(time_of(problem, answer), problem.gold_answer, kBeta);
  }

  // Johnson's rule: first the jobs that take longer on the second machine, by ascending time on the
  // first one, then the others, by descending time on the second.
  static Answer solve(const Problem& problem) {
    return by(problem, [&](std::int64_t i) {
      const std::int64_t a = problem.A[i];
      const std::int64_t b = problem.B[i];
      return a < b ? std::pair(0, a) : std::pair(1, -b);
    });
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer order = ascending_order(problem.N);
    rng.shuffle(order);
    return order;
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    const auto& a = problem.A;
    const auto& b = problem.B;
    return visit("ascending difference",
                 by(problem, [&](std::int64_t i) { return a[i] - b[i]; })) ||
           visit("the order given", ascending_order(problem.N)) ||
           visit("ascending time on the first machine",
                 by(problem, [&](std::int64_t i) { return a[i]; })) ||
           visit("descending time on the second machine",
                 by(problem, [&](std::int64_t i) { return -b[i]; })) ||
           visit("ascending sum", by(problem, [&](std::int64_t i) { return a[i] + b[i]; }));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<PipelineArrangement>(problem));
  }

 private:
  // The first of equals first.
  template <typename Key>
  static Answer by(const Problem& problem, Key key) {
    Answer order = ascending_order(problem.N);
    std::ranges::sort(order, {}, [&](std::int64_t i) { return std::pair(key(i), i); });
    return order;
  }

  static Problem drawn(int n, Rng& rng) {
    Problem problem{.N = n, .A = {}, .B = {}, .gold_answer = 0};
    for (int i = 0; i < n; ++i) {
      const std::int64_t longer = rng.integer((n + 1) / 2, n);
      const std::int64_t shorter = rng.integer(1, longer);
      const bool longer_first = rng.chance(0.5);
      problem.A.push_back(longer_first ? longer : shorter);
      problem.B.push_back(longer_first ? shorter : longer);
    }
    return problem;
  }

  static std::int64_t time_of(const Problem& problem, const Answer& order) {
    std::int64_t first = 0;
    std::int64_t second = 0;
    for (const std::int64_t i : order) {
      first += problem.A[i];
      second = std::max(second, first) + problem.B[i];
    }
    return second;
  }
};
REDQUEEN_ENVIRONMENT(PipelineArrangement);

}  // namespace
}  // namespace redqueen
