#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/core/format.h"
#include "redqueen/gym/common/parameter/hardening.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"
#include "redqueen/gym/common/sequence/segments.h"

namespace redqueen {
namespace {

struct MaxSegmentCoverageConstraint {
  static constexpr Card card{
      .name = "MaxSegmentCoverageConstraint",
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Choose as many segments of a line as possible, of which only so many may hold each of "
          "some given points.",
      .levels = "From 3 segments, one more a level, on a line of twice as many units.",
      .rewards =
          "-1 malformed, -0.5 not a set of segments or too many at a point, else (number of "
          "segments / greatest number)^5.",
      .differences =
          "At most about half of the segments at a point may be chosen. All segments never solve a "
          "problem; from 5 segments on, one is changed bit by bit until it is not solved by what "
          "still "
          "can be chosen in the order given, by length, by left end or by the number of points.",
      .small_answer_space =
          "Sets of segments to which no other can be added differ little in size, so that segments "
          "taken in random order are often as many as possible.",
      .version = 2,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewSegments = 5;
  static constexpr int kDraws = 1000;
  static constexpr int kSteps = 400;  // of changes to one draw
  static constexpr int kCoordinateMultiple = 2;
  static constexpr std::int64_t kMaxN = 2000;
  static constexpr std::int64_t kMaxConstraints = 5000;
  static constexpr int kMaxCoordinate = 1'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Segment> segments;
    std::vector<std::pair<int, int>> constraints;  // point, greatest number
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, segments, constraints, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] { return drawn(config, rng); };
    if (config.N < kFewSegments) {
      return draw_accepted(kDraws, draw,
                           [](const Problem& problem) { return problem.gold_answer < problem.N; });
    }
    return draw_hardened(
        kDraws, kSteps, draw, [&](Problem& problem) { change(problem, rng); }, easy_ways);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    RETURN_IF_ERROR(check_segments("segments", problem.segments, problem.N, 0, kMaxCoordinate));
    RETURN_IF_ERROR(within("constraints", std::ssize(problem.constraints), 0, kMaxConstraints));
    for (const auto& [point, most] : problem.constraints) {
      RETURN_IF_ERROR(within("constraints", point, 0, kMaxCoordinate));
      RETURN_IF_ERROR(within("constraints", most, 1, kMaxN));
    }
    return reference_is("gold_answer", problem.gold_answer, std::ssize(solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    std::string points;
    for (const auto& [point, most] : problem.constraints) {
      append_format(points, "\n{} {}", point, most);
    }
    return fmt::format(
        "Each of these {0} lines gives the number of a segment of a line and its left and right "
        "end, which both belong to it:\n"
        "{1}\n"
        "Each of these {2} gives a point p and a number x; at most x of the chosen segments may "
        "hold the point p, inside or at an end:{3}\n"
        "Choose as many different segments as possible.\n"
        "Answer with the numbers of the chosen segments in any order on one line, separated by "
        "spaces.",
        problem.N, format_segments(problem.segments),
        problem.constraints.size() == 1 ? "line" : "lines", points);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!are_distinct_indices(problem.N, answer)) return kInvalidReward;
    for (const auto& [point, most] : problem.constraints) {
      if (holding(problem, answer, point) > most) return kInvalidReward;
    }
    return maximise_reward(std::ssize(answer), problem.gold_answer, kBeta);
  }

