#include <algorithm>
#include <array>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/geometry/point.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct LASLaser {
  static constexpr Card card{
      .name = "LASLaser",
      .published = true,
      .family = Family::kGeometry,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Choose rays from the origin, none of two through the same segment, that meet as many "
          "segments as possible in all.",
      .levels = "There are 2 segments and one more each level, coordinates up to twice as many.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "The statement asks for the total over all rays; the published one asks for the most "
          "segments on a single ray, and is marked by the total. Segments are short in some "
          "problems "
          "and long in others; K is such that not all segments can be met, where there is such a "
          "K, "
          "and of several draws every answer is as likely. From 8 segments on, K is at least 2, "
          "and "
          "taking the ray that meets most, one after another, does not give the answer.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "The answer is at most the number of segments, 4 at level 2 and 7 at level 5. Among so "
          "few, ray by ray is hardly ever wrong. From level 6 on, where it is, few answers are "
          "left: up to level 15, one of them is right in a fifth of the problems.",
      .guess_until_level = 15,
  };

  static constexpr int kMaxSegments = 1'000;
  static constexpr std::int64_t kMaxCoordinate = 1'000'000'000;
  static constexpr int kManySegments = 8;  // among fewer, greed is hardly ever wrong
  static constexpr int kDraws = 8;         // among which answers are made as likely

  using Segment = std::array<std::int64_t, 4>;  // x1, y1, x2, y2

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Segment> segments;
    int K = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, segments, K, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 2 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_spread(kDraws, rng, [&] {
      Problem draft{.N = config.N, .segments = {}, .K = 0, .reference_answer = 0};
      const std::int64_t most_coordinate = 2 * std::int64_t{config.N};
      const std::int64_t reach = rng.integer(1, most_coordinate);
      for (int i = 0; i < config.N; ++i) {
        Segment segment{};
        for (std::size_t axis = 0; axis < 2; ++axis) {
          const std::int64_t from = rng.integer(1, most_coordinate);
          segment[axis] = from;
          segment[axis + 2] = rng.integer(std::max<std::int64_t>(1, from - reach),
                                          std::min(most_coordinate, from + reach));
        }
        draft.segments.push_back(segment);
      }
      const Sweep sweep(draft.segments);
      std::vector<std::int64_t> most = sweep.most_met(config.N);
      // Further rays are of no use; those that meet everything make the answer N.
      while (most.size() > 1 && most[most.size() - 2] == most.back()) most.pop_back();
      if (most.size() > 1 && most.back() == config.N) most.pop_back();
      const std::int64_t rays = std::ssize(most);
      const std::int64_t least = config.N >= kManySegments ? 2 : 1;
      draft.K = static_cast<int>(rng.integer(std::min(least, rays), rays));
      draft.reference_answer = most[draft.K - 1];
      using Draft = std::pair<std::int64_t, Problem>;
      if (config.N >= kManySegments && draft.reference_answer == sweep.greedy(draft.K)) {
        return std::optional<Draft>();
      }
      return std::optional<Draft>({draft.reference_answer, std::move(draft)});
    });
  }

  // Uniform segments, and no more rays than are of use.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .segments = {}, .K = 0, .reference_answer = 0};
    for (int i = 0; i < config.N; ++i) {
      Segment& segment = problem.segments.emplace_back();
      for (std::int64_t& coordinate : segment) coordinate = rng.integer(1, 2 * config.N);
    }
    const std::vector<std::int64_t> most = Sweep(problem.segments).most_met(config.N);
    const auto enough = std::ranges::find(most, most.back()) - most.begin() + 1;
    problem.K = static_cast<int>(rng.integer(1, enough));
    problem.reference_answer = most[problem.K - 1];
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxSegments); !sound) return sound;
    if (auto sound = within("K", problem.K, 1, problem.N); !sound) return sound;
    if (problem.segments.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"segments\": expected \"N\" of them, found {}", problem.segments.size());
    }
    for (const Segment& segment : problem.segments) {
      for (const std::int64_t coordinate : segment) {
        if (auto sound = within("segments", coordinate, 1, kMaxCoordinate); !sound) return sound;
      }
    }
    return reference_is("reference_answer", problem.reference_answer,
                        Sweep(problem.segments).most_met(problem.K).back());
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (const auto& [x1, y1, x2, y2] : problem.segments) {
      append_format(list, "({}, {}) ({}, {})\n", x1, y1, x2, y2);
    }
    return fmt::format(
        "Each of these {} lines gives a straight segment of the plane by its two ends (which may "
        "be the same point):\n"
        "{}Choose one or more rays that start at the origin (0, 0) and go on forever, but not more "
        "than {}. A ray meets a segment if they have a point in common; an end of the segment is "
        "enough. No segment may be met by more than one of the chosen rays. How many segments can "
        "the chosen rays meet in total, at most?\n"
        "Answer with one integer.",
        problem.N, list, problem.K);
  }

  static double score(const Problem& problem, Answer answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, problem.N);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const Sweep sweep(problem.segments);
    return {{"all segments", format_answer(problem.N)},
            {"the most on a single ray", format_answer(sweep.most_met(1).back())},
            {"ray by ray, the most each time", format_answer(sweep.greedy(problem.K))}};
  }

 private:
  // The segments as intervals of directions. Only directions of ends matter, numbered by angle.
  class Sweep {
   public:
    explicit Sweep(const std::vector<Segment>& segments) {
      std::vector<Point> directions;
      for (const auto& [x1, y1, x2, y2] : segments) {
        directions.push_back({x1, y1});
        directions.push_back({x2, y2});
      }
      const auto before = [](const Point& a, const Point& b) { return cross(a, b) > 0; };
      std::ranges::sort(directions, before);
      const auto same = [](const Point& a, const Point& b) { return cross(a, b) == 0; };
      directions.erase(std::ranges::unique(directions, same).begin(), directions.end());
      const auto rank = [&](const Point& end) {
        return std::ranges::lower_bound(directions, end, before) - directions.begin();
      };
      for (const auto& [x1, y1, x2, y2] : segments) {
        intervals_.push_back(std::minmax({rank({x1, y1}), rank({x2, y2})}));
      }
      met_.assign(directions.size(), 0);
      for (std::size_t d = 0; d < directions.size(); ++d) {
        first_.push_back(static_cast<std::ptrdiff_t>(d));
      }
      for (const auto& [low, high] : intervals_) {
        for (std::ptrdiff_t d = low; d <= high; ++d) {
          ++met_[d];
          first_[d] = std::min(first_[d], low);
        }
      }
    }

    // Entry k − 1: the most segments that k rays meet, k = 1 … rays. O(rays · directions).
    std::vector<std::int64_t> most_met(int rays) const {
      const std::size_t n = met_.size();
      std::vector<std::int64_t> most;
      // Entry d: the best with the rays so far, all of directions below d.
      std::vector<std::int64_t> best(n + 1, 0);
      std::vector<std::int64_t> next(n + 1, 0);
      for (int k = 0; k < rays; ++k) {
        for (std::size_t d = 0; d < n; ++d) {
          next[d + 1] = std::max(next[d], best[first_[d]] + met_[d]);
        }
        best = next;
        most.push_back(best[n]);
      }
      return most;
    }

    // Adds the ray that meets most, of those that leave the segments met so far alone.
    std::int64_t greedy(int rays) const {
      std::int64_t total = 0;
      std::vector<std::ptrdiff_t> chosen;
      for (int k = 0; k < rays; ++k) {
        std::ptrdiff_t best = -1;
        for (std::ptrdiff_t d = 0; d < std::ssize(met_); ++d) {
          const bool free = std::ranges::none_of(intervals_, [&](const auto& interval) {
            return holds(interval, d) && std::ranges::any_of(chosen, [&](std::ptrdiff_t other) {
                     return holds(interval, other);
                   });
          });
          if (free && (best < 0 || met_[d] > met_[best])) best = d;
        }
        if (best < 0) break;
        chosen.push_back(best);
        total += met_[best];
      }
      return total;
    }

   private:
    using Interval = std::pair<std::ptrdiff_t, std::ptrdiff_t>;  // both ends belong to it

    static bool holds(const Interval& interval, std::ptrdiff_t d) {
      return interval.first <= d && d <= interval.second;
    }

    std::vector<Interval> intervals_;
    std::vector<std::int64_t> met_;      // by direction: how many segments it meets
    std::vector<std::ptrdiff_t> first_;  // … and the least direction that one of them reaches to
  };
};
REDQUEEN_ENVIRONMENT(LASLaser);

}  // namespace
}  // namespace redqueen
