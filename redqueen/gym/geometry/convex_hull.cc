#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/geometry/general_position.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct ConvexHull {
  static constexpr Card card{
      .name = "ConvexHull",
      .published = true,
      .family = Family::kGeometry,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Find twice the area of the convex hull of points.",
      .levels =
          "From 5 points, a tenth and one more each level, in a square of as many units; beyond "
          "level 50 drawing points of which no three are on a line takes too long.",
      .rewards = "-1 malformed or not positive, else (smaller / larger)^5 of answer and area.",
      .differences =
          "Most point sets lie along a diagonal, in strips from thin to wide, and others reach "
          "into two or three corners, so that areas differ by factors; within the whole square "
          "1.5·N² came close to all. The hull is never the bounding box.",
      .max_level = 50,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kMaxPoints = 100'000;
  static constexpr std::int64_t kMaxCoordinate = 1'000'000;
  static constexpr int kAttempts = 60;  // per point, in the mean
  static constexpr int kPublishedAttempts = 1000;
  // Half widths of the strips, in thousandths of the sides: areas grow by the same factor.
  static constexpr std::array<std::int64_t, 6> kStrips{110, 150, 220, 330, 520, 1000};

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Point> points;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, points, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t n = config.N;
    const std::int64_t width = n;
    std::int64_t height = n;
    std::int64_t strip = 1000;
    GeneralPosition position(n, n);
    const auto kind = static_cast<std::size_t>(rng.below(kStrips.size() + 1));
    if (kind + 1 < kStrips.size()) {
      // Along a slope of 1, a thin strip has too few lines.
      height = rng.integer(3 * n / 5, n - n / 8);
      strip = rng.integer(kStrips[kind], kStrips[kind + 1]);
    } else {
      add_corners(position, n, 2 + kind + 1 - kStrips.size(), rng);
    }
    const std::int64_t half_width = std::max(n, strip * n / 1000 * width);
    for (std::int64_t attempt = 0; position.points().size() < static_cast<std::size_t>(n);) {
      const std::int64_t x = rng.integer(0, width);
      const Point point{x, rng.integer(0, height)};
      if (std::abs(x * height - point[1] * width) <= half_width && position.allows(point)) {
        position.add(point);
      } else if (++attempt > kAttempts * n) {
        throw Retry();
      }
    }
    Problem problem{.N = config.N, .points = position.points(), .reference_answer = 0};
    const bool reflected = rng.chance(0.5);
    const bool turned = rng.chance(0.5);
    for (Point& point : problem.points) {
      if (reflected) point[1] = n - point[1];
      if (turned) std::swap(point[0], point[1]);
    }
    rng.shuffle(problem.points);
    problem.reference_answer = twice_area(convex_hull(problem.points));
    if (problem.reference_answer == twice_box(problem)) throw Retry();
    return problem;
  }

  // Points of the square in general position.
  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t n = config.N;
    GeneralPosition position(n, n);
    for (std::int64_t attempt = 0; position.points().size() < static_cast<std::size_t>(n);) {
      const Point point{rng.integer(0, n), rng.integer(0, n)};
      if (position.allows(point)) {
        position.add(point);
      } else if (++attempt > kPublishedAttempts * n) {
        throw Retry();
      }
    }
    Problem problem{.N = config.N, .points = position.points(), .reference_answer = 0};
    problem.reference_answer = twice_area(convex_hull(problem.points));
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound =
            check_points("points", problem.points, problem.N, 3, kMaxPoints, kMaxCoordinate);
        !sound) {
      return sound;
    }
    if (problem.reference_answer <= 0) return failure("\"points\": all are on one line");
    return reference_is("reference_answer", problem.reference_answer,
                        twice_area(convex_hull(problem.points)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are {} points (x, y) of the plane:\n"
        "{}\n"
        "The smallest convex polygon that contains all of them, inside or on its border, has an "
        "area. What is twice this area? (It is an integer.)\n"
        "Answer with one integer.",
        problem.N, format_points(problem.points));
  }

  static double score(const Problem& problem, Answer answer) {
    if (answer <= 0) return kMalformedReward;
    const auto [less, more] = std::minmax(answer, problem.reference_answer);
    return maximise_reward(less, more, kBeta);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, 2 * problem.reference_answer);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t square = std::int64_t{problem.N} * problem.N;
    return {{"twice the bounding box", format_answer(twice_box(problem))},
            {"1.5·N²", format_answer(3 * square / 2)},
            {"three quarters of twice the bounding box",
             format_answer(std::max<std::int64_t>(1, twice_box(problem) * 3 / 4))}};
  }

 private:
  static std::int64_t twice_box(const Problem& problem) {
    const Point box = bounding_box(problem.points);
    return 2 * box[0] * box[1];
  }

  static void add_corners(GeneralPosition& position, std::int64_t side, std::size_t count,
                          Rng& rng) {
    for (const std::int64_t corner : rng.sample(0, 3, count)) {
      position.add({corner % 2 * side, corner / 2 * side});
    }
  }
};
REDQUEEN_ENVIRONMENT(ConvexHull);

}  // namespace
}  // namespace redqueen
