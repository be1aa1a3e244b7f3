#include <algorithm>
#include <limits>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/min_cost_flow.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"
#include "redqueen/gym/common/sequence/segments.h"

namespace redqueen {
namespace {

struct MinimumIntervalCoverage {
  static constexpr Card card{
      .name = "MinimumIntervalCoverage",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Buy intervals, each any number of times, such that every point is covered as often as "
          "it needs and the price is least.",
      .levels =
          "The number of points grows from 3 by a tenth and one a level; there are one and a half "
          "to four times as many intervals. Beyond level 36 the best choice would take long to "
          "find.",
      .rewards =
          "-1 malformed or not a number for each interval, -0.5 a negative one or a point that is "
          "covered too little, else (least price / price)^5.",
      .differences =
          "The published ladder also has fewer intervals than that, which leaves little choice. "
          "From 5 points on, a problem is drawn again that is solved by going from left to right, "
          "or by price per point that still lacks cover.",
      .slow_reason = SlowReason::kStricter,
      .source = "National Olympiad in Informatics (China) 2008, volunteers (Luogu P3980)",
      .max_level = 36,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kStrictFrom = 5;
  static constexpr int kDraws = 300;
  static constexpr int kMaxPoints = 400;
  static constexpr std::int64_t kMaxIntervals = 4 * kMaxPoints;
  static constexpr std::int64_t kMaxNeed = kMaxPoints;
  static constexpr std::int64_t kMaxPrice = 1'000'000;

  struct Config {
    int N = 0;
    int M = 0;
    REDQUEEN_FIELDS(N, M)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<PricedSegment> intervals;
    std::vector<std::int64_t> NEEDS;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, M, intervals, NEEDS, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    const double intervals_per_point = static_cast<double>(rng.integer(15, 40)) / 10.0;
    return {.N = n, .M = static_cast<int>(intervals_per_point * n)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem = drawn(config, rng);
      problem.gold_answer = static_cast<std::int64_t>(price_of(problem, solve(problem)));
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      if (problem.gold_answer == 0) return false;
      return config.N < kStrictFrom || !some_rule_solves<MinimumIntervalCoverage>(problem);
    });
  }

