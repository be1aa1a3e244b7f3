#include <algorithm>
#include <cmath>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/geometry/enclosing_circle.h"
#include "redqueen/gym/common/geometry/general_position.h"
#include "redqueen/gym/common/parameter/ladder.h"

namespace redqueen {
namespace {

struct SmallestCircle {
  static constexpr Card card{
      .name = "SmallestCircle",
      .published = true,
      .family = Family::kGeometry,
      .answer = AnswerKind::kReal,
      .scoring = Scoring::kMinimise,
      .task = "Find the smallest circle that contains given points.",
      .levels =
          "From 4 points, a tenth and one more each level, in a square of twice as many units; "
          "beyond level 50 drawing points of which no three are on a line takes too long.",
      .rewards =
          "-1 malformed or a radius that is not positive, 0 a point outside by more than 0.001, "
          "else (least radius / radius)^10; a radius within 0.001 of the least one is right.",
      .differences =
          "From 5 points on, the circle has three points on it, and neither the circle around the "
          "middle of the bounding box nor that around the mean of the points is right. What is not "
          "a number is malformed; the published verifier takes it as a centre.",
      .source = "Welzl, Smallest enclosing disks (balls and ellipsoids), 1991",
      .max_level = 50,
  };

  static constexpr double kBeta = 10.0;
  static constexpr double kTolerance = 0.001;
  static constexpr int kMaxPoints = 10'000;
  static constexpr std::int64_t kMaxCoordinate = 100'000;
  static constexpr int kFewPoints = 5;
  static constexpr int kAttempts = 60;  // per point, in the mean

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Point> points;
    REDQUEEN_FIELDS(N, points)
  };
  using Answer = std::vector<double>;  // x, y, radius

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = published(config, rng);
    if (config.N < kFewPoints) return problem;
    const EnclosingCircle circle = enclosing_circle(problem.points);
    if (circle.on_border == 2 ||
        radius_around(problem, middle_of_box(problem)) <= circle.radius + kTolerance ||
        radius_around(problem, mean(problem)) <= circle.radius + kTolerance) {
      throw Retry();
    }
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t side = 2 * std::int64_t{config.N};
    GeneralPosition position(side, side);
    for (std::int64_t attempt = 0; position.points().size() < static_cast<std::size_t>(config.N);) {
      const std::int64_t x = rng.integer(0, side);
      const Point point{x, rng.integer(0, side)};
      if (position.allows(point)) {
        position.add(point);
      } else if (++attempt > kAttempts * side) {
        throw Retry();
      }
    }
    return {.N = config.N, .points = position.points()};
  }

  static Status check(const Problem& problem) {
    if (auto sound =
            check_points("points", problem.points, problem.N, 2, kMaxPoints, kMaxCoordinate);
        !sound) {
      return sound;
    }
    if (std::ranges::count(problem.points, problem.points[0]) == problem.N) {
      return failure("\"points\": all are at one place");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are {} points (x, y) of the plane:\n"
        "{}\n"
        "Find the circle of the least radius that contains all of them, inside or on its border. "
        "Up to 0.001, an error does not count: every point may lie outside of your circle by as "
        "much, and your radius may be larger than the least one by as much.\n"
        "Answer with three decimal numbers, separated by spaces: x and y of the centre, and the "
        "radius.",
        problem.N, format_points(problem.points));
  }

  static std::optional<Answer> parse(std::string_view answer) {
    const std::vector<std::string_view> words = split_words(answer);
    if (words.size() != 3) return std::nullopt;
    Answer numbers;
    for (const std::string_view word : words) {
      const std::optional<double> number = parse_real(word);
      if (!number) return std::nullopt;
      numbers.push_back(*number);
    }
    return numbers;
  }

  static double score(const Problem& problem, const Answer& answer) {
    const double radius = answer[2];
    if (!(radius > 0.0)) return kMalformedReward;
    if (!(radius_around(problem, answer) <= radius + kTolerance)) return 0.0;
    return minimise_reward(radius, enclosing_circle(problem.points).radius, kBeta);
  }

  static double passing(const Problem& problem) {
    const double least = enclosing_circle(problem.points).radius;
    return std::pow(least / (least + kTolerance), kBeta);
  }

  static Answer solve(const Problem& problem) {
    const EnclosingCircle circle = enclosing_circle(problem.points);
    return {circle.x, circle.y, circle.radius};
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const double side = 2.0 * problem.N;
    Answer answer{rng.real(0.0, side), rng.real(0.0, side), 0.0};
    answer[2] = radius_around(problem, answer);
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto around = [&](Answer centre) {
      centre[2] = radius_around(problem, centre);
      return format_answer(centre);
    };
    return {{"around the middle of the bounding box", around(middle_of_box(problem))},
            {"around the mean of the points", around(mean(problem))},
            {"around the middle of the two points farthest apart", around(widest(problem))}};
  }

 private:
  // Of the smallest circle around the first two entries of `centre` that contains all points.
  static double radius_around(const Problem& problem, const Answer& centre) {
    double radius = 0.0;
    for (const auto& [x, y] : problem.points) {
      radius = std::max(radius, std::hypot(centre[0] - static_cast<double>(x),
                                           centre[1] - static_cast<double>(y)));
    }
    return std::isnan(radius) ? std::numeric_limits<double>::infinity() : radius;
  }

  static Answer middle_of_box(const Problem& problem) {
    Point least = problem.points[0];
    for (const auto& [x, y] : problem.points) {
      least = {std::min(least[0], x), std::min(least[1], y)};
    }
    const Point box = bounding_box(problem.points);
    return {static_cast<double>(2 * least[0] + box[0]) / 2,
            static_cast<double>(2 * least[1] + box[1]) / 2, 0.0};
  }

  static Answer mean(const Problem& problem) {
    double x = 0.0;
    double y = 0.0;
    for (const Point& point : problem.points) {
      x += static_cast<double>(point[0]);
      y += static_cast<double>(point[1]);
    }
    return {x / problem.N, y / problem.N, 0.0};
  }

  static Answer widest(const Problem& problem) {
    const std::vector<Point> hull = convex_hull(problem.points);
    std::int64_t most = -1;
    Answer middle;
    for (const Point& a : hull) {
      for (const Point& b : hull) {
        if (squared_distance(a, b) <= most) continue;
        most = squared_distance(a, b);
        middle = {static_cast<double>(a[0] + b[0]) / 2, static_cast<double>(a[1] + b[1]) / 2, 0.0};
      }
    }
    return middle;
  }
};
REDQUEEN_ENVIRONMENT(SmallestCircle);

}  // namespace
}  // namespace redqueen
