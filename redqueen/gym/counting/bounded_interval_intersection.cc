#include <algorithm>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"

namespace redqueen {
namespace {

struct BoundedIntervalIntersection {
  static constexpr Card card{
      .name = "BoundedIntervalIntersection",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task =
          "Count the non-empty sets of given intervals whose intersection has at least a given "
          "length.",
      .levels =
          "The number of intervals grows from 3 by a tenth and one a level, and the range of "
          "their ends with it. Beyond level 60 the count would have more digits than an answer "
          "may have.",
      .rewards =
          "-1 malformed or negative, else (smaller / larger of answer and count)^10, which is 1 "
          "only if right.",
      .differences =
          "No interval is a point, and the length lies between the lower quartile and the median "
          "of the intervals' lengths instead of below the shortest, where it was 1 nearly always "
          "and the count often 0 or 1.",
      .max_level = 60,
  };

  // 2^N must have no more than the 4300 digits that an answer can have.
  static constexpr int kMaxIntervals = 14000;
  static constexpr std::int64_t kMaxCoordinate = 1'000'000'000'000'000;

  using Interval = std::pair<std::int64_t, std::int64_t>;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Interval> intervals;
    std::int64_t K = 0;
    REDQUEEN_FIELDS(N, intervals, K)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .intervals = {}, .K = 0};
    problem.intervals.reserve(config.N);
    std::vector<std::int64_t> lengths;
    lengths.reserve(config.N);
    for (int i = 0; i < config.N; ++i) {
      // Two different ends, uniform over all such pairs.
      std::int64_t left = rng.integer(0, config.N);
      std::int64_t right = rng.integer(0, config.N - 1);
      if (right >= left) ++right;
      if (left > right) std::swap(left, right);
      problem.intervals.emplace_back(left, right);
      lengths.push_back(right - left);
    }
    std::ranges::sort(lengths);
    problem.K = rng.integer(lengths[(lengths.size() - 1) / 4], lengths[(lengths.size() - 1) / 2]);
    return problem;
  }

  // The left end of an interval is uniform, the right one from there on, and K up to the shortest
  // length.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .intervals = {}, .K = 0};
    problem.intervals.reserve(config.N);
    std::int64_t shortest = config.N;
    for (int i = 0; i < config.N; ++i) {
      const std::int64_t left = rng.integer(0, config.N);
      const std::int64_t right = rng.integer(left, config.N);
      problem.intervals.emplace_back(left, right);
      shortest = std::min(shortest, right - left);
    }
    problem.K = rng.integer(1, std::max<std::int64_t>(shortest, 1));
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.N > kMaxIntervals ||
        problem.intervals.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"intervals\": expected \"N\" of them, 1 to {}, found {}", kMaxIntervals,
                     problem.intervals.size());
    }
    for (const auto& [left, right] : problem.intervals) {
      if (left < -kMaxCoordinate || right > kMaxCoordinate || left > right) {
        return failure("\"intervals\": [{}, {}] is not an interval within ±{}", left, right,
                       kMaxCoordinate);
      }
    }
    if (problem.K < 1 || problem.K > 2 * kMaxCoordinate) {
      return failure("\"K\": {} is not in 1..{}", problem.K, 2 * kMaxCoordinate);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (const auto& [left, right] : problem.intervals) {
      append_format(list, "[{}, {}] ", left, right);
    }
    list.pop_back();
    return fmt::format(
        "Here are {} intervals, each from its left end to its right end:\n"
        "{}\n"
        "The length of an interval is its right end minus its left end. In how many ways can one "
        "or more of these intervals be chosen so that the part of the number line which all "
        "chosen ones have in common has a length of at least {}? Equal intervals that are listed "
        "more than once count as different ones.\n"
        "Answer with one integer.",
        problem.N, list, problem.K);
  }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return count_reward(answer, right, 0);
  }

  // Every choice is counted at its interval that starts last: the others are any of those before it
  // that reach K beyond its start.
  static Answer solve(const Problem& problem) {
    std::vector<Interval> by_start = problem.intervals;
    std::ranges::sort(by_start);
    std::vector<std::int64_t> ends;                          // a heap, the smallest on top
    std::vector<std::int64_t> choices(by_start.size() + 1);  // choices[e] times 2^e
    for (const auto& [left, right] : by_start) {
      const std::int64_t reach = left + problem.K;
      if (right < reach) continue;
      while (!ends.empty() && ends.front() < reach) {
        std::ranges::pop_heap(ends, std::greater());
        ends.pop_back();
      }
      ++choices[ends.size()];
      ends.push_back(right);
      std::ranges::push_heap(ends, std::greater());
    }
    return weighted_by_powers_of_two(choices);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

 private:
  static BigInt weighted_by_powers_of_two(const std::vector<std::int64_t>& counts) {
    BigInt sum = 0;
    for (auto count = counts.rbegin(); count != counts.rend(); ++count) sum = (sum << 1) + *count;
    return sum;
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(BoundedIntervalIntersection);

}  // namespace
}  // namespace redqueen
