#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct WIL {
  static constexpr Card card{
      .name = "WIL",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Set an interval of bounded length of an array to 0, then find the longest interval "
          "whose sum does not exceed a bound.",
      .levels =
          "The array grows from 3 numbers by a tenth and one a level. Beyond level 75 it would be "
          "too long to read.",
      .rewards =
          "-1 malformed, -0.5 no intervals, the first too long or the second too heavy, else "
          "(length / greatest length)^5.",
      .differences =
          "The first interval has at most about a quarter of the array. One interval alone is the "
          "longest second one. From 5 numbers on, a problem is drawn again that is solved by "
          "clearing the first or the last places, the heaviest interval, or what follows the "
          "longest interval that is light as given.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "At level 2, one of five numbers is cleared. Where the rules fail, eight answers remain, "
          "and some of them seldom.",
      .guess_until_level = 2,
      .source = "POI XXII (2015), Wolf Pits (Wilcze doly).",
      .max_level = 75,
  };

  static constexpr int kFewNumbers = 5;
  static constexpr int kManyNumbers = 12;
  static constexpr int kDraws = 300;
  static constexpr int kDrawsOfAPlan = 20;  // before other intervals are to be right
  static constexpr std::int64_t kMaxValue = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    int D = 0;
    std::int64_t P = 0;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, A, D, P, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // l1 r1 l2 r2, from 1

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Plan plan;
    for (int draw = 0; draw < kDraws; ++draw) {
      if (draw % kDrawsOfAPlan == 0) plan = draw_plan(config.N, rng);
      Problem problem = drawn(plan, rng);
      if (problem.gold_answer == 0) continue;
      if (config.N < kFewNumbers || !some_rule_is_best<WIL>(problem, [&](const Answer& answer) {
            return length_of(answer) >= problem.gold_answer;
          })) {
        return problem;
      }
    }
    throw Retry();
  }

  // The array and D are uniform; P is uniform up to what the numbers but the D largest weigh.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .A = draw_numbers(n, 1, n, rng), .D = 0, .P = 0, .gold_answer = 0};
    problem.D = static_cast<int>(rng.integer(1, n - 1));
    std::vector<std::int64_t> sorted = problem.A;
    std::ranges::sort(sorted);
    problem.P =
        rng.integer(1, std::accumulate(sorted.begin(), sorted.end() - problem.D, std::int64_t{0}));
    problem.gold_answer = length_of(solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 1, kMaxValue));
    RETURN_IF_ERROR(within("D", problem.D, 1, problem.N));
    RETURN_IF_ERROR(within("P", problem.P, 0, std::int64_t{1} << 60));
    return reference_is("gold_answer", problem.gold_answer, length_of(solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array of {0} positive integers, with places from 1 to {0}:\n"
        "{1}\n"
        "First choose an interval of places from l1 to r1, at least 1 and at most {2} of them, and "
        "set all its elements to 0. Then choose an interval of places from l2 to r2, at least one, "
        "such that the sum of its elements, in the changed array, is at most {3}. All of l1, r1, "
        "l2 and r2 belong to their intervals. The second interval shall be as long as possible.\n"
        "Answer with the four integers l1 r1 l2 r2 on one line, separated by spaces.",
        problem.N, with_indices("A", problem.A, 1), problem.D, problem.P);
  }

  static std::optional<Answer> parse(std::string_view text) {
    auto answer = parse_int_list(text);
    if (answer && answer->size() != 4) return std::nullopt;
    return answer;
  }

  static double score(const Problem& problem, const Answer& answer) {
    for (const int i : {0, 2}) {
      if (answer[i] < 1 || answer[i + 1] < answer[i] || answer[i + 1] > problem.N) {
        return kInvalidReward;
      }
    }
    if (answer[1] - answer[0] >= problem.D) return kInvalidReward;
    std::int64_t sum = 0;
    for (std::int64_t i = answer[2]; i <= answer[3]; ++i) {
      if (i < answer[0] || i > answer[1]) sum += problem.A[i - 1];
    }
    if (sum > problem.P) return kInvalidReward;
    return maximise_reward(length_of(answer), problem.gold_answer);
  }

  // For each right end, the furthest left end never moves left. Of the intervals of D places
  // inside, those that may be the heaviest wait in a queue, by their last places.
  static Answer solve(const Problem& problem) {
    const std::vector<std::int64_t> sums = prefix_sums(problem);
    const auto weight = [&](int last) { return sums[last] - sums[last - problem.D]; };
    std::vector<int> queue;
    queue.reserve(problem.A.size());
    std::size_t head = 0;
    Answer best{1, problem.D, 1, problem.D};
    int left = 1;
    for (int right = problem.D; right <= problem.N; ++right) {
      while (queue.size() > head && weight(queue.back()) <= weight(right)) queue.pop_back();
      queue.push_back(right);
      while (sums[right] - sums[left - 1] - weight(queue[head]) > problem.P) {
        ++left;
        if (queue[head] - problem.D + 1 < left) ++head;
      }
      const int cleared = queue[head];
      if (right - left + 1 > length_of(best))
        best = {cleared - problem.D + 1, cleared, left, right};
    }
    return best;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::int64_t first = rng.integer(1, problem.N - problem.D + 1);
    return {first, first + problem.D - 1, first, first + problem.D - 1};
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    if (visit("clear and take the first places", Answer{1, problem.D, 1, problem.D}) ||
        visit("clear the first places", longest_with(problem, problem.D)) ||
        visit("clear the last places", longest_with(problem, problem.N))) {
      return true;
    }
    const std::vector<std::int64_t> sums = prefix_sums(problem);
    std::int64_t heaviest = problem.D;
    for (std::int64_t last = problem.D; last <= problem.N; ++last) {
      const auto weight = [&](std::int64_t at) { return sums[at] - sums[at - problem.D]; };
      if (weight(last) > weight(heaviest)) heaviest = last;
    }
    if (visit("clear the heaviest interval", longest_with(problem, heaviest))) return true;
    // The longest light interval as given, and what is cleared next to it.
    std::int64_t from = 1;
    std::int64_t end = 0;
    for (std::int64_t left = 1, right = 1; right <= problem.N; ++right) {
      while (sums[right] - sums[left - 1] > problem.P) ++left;
      if (right - left > end - from) {
        from = left;
        end = right;
      }
    }
    const std::int64_t after = std::min<std::int64_t>(end + 1, problem.N - problem.D + 1);
    return visit("clear what follows the longest that is light as given",
                 longest_with(problem, after + problem.D - 1));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<WIL>(problem));
  }

 private:
  // What is to be right.
  struct Plan {
    std::int64_t n = 0;
    std::int64_t d = 0;
    std::int64_t first = 0;  // the second interval has `length` places from here, counted from 0
    std::int64_t length = 0;
    std::int64_t cleared = 0;  // the first interval has d places from here, within the second
  };

  static Plan draw_plan(std::int64_t n, Rng& rng) {
    Plan plan{.n = n};
    plan.d = rng.integer(1, std::max<std::int64_t>(1, n / 4));
    const std::int64_t longest = n < kManyNumbers ? n - 1 : 2 * n / 3;
    plan.length = rng.integer(plan.d + 1, std::max(plan.d + 1, longest));
    plan.first = rng.integer(0, n - plan.length);
    plan.cleared = plan.first + rng.integer(0, plan.length - plan.d);
    return plan;
  }

  // The bound is such that just one interval of the length can be had; of few numbers, that of the
  // plan. A problem with a length of 0 where this cannot be.
  static Problem drawn(const Plan& plan, Rng& rng) {
    const std::int64_t n = plan.n;
    Problem problem{.N = static_cast<int>(n),
                    .A = draw_numbers(n, 1, n, rng),
                    .D = static_cast<int>(plan.d),
                    .P = 0,
                    .gold_answer = 0};
    const bool few = n < kManyNumbers;
    if (few) {
      for (std::int64_t i = plan.first; i < plan.first + plan.length; ++i) {
        const bool is_cleared = i >= plan.cleared && i < plan.cleared + plan.d;
        problem.A[i] = is_cleared ? rng.integer(n / 2, n) : rng.integer(1, (n + 1) / 2);
      }
    }
    const auto [least, next] = two_least_sums(problem, plan.length);
    if (least == next) return problem;
    if (few && sum_without(problem, plan) > least) return problem;
    problem.P = rng.integer(least, next - 1);
    problem.gold_answer = plan.length;
    return problem;
  }

  // Of the plan's second interval, without the first.
  static std::int64_t sum_without(const Problem& problem, const Plan& plan) {
    std::int64_t sum = 0;
    for (std::int64_t i = plan.first; i < plan.first + plan.length; ++i) sum += problem.A[i];
    for (std::int64_t i = plan.cleared; i < plan.cleared + plan.d; ++i) sum -= problem.A[i];
    return sum;
  }

  // Of the intervals of this length without the heaviest D places inside, the two least sums.
  // D < length < N.
  static std::pair<std::int64_t, std::int64_t> two_least_sums(const Problem& problem,
                                                              std::int64_t length) {
    const std::vector<std::int64_t> sums = prefix_sums(problem);
    const auto weight = [&](std::int64_t last) { return sums[last] - sums[last - problem.D]; };
    std::vector<std::int64_t> queue;  // last places of what may be the heaviest
    queue.reserve(problem.A.size());
    std::size_t head = 0;
    std::int64_t least = std::int64_t{1} << 60;
    std::int64_t next = least;
    for (std::int64_t right = problem.D; right <= problem.N; ++right) {
      while (queue.size() > head && weight(queue.back()) <= weight(right)) queue.pop_back();
      queue.push_back(right);
      if (right < length) continue;
      if (queue[head] - problem.D < right - length) ++head;
      const std::int64_t sum = sums[right] - sums[right - length] - weight(queue[head]);
      next = std::min(next, std::max(least, sum));
      least = std::min(least, sum);
    }
    return {least, next};
  }

  static std::int64_t length_of(const Answer& answer) { return answer[3] - answer[2] + 1; }

  static std::vector<std::int64_t> prefix_sums(const Problem& problem) {
    std::vector<std::int64_t> sums(problem.A.size() + 1);
    std::partial_sum(problem.A.begin(), problem.A.end(), sums.begin() + 1);
    return sums;
  }

  // The best second interval when the D places up to `last` are cleared.
  static Answer longest_with(const Problem& problem, std::int64_t last) {
    const std::int64_t first = last - problem.D + 1;
    Answer best{first, last, first, last};
    std::int64_t sum = 0;
    for (std::int64_t left = 1, right = 1; right <= problem.N; ++right) {
      const auto value = [&](std::int64_t at) {
        return at >= first && at <= last ? 0 : problem.A[at - 1];
      };
      sum += value(right);
      while (sum > problem.P) sum -= value(left++);
      if (right - left + 1 > length_of(best)) best = {first, last, left, right};
    }
    return best;
  }
};
REDQUEEN_ENVIRONMENT(WIL);

}  // namespace
}  // namespace redqueen