  // By right ends: what can still be chosen is, since a later segment in its place would stand in
  // the way at least as much.
  static Answer solve(const Problem& problem) {
    return chosen_by(problem, [&](std::int64_t i) { return problem.segments[i].second; });
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer order(problem.segments.size());
    std::iota(order.begin(), order.end(), 0);
    rng.shuffle(order);
    return chosen(problem, order);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::vector<std::int64_t> points;  // of each segment
    for (const auto& [left, right] : problem.segments) {
      points.push_back(std::ranges::count_if(
          problem.constraints,
          [l = left, r = right](const auto& c) { return l <= c.first && c.first <= r; }));
    }
    return {{"what still can be, in the order given",
             chosen_by(problem, [](std::int64_t) { return 0; })},
            {"what still can be, the shortest first", chosen_by(problem,
                                                                [&](std::int64_t i) {
                                                                  const auto& [left, right] =
                                                                      problem.segments[i];
                                                                  return right - left;
                                                                })},
            {"what still can be, by left ends",
             chosen_by(problem, [&](std::int64_t i) { return problem.segments[i].first; })},
            {"what still can be, with the fewest points first",
             chosen_by(problem, [&](std::int64_t i) { return points[i]; })}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    Answer all(problem.segments.size());
    std::iota(all.begin(), all.end(), 0);
    named.push_back({"all segments", format_answer(all)});
    return named;
  }

 private:
  static Problem drawn(const Config& config, Rng& rng) {
    const int n = config.N;
    const int most = kCoordinateMultiple * n;
    Problem problem{.N = n, .segments = {}, .constraints = {}, .gold_answer = 0};
    std::vector<int> covering(static_cast<std::size_t>(most) + 1);
    for (int i = 0; i < n; ++i) {
      const int left = static_cast<int>(rng.integer(0, most));
      const int right = static_cast<int>(rng.integer(left, most));
      problem.segments.emplace_back(left, right);
      for (int point = left; point <= right; ++point) ++covering[point];
    }
    std::vector<int> covered;
    for (int point = 0; point <= most; ++point) {
      if (covering[point] > 0) covered.push_back(point);
    }
    rng.shuffle(covered);
    covered.resize(static_cast<std::size_t>(rng.integer(1, std::ssize(covered))));
    for (const int point : covered) {
      problem.constraints.emplace_back(point,
                                       static_cast<int>(rng.integer(1, (covering[point] + 1) / 2)));
    }
    problem.gold_answer = std::ssize(solve(problem));
    return problem;
  }

  // How many rules solve it. A problem that all segments solve is of no use.
  static int easy_ways(const Problem& problem, int) {
    if (problem.gold_answer == problem.N) return kHopelesslyEasy;
    int ways = 0;
    for (const auto& rule : rules(problem)) ways += std::ssize(rule.answer) == problem.gold_answer;
    return ways;
  }

  // One segment or one constraint drawn anew.
  static void change(Problem& problem, Rng& rng) {
    const int most = kCoordinateMultiple * problem.N;
    if (rng.chance(0.5)) {
      const int left = static_cast<int>(rng.integer(0, most));
      rng.choice(problem.segments) = {left, static_cast<int>(rng.integer(left, most))};
    } else if (std::ssize(problem.constraints) > 1 && rng.chance(0.3)) {
      std::swap(rng.choice(problem.constraints), problem.constraints.back());
      problem.constraints.pop_back();
    } else {
      const int point = static_cast<int>(rng.integer(0, most));
      std::erase_if(problem.constraints, [&](const auto& c) { return c.first == point; });
      problem.constraints.emplace_back(point, 1 + static_cast<int>(rng.below(problem.N)));
    }
    // As where they are drawn, points are on segments, and about half of these may be chosen.
    std::erase_if(problem.constraints, [&](auto& constraint) {
      auto& [point, number] = constraint;
      const auto covering = covering_segments(problem, point);
      number = std::min(number, static_cast<int>((covering + 1) / 2));
      return covering == 0;
    });
    problem.gold_answer = std::ssize(solve(problem));
  }

  static std::int64_t covering_segments(const Problem& problem, int point) {
    return std::ranges::count_if(problem.segments, [&](const Segment& segment) {
      return segment.first <= point && point <= segment.second;
    });
  }

  static std::int64_t holding(const Problem& problem, const Answer& answer, int point) {
    return std::ranges::count_if(answer, [&](std::int64_t i) {
      const auto& [left, right] = problem.segments[i];
      return left <= point && point <= right;
    });
  }

  // By ascending keys, and numbers where these are equal.
  template <typename Key>
  static Answer chosen_by(const Problem& problem, Key key) {
    Answer order(problem.segments.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::int64_t i) { return std::pair(key(i), i); });
    return chosen(problem, order);
  }

  // Each segment in this order that can still be chosen, ascending.
  static Answer chosen(const Problem& problem, const Answer& order) {
    std::vector<int> left_over;  // of each constraint
    for (const auto& [point, most] : problem.constraints) left_over.push_back(most);
    Answer answer;
    for (const std::int64_t i : order) {
      const auto [left, right] = problem.segments[i];
      bool fits = true;
      for (std::size_t c = 0; c < left_over.size() && fits; ++c) {
        const int point = problem.constraints[c].first;
        fits = point < left || point > right || left_over[c] > 0;
      }
      if (!fits) continue;
      for (std::size_t c = 0; c < left_over.size(); ++c) {
        const int point = problem.constraints[c].first;
        if (left <= point && point <= right) --left_over[c];
      }
      answer.push_back(i);
    }
    std::ranges::sort(answer);
    return answer;
  }
};
REDQUEEN_ENVIRONMENT(MaxSegmentCoverageConstraint);

}  // namespace
}  // namespace redqueen