  static Config published_level(int level, Rng& rng) {
    const int n = grow_by_tenth(3, level);
    std::vector<double> intervals_per_point{0.7, 0.9};
    for (int tenths = 10; tenths <= 40; ++tenths) intervals_per_point.push_back(tenths / 10.0);
    return {.N = n, .M = static_cast<int>(rng.choice(intervals_per_point) * n)};
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem = drawn(config, rng);
    problem.gold_answer = static_cast<std::int64_t>(price_of(problem, solve(problem)));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxPoints));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxIntervals));
    RETURN_IF_ERROR(
        check_segments("intervals", problem.intervals, problem.M, 1, problem.N, kMaxPrice));
    RETURN_IF_ERROR(check_numbers("NEEDS", problem.NEEDS, problem.N, 0, kMaxNeed));
    const std::vector<char> coverable = coverable_points(problem);
    for (int point = 1; point <= problem.N; ++point) {
      if (problem.NEEDS[point - 1] > 0 && !coverable[point]) {
        return failure("\"NEEDS\": no interval covers point {}", point);
      }
    }
    return reference_is("gold_answer", Int128{problem.gold_answer},
                        price_of(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "There are {0} intervals, numbered from 0 to {1}. Each of these lines gives an interval's "
        "number, its first point, its last point and its price:\n"
        "{2}\n"
        "An interval covers all integers from its first to its last point. You may buy any "
        "interval any number of times, also not at all; each time costs its price and covers its "
        "points once more. Point i has to be covered at least need[i] times in all:\n"
        "{3}\n"
        "Buy such that the sum of what you pay is as small as possible.\n"
        "Answer with {0} integers on one line, separated by spaces: how often you buy the "
        "intervals 0 to {1}, in this order.",
        problem.M, problem.M - 1, format_segments(problem.intervals),
        with_indices("need", problem.NEEDS, 1));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.M) return kMalformedReward;
    std::vector<Int128> change(problem.NEEDS.size() + 1);  // of the cover, from point to point
    for (std::size_t i = 0; i < answer.size(); ++i) {
      if (answer[i] < 0) return kInvalidReward;
      const auto& [left, right, price] = problem.intervals[i];
      change[left - 1] += answer[i];
      change[right] -= answer[i];
    }
    Int128 cover = 0;
    for (std::size_t i = 0; i < problem.NEEDS.size(); ++i) {
      cover += change[i];
      if (cover < problem.NEEDS[i]) return kInvalidReward;
    }
    return minimise_reward(price_of(problem, answer), Int128{problem.gold_answer}, kBeta);
  }

  // A flow over the gaps between points: an interval carries units from the gap before it to the
  // gap behind it, cover that is not needed goes back for free, and what flows across a point is
  // what it needs.
  static Answer solve(const Problem& problem) {
    const int source = problem.N + 1;
    const int sink = problem.N + 2;
    CostNetwork network(problem.N + 3);
    for (const auto& [left, right, price] : problem.intervals) {
      network.add_arc(left - 1, right, CostNetwork::kUnbounded, price);
    }
    std::int64_t before = 0;
    for (int gap = 0; gap <= problem.N; ++gap) {
      if (gap > 0) network.add_arc(gap, gap - 1, CostNetwork::kUnbounded, 0);
      const std::int64_t next = gap < problem.N ? problem.NEEDS[gap] : 0;
      if (next > before) network.add_arc(source, gap, next - before, 0);
      if (next < before) network.add_arc(gap, sink, before - next, 0);
      before = next;
    }
    network.maximise_flow(source, sink);
    Answer times;
    times.reserve(problem.intervals.size());
    for (int i = 0; i < problem.M; ++i) times.push_back(network.flow(i));
    return times;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer times(problem.intervals.size());
    for (std::int64_t& count : times) count = rng.integer(0, problem.N);
    return times;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto price = [](const PricedSegment& s, int) { return std::pair(std::get<2>(s), 1); };
    const auto reach = [](const PricedSegment& s, int) { return std::pair(1, std::get<1>(s)); };
    const auto per_point = [](const PricedSegment& s, int point) {
      return std::pair(std::get<2>(s), std::get<1>(s) - point + 1);
    };
    return {
        {"from the left, the cheapest interval that covers what lacks", from_left(problem, price)},
        {"from the left, the interval that reaches farthest", from_left(problem, reach)},
        {"from the left, the least price per point from here on", from_left(problem, per_point)},
        {"the least price per point that lacks cover, again and again",
         by_price_per_lack(problem)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static Problem drawn(const Config& config, Rng& rng) {
    constexpr std::int64_t kPricePerPoint = 3;
    Problem problem{.N = config.N, .M = config.M, .intervals = {}, .NEEDS = {}, .gold_answer = 0};
    problem.intervals.reserve(config.M);
    for (int i = 0; i < config.M; ++i) {
      auto left = static_cast<int>(rng.integer(1, config.N));
      auto right = static_cast<int>(rng.integer(1, config.N));
      if (left > right) std::swap(left, right);
      problem.intervals.emplace_back(left, right,
                                     rng.integer(1, kPricePerPoint * (right - left + 1)));
    }
    const std::vector<char> coverable = coverable_points(problem);
    for (int point = 1; point <= config.N; ++point) {
      problem.NEEDS.push_back(coverable[point] ? rng.integer(0, config.N) : 0);
    }
    return problem;
  }

  // By point, from 1.
  static std::vector<char> coverable_points(const Problem& problem) {
    std::vector<char> coverable(static_cast<std::size_t>(problem.N) + 1);
    for (const auto& [left, right, price] : problem.intervals) {
      std::fill(coverable.begin() + left, coverable.begin() + right + 1, 1);
    }
    return coverable;
  }

  static Int128 price_of(const Problem& problem, const Answer& times) {
    Int128 price = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      price += Int128{times[i]} * std::get<2>(problem.intervals[i]);
    }
    return price;
  }

  // Each point from the left takes what it lacks from the interval over it whose fraction value(…)
  // is least.
  template <typename Value>
  static Answer from_left(const Problem& problem, Value value) {
    Answer times(problem.intervals.size(), 0);
    std::vector<std::int64_t> lack = problem.NEEDS;
    for (int point = 1; point <= problem.N; ++point) {
      if (lack[point - 1] <= 0) continue;
      std::size_t best = times.size();
      for (std::size_t i = 0; i < times.size(); ++i) {
        const auto& [left, right, price] = problem.intervals[i];
        if (left > point || right < point) continue;
        if (best < times.size()) {
          const auto mine = value(problem.intervals[i], point);
          const auto its = value(problem.intervals[best], point);
          if (mine.first * its.second >= its.first * mine.second) continue;
        }
        best = i;
      }
      const std::int64_t count = lack[point - 1];
      times[best] += count;
      for (int p = point; p <= std::get<1>(problem.intervals[best]); ++p) lack[p - 1] -= count;
    }
    return times;
  }

  static Answer by_price_per_lack(const Problem& problem) {
    Answer times(problem.intervals.size(), 0);
    std::vector<std::int64_t> lack = problem.NEEDS;
    std::vector<std::int64_t> lacking(lack.size() + 1);  // points up to each
    while (true) {
      for (std::size_t p = 0; p < lack.size(); ++p) lacking[p + 1] = lacking[p] + (lack[p] > 0);
      if (lacking.back() == 0) return times;
      std::size_t best = times.size();
      std::int64_t most = 0;
      for (std::size_t i = 0; i < times.size(); ++i) {
        const auto& [left, right, price] = problem.intervals[i];
        const std::int64_t gain = lacking[right] - lacking[left - 1];
        if (gain == 0) continue;
        if (most == 0 || gain * std::get<2>(problem.intervals[best]) > most * price) {
          best = i;
          most = gain;
        }
      }
      const auto& [left, right, price] = problem.intervals[best];
      std::int64_t count = std::numeric_limits<std::int64_t>::max();
      for (int p = left; p <= right; ++p) {
        if (lack[p - 1] > 0) count = std::min(count, lack[p - 1]);
      }
      times[best] += count;
      for (int p = left; p <= right; ++p) lack[p - 1] -= count;
    }
  }
};
REDQUEEN_ENVIRONMENT(MinimumIntervalCoverage);

}  // namespace
}  // namespace redqueen
