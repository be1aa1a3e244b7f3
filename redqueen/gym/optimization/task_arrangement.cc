#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/cuts.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct TaskArrangement {
  static constexpr Card card{
      .name = "TaskArrangement",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Cut a row of tasks into batches that a machine does one after another, each after a "
          "set-up, such that the sum of weight times finishing time is least.",
      .levels =
          "The number of tasks grows from 4 by a tenth and one a level, times and weights with it. "
          "Beyond level 50 the lists would be too long to read.",
      .rewards = "-1 malformed or empty, -0.5 not the ends of batches, else (least cost / cost)^3.",
      .differences =
          "Times and weights are near the ends of their ranges, and set-ups are mostly short. From "
          "6 tasks on, a problem "
          "is drawn again that is solved by batches of one length, by two batches, or by closing "
          "a batch once it takes as long as its set-up.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Costs of different cuts lie close together and only the cube of their ratio is paid, so "
          "that any cut of middling batches earns more than half. Up to level 3, one cut is right "
          "for a fifth of the problems.",
      .guess_until_level = 3,
      .source = "International Olympiad in Informatics 2002, Batch Scheduling.",
      .max_level = 50,
  };

  static constexpr double kBeta = 3.0;
  static constexpr int kStrictFrom = 6;
  static constexpr int kDraws = 500;
  static constexpr int kMaxTasks = 4000;
  static constexpr std::int64_t kMaxAmount = 100'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::int64_t S = 0;
    std::vector<std::int64_t> T;
    std::vector<std::int64_t> F;
    std::int64_t reference_answer_cost = 0;
    REDQUEEN_FIELDS(N, S, T, F, reference_answer_cost)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem = drawn(config.N, rng);
      problem.reference_answer_cost = cost_of_cut(solve(problem), Cost(problem));
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (config.N < kStrictFrom) return true;
      if (some_rule_solves<TaskArrangement>(problem)) return false;
      return config.N > kStrictFrom || rng.chance(share_kept(solve(problem)));
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n,
                    .S = rng.integer(0, 3 * std::int64_t{n}),
                    .T = draw_numbers(n, 1, n, rng),
                    .F = draw_numbers(n, 1, n, rng),
                    .reference_answer_cost = 0};
    problem.reference_answer_cost = cost_of_cut(solve(problem), Cost(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxTasks));
    RETURN_IF_ERROR(within("S", problem.S, 0, kMaxAmount));
    RETURN_IF_ERROR(check_numbers("T", problem.T, problem.N, 1, kMaxAmount));
    RETURN_IF_ERROR(check_numbers("F", problem.F, problem.N, 1, kMaxAmount));
    return reference_is("reference_answer_cost", problem.reference_answer_cost,
                        cost_of_cut(solve(problem), Cost(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A machine does {0} tasks, numbered from 1 to {0}, in the order of their numbers. Task i "
        "takes T[i] minutes and has the weight F[i]:\n"
        "{1}\n"
        "{2}\n"
        "The tasks are cut into one or more batches of tasks with neighbouring numbers. The "
        "machine does one batch after another without pause, from minute 0 on. Before each batch, "
        "the first one too, it is set up, which takes {3} minutes; then it does the tasks of the "
        "batch. All tasks of a batch are finished when the last of them is done. A task costs its "
        "weight times the minute at which it is finished. Cut the tasks into batches such that all "
        "tasks together cost as little as possible.\n"
        "Answer with the number of the last task of each batch, in ascending order on one line, "
        "separated by spaces; the last of them is {0}.",
        problem.N, with_indices("T", problem.T, 1), with_indices("F", problem.F, 1), problem.S);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.empty()) return kMalformedReward;
    if (!is_cut(problem.N, answer)) return kInvalidReward;
    return minimise_reward(cost_of_cut(answer, Cost(problem)), problem.reference_answer_cost,
                           kBeta);
  }

  static Answer solve(const Problem& problem) {
    return cheapest_cuts(problem.N, Cost(problem)).ends(problem.N);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_cut(problem.N, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const Cost cost(problem);
    return {{"each task alone", cut_by_length(problem.N, 1)},
            {"all in one batch", cut_by_length(problem.N, problem.N)},
            {"the best two batches", cheapest_cut_in_two(problem.N, cost)},
            {"batches of the best length", cheapest_cut_by_length(problem.N, cost)},
            {"a batch is closed once it takes as long as its set-up", as_long_as_set_up(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // Of six tasks, some cuts are much more often than others the best one where the rules fail. This
  // evens them out.
  static double share_kept(const Answer& ends) {
    if (ends == Answer{3, 5, 6}) return 0.5;
    if (ends == Answer{2, 5, 6}) return 0.7;
    return ends == Answer{4, 5, 6} ? 0.8 : 1.0;
  }

  // What a batch adds: its time delays its own tasks and all later ones.
  struct Cost {
    std::int64_t set_up;
    std::vector<std::int64_t> time;    // of the first tasks
    std::vector<std::int64_t> weight;  // of all behind them

    explicit Cost(const Problem& problem)
        : set_up(problem.S), time(problem.T.size() + 1), weight(problem.T.size() + 1) {
      std::partial_sum(problem.T.begin(), problem.T.end(), time.begin() + 1);
      for (std::size_t i = problem.F.size(); i-- > 0;) weight[i] = weight[i + 1] + problem.F[i];
    }

    std::int64_t operator()(std::int64_t before, std::int64_t last) const {
      return (set_up + time[last] - time[before]) * weight[before];
    }
  };

  static Problem drawn(int n, Rng& rng) {
    Problem problem{.N = n, .S = 0, .T = {}, .F = {}, .reference_answer_cost = 0};
    problem.S = rng.integer(0, rng.chance(0.3) ? 3 * std::int64_t{n} : n);
    const auto amount = [&] {
      return rng.chance(0.5) ? rng.integer(1, std::max(1, n / 4)) : rng.integer(n - n / 4, n);
    };
    for (int i = 0; i < n; ++i) {
      problem.T.push_back(amount());
      problem.F.push_back(amount());
    }
    return problem;
  }

  static Answer as_long_as_set_up(const Problem& problem) {
    Answer ends;
    std::int64_t time = 0;
    for (std::int64_t i = 1; i < problem.N; ++i) {
      time += problem.T[i - 1];
      if (time < problem.S) continue;
      ends.push_back(i);
      time = 0;
    }
    ends.push_back(problem.N);
    return ends;
  }
};
REDQUEEN_ENVIRONMENT(TaskArrangement);

}  // namespace
}  // namespace redqueen
