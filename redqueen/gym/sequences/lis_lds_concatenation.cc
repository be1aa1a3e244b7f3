#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/chain.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct LIS_LDS_Concatenation {
  static constexpr Card card{
      .name = "LIS_LDS_Concatenation",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Choose as many places of an array as possible whose values first rise and then fall.",
      .levels =
          "The array grows from 5 numbers by a fifth a level; they go up to 100000. Beyond level "
          "45 it would be too long to read.",
      .rewards =
          "-1 malformed, -0.5 places that do not ascend or values that do not rise and then fall, "
          "else (places / most places)^5.",
      .differences =
          "A third of the arrays hold small numbers, many of them equal. From 7 numbers on, a "
          "problem is drawn again that is solved by a longest rise or fall alone, or by what lies "
          "on the way to the greatest number and down from it.",
      .slow_reason = SlowReason::kStricter,
      .source = "NOIP 2004, Chorus Formation.",
      .max_level = 45,
  };

  static constexpr int kFewNumbers = 7;
  static constexpr int kDraws = 200;
  static constexpr std::int64_t kMaxValue = 1'000'000'000;

  struct Config {
    int N = 0;
    std::int64_t MAX = 0;
    REDQUEEN_FIELDS(N, MAX)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> array;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, array, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) {
    return {.N = climb(5, level, [](int n) { return 6 * n / 5; }), .MAX = 100'000};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      const bool few_values = rng.chance(1.0 / 3.0);
      Problem problem{.N = config.N, .array = {}, .gold_answer = 0};
      problem.array = draw_numbers(config.N, 0, few_values ? config.N / 2 + 1 : config.MAX, rng);
      problem.gold_answer = std::ssize(solve(problem));
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      return config.N < kFewNumbers || !some_rule_solves<LIS_LDS_Concatenation>(problem);
    });
  }

  // All numbers are uniform up to MAX.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .array = {}, .gold_answer = 0};
    problem.array = draw_numbers(config.N, 0, config.MAX, rng);
    problem.gold_answer = std::ssize(solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_numbers("array", problem.array, problem.N, -kMaxValue, kMaxValue));
    return reference_is<std::int64_t>("gold_answer", problem.gold_answer,
                                      std::ssize(solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array of {} integers, with places from 0:\n"
        "{}\n"
        "Choose places i1 < i2 < … < ik, as many as possible, such that the values at them first "
        "rise strictly up to one of the chosen places and fall strictly from there on. The rise or "
        "the fall may be missing: values that only rise, that only fall, and a single value are "
        "allowed. Two equal values in a row are not.\n"
        "Answer with the chosen places (not the values) in ascending order on one line, separated "
        "by spaces.",
        problem.N, with_indices("A", problem.array));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.empty() || !are_ascending_indices(problem.N, answer)) return kInvalidReward;
    const auto value = [&](std::size_t i) { return problem.array[answer[i]]; };
    std::size_t i = 1;
    while (i < answer.size() && value(i - 1) < value(i)) ++i;
    while (i < answer.size() && value(i - 1) > value(i)) ++i;
    if (i < answer.size()) return kInvalidReward;
    return maximise_reward(std::ssize(answer), problem.gold_answer);
  }

  static Answer solve(const Problem& problem) {
    const Answer& array = problem.array;
    const Answer mirrored(array.rbegin(), array.rend());
    const std::vector<int> rise = chain_lengths(array, Equal::kBreaks);
    const std::vector<int> fall = chain_lengths(mirrored, Equal::kBreaks);
    const int n = problem.N;
    int top = 0;
    for (int i = 1; i < n; ++i) {
      if (rise[i] + fall[n - 1 - i] > rise[top] + fall[n - 1 - top]) top = i;
    }
    Answer places;
    std::int64_t value = array[top] + 1;
    for (int i = top, wanted = rise[top]; wanted > 0; --i) {
      if (rise[i] != wanted || array[i] >= value) continue;
      places.push_back(i);
      value = array[i];
      --wanted;
    }
    std::ranges::reverse(places);
    value = array[top];
    for (int i = top + 1, wanted = fall[n - 1 - top] - 1; wanted > 0; ++i) {
      if (fall[n - 1 - i] != wanted || array[i] >= value) continue;
      places.push_back(i);
      value = array[i];
      --wanted;
    }
    return places;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::int64_t top = rng.integer(0, problem.N - 1);
    return around(problem, top);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer negated = problem.array;
    for (std::int64_t& value : negated) value = -value;
    const auto greatest = std::ranges::max_element(problem.array) - problem.array.begin();
    Answer rise_to_top = longest_chain(
        std::span(problem.array).first(static_cast<std::size_t>(greatest) + 1), Equal::kBreaks);
    for (std::int64_t i = greatest + 1; i < problem.N; ++i) {
      if (problem.array[i] < problem.array[rise_to_top.back()]) rise_to_top.push_back(i);
    }
    return {
        {"a longest rise", longest_chain(problem.array, Equal::kBreaks)},
        {"a longest fall", longest_chain(negated, Equal::kBreaks)},
        {"whatever rises up to the greatest number, and falls after it", around(problem, greatest)},
        {"a longest rise up to the greatest number, and whatever falls after it", rise_to_top}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // From left to right, what is greater than the last place taken but less than the top; then the
  // top, then what is less than the last taken.
  static Answer around(const Problem& problem, std::int64_t top) {
    const Answer& array = problem.array;
    Answer places;
    for (std::int64_t i = 0; i < problem.N; ++i) {
      const bool falls = i > top && array[i] < array[places.back()];
      const bool rises =
          i < top && array[i] < array[top] && (places.empty() || array[i] > array[places.back()]);
      if (i == top || rises || falls) places.push_back(i);
    }
    return places;
  }
};
REDQUEEN_ENVIRONMENT(LIS_LDS_Concatenation);

}  // namespace
}  // namespace redqueen
