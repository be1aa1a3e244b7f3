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

struct StuntFlying {
  static constexpr Card card{
      .name = "StuntFlying",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Write a sequence of figures in which each repetition earns the value of its figure "
          "times the distance to the last time, such that the sum is greatest.",
      .levels =
          "The sequence grows from 4 places by a tenth and one a level, the number of figures with "
          "it. Beyond level 60 the lists would be too long to read.",
      .rewards =
          "-1 malformed, -0.5 another length or a figure that does not exist, else (sum / greatest "
          "sum)^5.",
      .differences =
          "There are more than half as many figures as places; below 6 places as many, all of "
          "different value. From 6 places on, a problem is drawn again that is solved by nesting "
          "the figures in the order of their numbers, up or down, or by the most valuable ones "
          "twice over.",
      .slow_reason = SlowReason::kStricter,
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kStrictFrom = 6;
  static constexpr int kDraws = 500;
  static constexpr int kMaxLength = 50'000;
  static constexpr std::int64_t kMaxValue = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<std::int64_t> C;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, K, C, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem{.N = config.N, .K = 0, .C = {}, .gold_answer = 0};
      if (config.N < kStrictFrom) {
        problem.K = config.N;
        problem.C = ascending_order(problem.K, 1);
        rng.shuffle(problem.C);
      } else {
        problem.K = static_cast<int>(rng.integer(config.N / 2 + 1, config.N));
        problem.C = draw_numbers(problem.K, 1, problem.K, rng);
      }
      problem.gold_answer = sum_of(problem, solve(problem));
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      return config.N < kStrictFrom || !some_rule_solves<StuntFlying>(problem);
    });
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .K = 0, .C = {}, .gold_answer = 0};
    problem.K = static_cast<int>(rng.integer(2, config.N));
    problem.C = draw_numbers(problem.K, 1, problem.K, rng);
    problem.gold_answer = sum_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxLength));
    RETURN_IF_ERROR(within("K", problem.K, 1, kMaxLength));
    RETURN_IF_ERROR(check_numbers("C", problem.C, problem.K, 1, kMaxValue));
    return reference_is("gold_answer", problem.gold_answer, sum_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "There are {0} figures, numbered from 0 to {1}, with these values:\n"
        "{2}\n"
        "Write a sequence of exactly {3} figures. Any figure may come any number of times, also "
        "not at all. The first time that a figure comes in the sequence earns nothing. Each "
        "further time earns the value of the figure times the difference between the place of this "
        "time and the place of the time before it. Write a sequence that earns as much as "
        "possible.\n"
        "Answer with the numbers of the {3} figures in order on one line, separated by spaces.",
        problem.K, problem.K - 1, with_indices("C", problem.C), problem.N);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kInvalidReward;
    for (const std::int64_t figure : answer) {
      if (figure < 0 || figure >= problem.K) return kInvalidReward;
    }
    return maximise_reward(sum_of(problem, answer), problem.gold_answer, kBeta);
  }

  // A figure earns its value times the distance between its first and its last place.
  static Answer solve(const Problem& problem) { return nested(problem, by_value(problem)); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return draw_numbers(problem.N, 0, problem.K - 1, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const Answer valued = by_value(problem);
    Answer twice(static_cast<std::size_t>(problem.N));
    const std::int64_t half = std::min<std::int64_t>((problem.N + 1) / 2, problem.K);
    for (std::int64_t i = 0; i < problem.N; ++i) twice[i] = valued[i % half];
    const Answer one(static_cast<std::size_t>(problem.N), valued.front());
    return {{"nested by number", nested(problem, ascending_order(problem.K))},
            {"nested by number, down", nested(problem, descending_order(problem.K))},
            {"the most valuable ones, twice over", twice},
            {"only the most valuable one", one}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Answer by_value(const Problem& problem) {
    Answer order = ascending_order(problem.K);
    std::ranges::stable_sort(order, std::greater(), [&](std::int64_t i) { return problem.C[i]; });
    return order;
  }

  // The figures in that order from both ends; the middle repeats the last of them.
  static Answer nested(const Problem& problem, const Answer& order) {
    Answer sequence(static_cast<std::size_t>(problem.N), order.front());
    for (std::size_t i = 0; i < sequence.size() / 2; ++i) {
      const std::int64_t figure = order[std::min(i, order.size() - 1)];
      sequence[i] = sequence[sequence.size() - 1 - i] = figure;
    }
    return sequence;
  }

  static std::int64_t sum_of(const Problem& problem, const Answer& sequence) {
    std::vector<std::int64_t> last(problem.C.size(), -1);
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < std::ssize(sequence); ++i) {
      const std::int64_t figure = sequence[i];
      if (last[figure] >= 0) sum += (i - last[figure]) * problem.C[figure];
      last[figure] = i;
    }
    return sum;
  }
};
REDQUEEN_ENVIRONMENT(StuntFlying);

}  // namespace
}  // namespace redqueen
