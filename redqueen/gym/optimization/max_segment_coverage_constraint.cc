#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/hardening.h"
#include "redqueen/gym/common/parameter/lazy_rules.h"
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
      .published = true,
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
          "problem. From 5 segments on, it is not solved by what still can be chosen in the order "
          "given, by length, by left end or by the number of points either: four segments that "
          "these rules fail at are planted, and the problem is changed bit by bit as long as they "
          "do.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Sets of segments to which no other can be added differ little in size, so that segments "
          "taken in random order are often as many as possible, up to level 15.",
      .guess_until_level = 15,
      .version = 3,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewSegments = 5;
  static constexpr int kDraws = 1000;
  static constexpr int kStepsPerSegment = 2;  // of changes to what is planted
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
    if (config.N < kFewSegments) {
      return draw_accepted(
          kDraws, [&] { return drawn(config, rng); },
          [](Problem& problem) {
            problem.gold_answer = std::ssize(solve(problem));
            return problem.gold_answer < problem.N;
          });
    }
    Problem hard = draw_accepted(
        kDraws, [&] { return planted(config, rng); },
        [](Problem& problem) { return !is_easy(problem); });
    return vary_hard(
        std::move(hard), kStepsPerSegment * config.N,
        [&](Problem& problem) { change(problem, rng); }, is_easy);
  }

  // Any segments, and at some of the points that they cover at most as many as cover it.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .segments = {}, .constraints = {}, .gold_answer = 0};
    for (int i = 0; i < config.N; ++i) {
      problem.segments.push_back(drawn_segment(kCoordinateMultiple * config.N, rng));
    }
    draw_constraints(problem, kAll, rng);
    problem.gold_answer = std::ssize(solve(problem));
    return problem;
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
    return Chooser(problem).by([&](std::int64_t i) { return problem.segments[i].second; });
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const std::vector<int> places = rng.permutation(problem.N);
    return Chooser(problem).by([&](std::int64_t i) { return places[i]; });
  }

  template <typename Visit>
  static bool try_rules(const Problem& problem, Visit visit) {
    Chooser chooser(problem);
    return try_orders(chooser, visit);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(all_rules<MaxSegmentCoverageConstraint>(problem));
    Answer segments(problem.segments.size());
    std::iota(segments.begin(), segments.end(), 0);
    named.push_back({"all segments", format_answer(segments)});
    const auto [shortest, longest] = std::ranges::minmax_element(
        segments, {}, [&](std::int64_t i) { return length(problem.segments[i]); });
    std::erase_if(segments,
                  [a = *shortest, b = *longest](std::int64_t i) { return i == a || i == b; });
    named.push_back({"all but the shortest and the longest", format_answer(segments)});
    return named;
  }

 private:
  // Chooses segments in several orders. Sorted once, the constraints that a segment must keep are a
  // stretch of them.
  class Chooser {
   public:
    explicit Chooser(const Problem& problem)
        : segments_(problem.segments), constraints_(problem.constraints), order_(segments_.size()) {
      std::ranges::sort(constraints_);
      stretches_.reserve(segments_.size());
      for (const auto& [left, right] : segments_) {
        const auto from = std::ranges::lower_bound(constraints_, std::pair(left, 0));
        const auto to = std::ranges::lower_bound(constraints_, std::pair(right + 1, 0));
        stretches_.emplace_back(from - constraints_.begin(), to - constraints_.begin());
      }
    }

    const std::vector<Segment>& segments() const { return segments_; }
    std::ptrdiff_t points(std::int64_t i) const {
      return stretches_[i].second - stretches_[i].first;
    }

    // Each segment that can still be chosen, by ascending keys, and by numbers where these are
    // equal. The answer is ascending and lasts until the next call.
    template <typename Key>
    const Answer& by(Key key) {
      std::iota(order_.begin(), order_.end(), 0);
      std::ranges::sort(order_, {}, [&](std::int64_t i) { return std::pair(key(i), i); });
      left_over_.clear();
      for (const auto& [point, most] : constraints_) left_over_.push_back(most);
      chosen_.clear();
      for (const std::int64_t i : order_) {
        const auto stretch =
            std::span(left_over_).subspan(stretches_[i].first, static_cast<std::size_t>(points(i)));
        if (std::ranges::find(stretch, 0) != stretch.end()) continue;
        for (int& left : stretch) --left;
        chosen_.push_back(i);
      }
      std::ranges::sort(chosen_);
      return chosen_;
    }

   private:
    const std::vector<Segment>& segments_;
    std::vector<std::pair<int, int>> constraints_;
    std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> stretches_;  // [from, to)
    Answer order_;
    std::vector<int> left_over_;  // of each constraint
    Answer chosen_;
  };

  template <typename Visit>
  static bool try_orders(Chooser& chooser, Visit visit) {
    const auto& segments = chooser.segments();
    return visit("what still can be, the shortest first",
                 chooser.by([&](std::int64_t i) { return length(segments[i]); })) ||
           visit("what still can be, with the fewest points first",
                 chooser.by([&](std::int64_t i) { return chooser.points(i); })) ||
           visit("what still can be, by left ends",
                 chooser.by([&](std::int64_t i) { return segments[i].first; })) ||
           visit("what still can be, in the order given",
                 chooser.by([](std::int64_t) { return 0; }));
  }

  // Finds the greatest number, and whether all segments or a rule reach it.
  static bool is_easy(Problem& problem) {
    Chooser chooser(problem);
    problem.gold_answer =
        std::ssize(chooser.by([&](std::int64_t i) { return problem.segments[i].second; }));
    return problem.gold_answer == problem.N ||
           try_orders(chooser, [&](std::string_view, const Answer& answer) {
             return std::ssize(answer) == problem.gold_answer;
           });
  }

  static int length(const Segment& segment) { return segment.second - segment.first; }

  static Segment drawn_segment(int most, Rng& rng) {
    const int left = static_cast<int>(rng.integer(0, most));
    return {left, static_cast<int>(rng.integer(left, most))};
  }

  static Problem drawn(const Config& config, Rng& rng) {
    const int most = kCoordinateMultiple * config.N;
    Problem problem{.N = config.N, .segments = {}, .constraints = {}, .gold_answer = 0};
    while (std::ssize(problem.segments) < config.N) {
      problem.segments.push_back(drawn_segment(most, rng));
    }
    draw_constraints(problem, kHalf, rng);
    return problem;
  }

  // A short segment with two neighbours that it touches, and one across all three that begins
  // first. Where they touch, and where the neighbours end, one segment is enough: so the two
  // neighbours are best, but the short one comes before them by length and the long one by left
  // ends. The rest is drawn anywhere.
  static Problem planted(const Config& config, Rng& rng) {
    const int most = kCoordinateMultiple * config.N;
    std::vector<std::int64_t> places = rng.sample(0, most, 5);
    std::ranges::sort(places);
    std::array<int, 5> at{};
    std::ranges::transform(places, at.begin(), [](std::int64_t p) { return static_cast<int>(p); });
    Problem problem{.N = config.N,
                    .segments = {{at[1], at[2]},
                                 {at[2], at[3]},
                                 {at[3], at[4]},
                                 {at[0], static_cast<int>(rng.integer(at[3], most))}},
                    .constraints = {},
                    .gold_answer = 0};
    while (std::ssize(problem.segments) < config.N) {
      problem.segments.push_back(drawn_segment(most, rng));
    }
    rng.shuffle(problem.segments);
    draw_constraints(problem, kHalf, rng);
    for (const int point : std::span(at).subspan(1)) {
      std::erase_if(problem.constraints, [&](const auto& c) { return c.first == point; });
      problem.constraints.emplace_back(point, 1);
    }
    rng.shuffle(problem.constraints);
    return problem;
  }

  // At some of the points that segments hold, for all of these or for about half of them at most.
  enum Share { kAll, kHalf };
  static void draw_constraints(Problem& problem, Share share, Rng& rng) {
    std::vector<int> covering(static_cast<std::size_t>(kCoordinateMultiple * problem.N) + 1);
    for (const auto& [left, right] : problem.segments) {
      for (int point = left; point <= right; ++point) ++covering[point];
    }
    std::vector<int> covered;
    for (int point = 0; point < std::ssize(covering); ++point) {
      if (covering[point] > 0) covered.push_back(point);
    }
    rng.shuffle(covered);
    covered.resize(static_cast<std::size_t>(rng.integer(1, std::ssize(covered))));
    for (const int point : covered) {
      const int most = share == kAll ? covering[point] : (covering[point] + 1) / 2;
      problem.constraints.emplace_back(point, static_cast<int>(rng.integer(1, most)));
    }
  }

  // One segment or one constraint drawn anew.
  static void change(Problem& problem, Rng& rng) {
    const int most = kCoordinateMultiple * problem.N;
    if (rng.chance(0.5)) {
      rng.choice(problem.segments) = drawn_segment(most, rng);
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
};
REDQUEEN_ENVIRONMENT(MaxSegmentCoverageConstraint);

}  // namespace
}  // namespace redqueen
