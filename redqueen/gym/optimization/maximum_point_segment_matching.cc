#include <algorithm>
#include <functional>
#include <queue>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/hardening.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"
#include "redqueen/gym/common/sequence/order.h"
#include "redqueen/gym/common/sequence/segments.h"

namespace redqueen {
namespace {

struct MaximumPointSegmentMatching {
  static constexpr Card card{
      .name = "MaximumPointSegmentMatching",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kPairs,
      .scoring = Scoring::kMaximise,
      .task =
          "Pair points of a line with segments that contain them, each at most once, in as many "
          "pairs as can be.",
      .levels =
          "Points, segments and coordinates are bounded by a number that grows from 3 by a tenth "
          "and one a level. Beyond level 60 the lists would be too long to read.",
      .rewards =
          "-1 malformed, -0.5 a number that does not exist or comes twice, or a point outside its "
          "segment, else (pairs / most pairs)^5.",
      .differences =
          "Segments are short, and there are at least two thirds of the points and segments that "
          "the bound allows. From a bound of 5 on, a problem is drawn again that is solved by "
          "taking points or segments in a simple order, each with the first or the leftmost that "
          "is free. Below a bound of 12, where draws seldom are not, three points and three "
          "segments that these rules fail at are planted, and the problem is changed bit by bit "
          "as long as they do.",
      .slow_reason = SlowReason::kStricter,
      .source = "USACO 2017 February, Silver, Why Did the Cow Cross the Road",
      .version = 2,
      .max_level = 60,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kStrictFrom = 5;
  static constexpr int kDrawnFrom = 12;
  static constexpr int kSteps = 12;  // of changes to what is planted
  static constexpr int kDraws = 500;
  static constexpr int kMaxBound = 10'000;

  struct Config {
    int MAX_C_N = 0;
    REDQUEEN_FIELDS(MAX_C_N)
  };
  struct Problem {
    int MAX_C_N = 0;
    int C = 0;
    int N = 0;
    std::vector<std::int64_t> points;
    std::vector<Segment> segments;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(MAX_C_N, C, N, points, segments, gold_answer)
  };
  using Answer = std::vector<std::pair<std::int64_t, std::int64_t>>;

  static Config at_level(int level, Rng&) { return {.MAX_C_N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int bound = config.MAX_C_N;
    if (bound < kStrictFrom) {
      return draw_accepted(
          kDraws, [&] { return drawn(bound, rng); },
          [](Problem& problem) {
            problem.gold_answer = std::ssize(solve(problem));
            return problem.gold_answer > 0;
          });
    }
    const auto is_hard = [](Problem& problem) { return !is_easy(problem); };
    if (bound >= kDrawnFrom) {
      return draw_accepted(
          kDraws, [&] { return drawn(bound, rng); }, is_hard);
    }
    Problem hard = draw_accepted(
        kDraws, [&] { return planted(bound, rng); }, is_hard);
    return vary_hard(
        std::move(hard), kSteps, [&](Problem& problem) { change(problem, rng); }, is_easy);
  }

  // Any points, and segments of any length, of which some fit together.
  static Problem published(const Config& config, Rng& rng) {
    const int bound = config.MAX_C_N;
    Problem problem{.MAX_C_N = bound,
                    .C = static_cast<int>(rng.integer(2, bound)),
                    .N = static_cast<int>(rng.integer(2, bound)),
                    .points = {},
                    .segments = {},
                    .gold_answer = 0};
    return draw_accepted(
        kDraws,
        [&] {
          problem.points = draw_numbers(problem.C, 0, bound, rng);
          problem.segments.clear();
          for (int i = 0; i < problem.N; ++i) {
            const int length = static_cast<int>(rng.integer(0, bound));
            const int left = static_cast<int>(rng.integer(0, bound - length));
            problem.segments.emplace_back(left, left + length);
          }
          problem.gold_answer = std::ssize(solve(problem));
          return problem;
        },
        [](const Problem& drawn) { return drawn.gold_answer > 0; });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("MAX_C_N", problem.MAX_C_N, 1, kMaxBound));
    RETURN_IF_ERROR(within("C", problem.C, 1, problem.MAX_C_N));
    RETURN_IF_ERROR(within("N", problem.N, 1, problem.MAX_C_N));
    RETURN_IF_ERROR(check_numbers("points", problem.points, problem.C, 0, problem.MAX_C_N));
    RETURN_IF_ERROR(check_segments("segments", problem.segments, problem.N, 0, problem.MAX_C_N));
    RETURN_IF_ERROR(within("gold_answer", problem.gold_answer, 1, kMaxBound));
    return reference_is("gold_answer", problem.gold_answer, std::ssize(solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "There are {0} points on a line, numbered from 0 to {1}; point c lies at x[c]:\n"
        "{2}\n"
        "There are also {3} segments, numbered from 0 to {4}. Each of these lines gives a "
        "segment's number, its left end and its right end:\n"
        "{5}\n"
        "A point and a segment make a pair if the point lies in the segment; both ends belong to "
        "it. Choose as many pairs as possible such that no point is in two pairs and no segment "
        "is in two pairs.\n"
        "Answer with one pair a line: the number of the point, a space, the number of the "
        "segment.",
        problem.C, problem.C - 1, with_indices("x", problem.points), problem.N, problem.N - 1,
        format_segments(problem.segments));
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<char> point_used(problem.points.size());
    std::vector<char> segment_used(problem.segments.size());
    for (const auto& [point, segment] : answer) {
      if (point < 0 || point >= problem.C || segment < 0 || segment >= problem.N ||
          !contains(problem, segment, point)) {
        return kInvalidReward;
      }
      if (point_used[point] || segment_used[segment]) return kInvalidReward;
      point_used[point] = segment_used[segment] = 1;
    }
    return maximise_reward(std::ssize(answer), static_cast<std::ptrdiff_t>(problem.gold_answer),
                           kBeta);
  }

  // Each point, from the left, takes the segment that ends first of those that are open.
  static Answer solve(const Problem& problem) {
    using Open = std::pair<int, std::int64_t>;  // right end, number
    std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
    const auto by_left_end = segments_by(problem, [](const Segment& s) { return s.first; });
    auto next = by_left_end.begin();
    Answer pairs;
    for (const std::int64_t point : points_ascending(problem)) {
      const std::int64_t x = problem.points[point];
      for (; next != by_left_end.end() && problem.segments[*next].first <= x; ++next) {
        open.emplace(problem.segments[*next].second, *next);
      }
      while (!open.empty() && open.top().first < x) open.pop();
      if (open.empty()) continue;
      pairs.emplace_back(point, open.top().second);
      open.pop();
    }
    return pairs;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer pairs;
    const std::vector<int> points = rng.permutation(problem.C);
    const std::vector<int> segments = rng.permutation(problem.N);
    for (int i = 0; i < std::min(problem.C, problem.N); ++i) {
      if (rng.chance(0.5) || contains(problem, segments[i], points[i])) {
        pairs.emplace_back(points[i], segments[i]);
      }
    }
    return pairs;
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    const std::vector<std::int64_t> from_left = points_ascending(problem);
    const auto by_length =
        segments_by(problem, [](const Segment& s) { return s.second - s.first; });
    if (visit("shortest segments first, each with the leftmost free point",
              segments_choose(problem, by_length, from_left))) {
      return true;
    }
    const std::vector<std::int64_t> segments = ascending_order(problem.N);
    if (visit("points in the order given, each with the first free segment",
              points_choose(problem, ascending_order(problem.C), segments)) ||
        visit("points from the left, each with the first free segment",
              points_choose(problem, from_left, segments)) ||
        visit("segments in the order given, each with the leftmost free point",
              segments_choose(problem, segments, from_left))) {
      return true;
    }
    const auto by_left = segments_by(problem, [](const Segment& s) { return s.first; });
    return visit("points from the left, each with the free segment that begins first",
                 points_choose(problem, from_left, by_left)) ||
           visit("segments by left end, each with the leftmost free point",
                 segments_choose(problem, by_left, from_left));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(all_rules<MaximumPointSegmentMatching>(problem));
  }

 private:
  static Problem drawn(int bound, Rng& rng) {
    const int least = std::max(2, 2 * bound / 3);
    Problem problem{.MAX_C_N = bound,
                    .C = static_cast<int>(rng.integer(least, bound)),
                    .N = static_cast<int>(rng.integer(least, bound)),
                    .points = {},
                    .segments = {},
                    .gold_answer = 0};
    problem.points = draw_numbers(problem.C, 0, bound, rng);
    problem.segments.reserve(problem.N);
    for (int i = 0; i < problem.N; ++i) problem.segments.push_back(drawn_segment(bound, rng));
    return problem;
  }

  static int longest(int bound) { return std::max(2, bound / 2); }

  static Segment drawn_segment(int bound, Rng& rng) {
    const auto length = static_cast<int>(rng.integer(0, longest(bound)));
    const auto left = static_cast<int>(rng.integer(0, bound - length));
    return {left, left + length};
  }

  // Three points that are paired by one segment around the first, one around the first two that
  // begins before it, and a shorter one around the last two. By left ends the first point takes the
  // second segment, by length the second point takes the third one; either leaves a point alone.
  static Problem planted(int bound, Rng& rng) {
    Problem problem = drawn(bound, rng);
    const auto between = [&](std::int64_t low, std::int64_t high) {
      return static_cast<int>(rng.integer(low, high));
    };
    std::vector<std::int64_t> places;  // where the second segment begins, and the points
    do {
      places = rng.sample(0, bound, 4);
      std::ranges::sort(places);
    } while (places[2] - places[0] > longest(bound) ||
             places[3] - places[2] >= places[2] - places[0]);
    const auto begin = static_cast<int>(places[0]);
    const std::vector<int> points = rng.permutation(problem.C);
    const std::vector<int> segments = rng.permutation(problem.N);
    for (int i = 0; i < 3; ++i) problem.points[points[i]] = places[i + 1];
    problem.segments[segments[0]] = {between(places[0] + 1, places[1]),
                                     between(places[1], places[2] - 1)};
    problem.segments[segments[1]] = {
        begin, between(places[2], std::min<std::int64_t>(places[3] - 1, begin + longest(bound)))};
    problem.segments[segments[2]] = {static_cast<int>(places[2]), static_cast<int>(places[3])};
    return problem;
  }

  // One point or one segment drawn anew.
  static void change(Problem& problem, Rng& rng) {
    const int bound = problem.MAX_C_N;
    if (rng.chance(0.5)) {
      rng.choice(problem.points) = rng.integer(0, bound);
    } else {
      rng.choice(problem.segments) = drawn_segment(bound, rng);
    }
  }

  // Finds the most pairs, and whether a rule makes as many.
  static bool is_easy(Problem& problem) {
    problem.gold_answer = std::ssize(solve(problem));
    return some_rule_is_best<MaximumPointSegmentMatching>(
        problem, [&](const Answer& pairs) { return std::ssize(pairs) == problem.gold_answer; });
  }

  static bool contains(const Problem& problem, std::int64_t segment, std::int64_t point) {
    const auto& [left, right] = problem.segments[segment];
    return left <= problem.points[point] && problem.points[point] <= right;
  }

  static std::vector<std::int64_t> points_ascending(const Problem& problem) {
    std::vector<std::int64_t> order = ascending_order(problem.C);
    std::ranges::sort(order, {}, [&](std::int64_t c) { return std::pair(problem.points[c], c); });
    return order;
  }

  template <typename Key>
  static std::vector<std::int64_t> segments_by(const Problem& problem, Key key) {
    std::vector<std::int64_t> order = ascending_order(problem.N);
    std::ranges::sort(order, {},
                      [&](std::int64_t n) { return std::pair(key(problem.segments[n]), n); });
    return order;
  }

  static Answer points_choose(const Problem& problem, const std::vector<std::int64_t>& points,
                              const std::vector<std::int64_t>& segments) {
    Answer pairs;
    std::vector<char> used(problem.segments.size());
    for (const std::int64_t point : points) {
      for (const std::int64_t segment : segments) {
        if (used[segment] || !contains(problem, segment, point)) continue;
        used[segment] = 1;
        pairs.emplace_back(point, segment);
        break;
      }
    }
    return pairs;
  }

  static Answer segments_choose(const Problem& problem, const std::vector<std::int64_t>& segments,
                                const std::vector<std::int64_t>& points) {
    Answer pairs;
    std::vector<char> used(problem.points.size());
    for (const std::int64_t segment : segments) {
      for (const std::int64_t point : points) {
        if (used[point] || !contains(problem, segment, point)) continue;
        used[point] = 1;
        pairs.emplace_back(point, segment);
        break;
      }
    }
    return pairs;
  }
};
REDQUEEN_ENVIRONMENT(MaximumPointSegmentMatching);

}  // namespace
}  // namespace redqueen
