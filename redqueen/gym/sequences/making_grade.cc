#include <algorithm>
#include <limits>
#include <queue>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct MakingGrade {
  static constexpr Card card{
      .name = "MakingGrade",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task = "Find the monotone sequence of the least sum of differences from a given sequence.",
      .levels = "The sequence has 4 numbers and one more a level; they go up to N^2.",
      .rewards = "-1 malformed, -0.5 another length or not monotone, else (least sum / sum)^5.",
      .differences =
          "From 6 numbers on, a problem is drawn again that is solved by the running maximum or "
          "minimum from either end, or by the median throughout.",
      .slow_reason = SlowReason::kStricter,
      .source = "USACO 2008 February, Gold, Making the Grade.",
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewNumbers = 6;
  static constexpr int kDraws = 200;
  static constexpr std::int64_t kMaxValue = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, A, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config, rng); },
        [&](const Problem& problem) {
          if (problem.gold_answer == 0) return false;
          return config.N < kFewNumbers || !some_rule_solves<MakingGrade>(problem);
        });
  }

  // Uniform numbers that are not sorted, neither up nor down.
  static Problem published(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config, rng); },
        [](const Problem& problem) { return problem.gold_answer > 0; });
  }

  static Problem draw(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = {}, .gold_answer = 0};
    problem.A = draw_numbers(config.N, 0, std::int64_t{config.N} * config.N, rng);
    problem.gold_answer = cost_of(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, -kMaxValue, kMaxValue));
    return reference_is("gold_answer", problem.gold_answer, cost_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a sequence A[1] to A[{0}] of integers:\n"
        "{1}\n"
        "Find a sequence B[1] to B[{0}] of integers that never decreases from one element to the "
        "next, or that never increases from one element to the next, such that |A[1] - B[1]| + "
        "|A[2] - B[2]| + … + |A[{0}] - B[{0}]| is as small as possible. Equal neighbours are "
        "allowed in B, and B may hold any integers.\n"
        "Answer with B[1] to B[{0}] on one line, separated by spaces.",
        problem.N, format_answer(problem.A));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.N) return kInvalidReward;
    if (!std::ranges::is_sorted(answer) && !std::ranges::is_sorted(answer, std::greater())) {
      return kInvalidReward;
    }
    return minimise_reward(cost_of(problem, answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    Answer negated = problem.A;
    for (std::int64_t& value : negated) value = -value;
    const Answer rising = closest_rising(problem.A);
    Answer falling = closest_rising(negated);
    for (std::int64_t& value : falling) value = -value;
    return cost_of(problem, rising) <= cost_of(problem, falling) ? rising : falling;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer = problem.A;
    std::ranges::sort(answer);
    if (rng.chance(0.5)) std::ranges::reverse(answer);
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer sorted = problem.A;
    std::ranges::sort(sorted);
    const auto running = [&](bool from_left, bool maximum) {
      Answer b = problem.A;
      if (!from_left) std::ranges::reverse(b);
      for (std::size_t i = 1; i < b.size(); ++i) {
        b[i] = maximum ? std::max(b[i - 1], b[i]) : std::min(b[i - 1], b[i]);
      }
      if (!from_left) std::ranges::reverse(b);
      return b;
    };
    return {{"the median throughout", Answer(problem.A.size(), sorted[sorted.size() / 2])},
            {"the greatest so far", running(true, true)},
            {"the least so far", running(true, false)},
            {"the greatest from here on", running(false, true)},
            {"the least from here on", running(false, false)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // At most the greatest 64-bit integer, whatever the answer holds.
  static std::int64_t cost_of(const Problem& problem, const Answer& answer) {
    Int128 cost = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      const Int128 difference = Int128{problem.A[i]} - answer[i];
      cost += difference < 0 ? -difference : difference;
    }
    return static_cast<std::int64_t>(
        std::min<Int128>(cost, std::numeric_limits<std::int64_t>::max()));
  }

  // Isotonic regression in absolute values. The cost of all sequences up to a place that end with
  // at most x is convex in x; the heap holds the places where its slope changes, its top the best
  // last value. From right to left, each value is the best one, but no greater than the next.
  static Answer closest_rising(const Answer& values) {
    std::priority_queue<std::int64_t> slopes;
    Answer best;
    best.reserve(values.size());
    for (const std::int64_t value : values) {
      slopes.push(value);
      if (value < slopes.top()) {
        slopes.pop();
        slopes.push(value);
      }
      best.push_back(slopes.top());
    }
    for (std::size_t i = best.size() - 1; i-- > 0;) best[i] = std::min(best[i], best[i + 1]);
    return best;
  }
};
REDQUEEN_ENVIRONMENT(MakingGrade);

}  // namespace
}  // namespace redqueen
