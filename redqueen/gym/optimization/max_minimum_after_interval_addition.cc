#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"
#include "redqueen/gym/common/sequence/segments.h"

namespace redqueen {
namespace {

struct MaxMinimum_AfterIntervalAddition {
  static constexpr Card card{
      .name = "MaxMinimum_AfterIntervalAddition",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Choose K intervals of an array, each of which adds A to the numbers that it covers, "
          "such "
          "that the least number becomes as great as possible.",
      .levels =
          "The bound on the numbers of places and of intervals starts at 3 and grows by one a "
          "level; both lie in its upper half.",
      .rewards =
          "-1 malformed, -0.5 not K different intervals, else (least number / greatest such)^5.",
      .differences =
          "The array is made such that K hidden intervals level it out; of three intervals also "
          "one is chosen. With independent numbers one of them often decides alone. From a bound "
          "of 5 on, a problem is drawn again that is solved by the first, the last or the longest "
          "intervals, or by the longest one across the least number, again and again.",
      .slow_reason = SlowReason::kStricter,
      .source = "P4064, JXOI 2017: Addition (Luogu)",
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kSmallBound = 5;
  static constexpr int kDraws = 1000;
  static constexpr int kMaxPlaces = 5000;
  static constexpr std::int64_t kMaxNumber = 1'000'000'000;

  struct Config {
    int MAX_N_M = 0;
    REDQUEEN_FIELDS(MAX_N_M)
  };
  struct Problem {
    int MAX_N_M = 0;
    int N = 0;
    int M = 0;
    int K = 0;
    std::int64_t A = 0;
    std::vector<std::int64_t> ARRAY;
    std::vector<Segment> intervals;  // of places from 1
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(MAX_N_M, N, M, K, A, ARRAY, intervals, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // intervals from 1

  static Config at_level(int level, Rng&) { return {.MAX_N_M = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& problem) {
          if (problem.gold_answer == std::ranges::min(problem.ARRAY)) return false;
          return config.MAX_N_M < kSmallBound ||
                 !some_rule_is_best<MaxMinimum_AfterIntervalAddition>(
                     problem, [&](const Answer& chosen) {
                       return least_number(problem, chosen) == problem.gold_answer;
                     });
        });
  }

  // Any intervals, by length; each number is below a multiple of the bound, which is drawn as well.
  static Problem published(const Config& config, Rng& rng) {
    const int bound = config.MAX_N_M;
    const auto draw = [&](int low, int high) { return static_cast<int>(rng.integer(low, high)); };
    Problem problem{.MAX_N_M = bound,
                    .N = draw(3, bound),
                    .M = draw(3, bound),
                    .K = 0,
                    .A = draw(1, bound),
                    .ARRAY = {},
                    .intervals = {},
                    .gold_answer = 0};
    problem.K = draw(2, problem.M - 1);
    for (int i = 0; i < problem.N; ++i) {
      problem.ARRAY.push_back(draw(1, bound * draw(1, problem.K)));
    }
    for (int i = 0; i < problem.M; ++i) {
      const int length = draw(1, problem.N);
      const int left = draw(1, problem.N - length + 1);
      problem.intervals.emplace_back(left, left + length - 1);
    }
    problem.gold_answer = least_number(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxPlaces));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxPlaces));
    RETURN_IF_ERROR(within("K", problem.K, 1, problem.M));
    RETURN_IF_ERROR(within("A", problem.A, 1, kMaxNumber));
    RETURN_IF_ERROR(check_numbers("ARRAY", problem.ARRAY, problem.N, 1, kMaxNumber));
    RETURN_IF_ERROR(check_segments("intervals", problem.intervals, problem.M, 1, problem.N));
    return reference_is("gold_answer", problem.gold_answer, least_number(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (int i = 0; i < problem.M; ++i) {
      const auto& [left, right] = problem.intervals[i];
      append_format(list, "{} {} {}\n", i + 1, left, right);
    }
    return fmt::format(
        "Here are {0} numbers with their places:\n"
        "{1}\n"
        "Each of these {2} lines gives the number of an interval and its first and last place; it "
        "covers these two and all places between them:\n"
        "{3}"
        "Choose exactly {4} of the intervals. Each chosen interval adds {5} to every number that "
        "it covers, so that a number covered by several of them grows several times. The least of "
        "the {0} numbers must be as great as possible afterwards.\n"
        "Answer with the numbers of the chosen intervals in any order on one line, separated by "
        "spaces.",
        problem.N, with_indices("x", problem.ARRAY, 1), problem.M, list, problem.K, problem.A);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.K || !are_distinct_indices(problem.M, answer, 1)) {
      return kInvalidReward;
    }
    return maximise_reward(least_number(problem, answer), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    std::int64_t low = std::ranges::min(problem.ARRAY);
    std::int64_t high = low + problem.A * problem.K;
    const Answer order = by_left_end(problem);
    Answer best = *reaching(problem, order, low);
    while (low < high) {
      const std::int64_t middle = low + (high - low + 1) / 2;
      if (auto chosen = reaching(problem, order, middle)) {
        best = std::move(*chosen);
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return filled_up(problem, std::move(best));
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.sample(1, problem.M, static_cast<std::size_t>(problem.K));
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    Answer by_length(problem.intervals.size());
    std::iota(by_length.begin(), by_length.end(), 1);
    const auto k = static_cast<std::ptrdiff_t>(problem.K);
    if (visit("the first", Answer(by_length.begin(), by_length.begin() + k)) ||
        visit("the last", Answer(by_length.end() - k, by_length.end())) ||
        visit("the longest across the least number, again and again", across_least(problem))) {
      return true;
    }
    std::ranges::stable_sort(by_length, std::greater(),
                             [&](std::int64_t i) { return length(problem, i); });
    by_length.resize(static_cast<std::size_t>(problem.K));
    return visit("the longest", by_length);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<MaxMinimum_AfterIntervalAddition>(problem));
  }

 private:
  static int length(const Problem& problem, std::int64_t interval) {
    const auto& [left, right] = problem.intervals[interval - 1];
    return right - left + 1;
  }

  // The first K intervals level the array out, up to some noise; then they are mixed.
  static Problem drawn(const Config& config, Rng& rng) {
    const int bound = config.MAX_N_M;
    Problem problem{
        .MAX_N_M = bound,
        .N = static_cast<int>(rng.integer(std::max(3, bound / 2), bound)),
        .M = static_cast<int>(rng.integer(std::max({3, bound / 2, std::min(bound - 1, 5)}), bound)),
        .K = 0,
        .A = rng.integer(1, bound),
        .ARRAY = {},
        .intervals = {},
        .gold_answer = 0};
    const int fewest = problem.M == 3 ? 1 : 2;
    problem.K = static_cast<int>(rng.integer(fewest, std::max(2, 2 * problem.M / 3)));
    std::vector<std::int64_t> covering(static_cast<std::size_t>(problem.N));
    for (int i = 0; i < problem.M; ++i) {
      const int size = static_cast<int>(rng.integer(1, problem.N));
      const int left = static_cast<int>(rng.integer(1, problem.N - size + 1));
      problem.intervals.emplace_back(left, left + size - 1);
      for (int place = left; i < problem.K && place < left + size; ++place) ++covering[place - 1];
    }
    const std::int64_t level = problem.A * std::ranges::max(covering) + 1;
    for (const std::int64_t times : covering) {
      problem.ARRAY.push_back(level - problem.A * times + rng.integer(0, problem.A));
    }
    rng.shuffle(problem.intervals);
    problem.gold_answer = least_number(problem, solve(problem));
    return problem;
  }

  static std::int64_t least_number(const Problem& problem, const Answer& chosen) {
    std::vector<std::int64_t> change(problem.ARRAY.size() + 1);
    for (const std::int64_t interval : chosen) {
      const auto& [left, right] = problem.intervals[interval - 1];
      ++change[left - 1];
      --change[right];
    }
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t covering = 0;
    for (int i = 0; i < problem.N; ++i) {
      covering += change[i];
      least = std::min(least, problem.ARRAY[i] + problem.A * covering);
    }
    return least;
  }

  static Answer by_left_end(const Problem& problem) {
    Answer order(problem.intervals.size());
    std::iota(order.begin(), order.end(), 1);
    std::ranges::sort(order, {}, [&](std::int64_t i) { return problem.intervals[i - 1].first; });
    return order;
  }

  // At most K intervals with which no number is below `target`; nullopt: there are none. From left
  // to right, whatever is too small takes the intervals that reach farthest to the right.
  static std::optional<Answer> reaching(const Problem& problem, const Answer& by_left,
                                        std::int64_t target) {
    std::priority_queue<std::pair<int, std::int64_t>> open;  // right end, interval
    std::vector<std::int64_t> ending(problem.ARRAY.size() + 2);
    std::int64_t covering = 0;
    std::size_t next = 0;
    Answer chosen;
    for (int place = 1; place <= problem.N; ++place) {
      covering -= ending[place];
      for (; next < by_left.size(); ++next) {
        const auto& [left, right] = problem.intervals[by_left[next] - 1];
        if (left > place) break;
        open.emplace(right, by_left[next]);
      }
      while (problem.ARRAY[place - 1] + problem.A * covering < target) {
        if (open.empty() || open.top().first < place) return std::nullopt;
        if (std::ssize(chosen) == problem.K) return std::nullopt;
        const auto [right, interval] = open.top();
        open.pop();
        chosen.push_back(interval);
        ++covering;
        ++ending[right + 1];
      }
    }
    return chosen;
  }

  // K intervals with these; more never harm.
  static Answer filled_up(const Problem& problem, Answer chosen) {
    std::vector<char> taken(problem.intervals.size());
    for (const std::int64_t interval : chosen) taken[interval - 1] = 1;
    for (int i = 1; std::ssize(chosen) < problem.K; ++i) {
      if (taken[i - 1] == 0) chosen.push_back(i);
    }
    std::ranges::sort(chosen);
    return chosen;
  }

  static Answer across_least(const Problem& problem) {
    std::vector<std::int64_t> numbers = problem.ARRAY;
    std::vector<char> taken(problem.intervals.size());
    Answer chosen;
    while (std::ssize(chosen) < problem.K) {
      const auto place = std::ranges::min_element(numbers) - numbers.begin() + 1;
      std::int64_t best = 0;
      for (std::int64_t i = 1; i <= problem.M; ++i) {
        const auto& [left, right] = problem.intervals[i - 1];
        if (taken[i - 1] == 1 || left > place || right < place) continue;
        if (best == 0 || length(problem, i) > length(problem, best)) best = i;
      }
      if (best == 0) return filled_up(problem, chosen);
      const auto& [left, right] = problem.intervals[best - 1];
      for (int i = left; i <= right; ++i) numbers[i - 1] += problem.A;
      taken[best - 1] = 1;
      chosen.push_back(best);
    }
    return chosen;
  }
};
REDQUEEN_ENVIRONMENT(MaxMinimum_AfterIntervalAddition);

}  // namespace
}  // namespace redqueen
