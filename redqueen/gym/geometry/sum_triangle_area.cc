#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/geometry/point.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct SumTriangleArea : StoredCount<0> {
  static constexpr Card card{
      .name = "SumTriangleArea",
      .published = true,
      .family = Family::kGeometry,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kCloseness,
      .task = "Find twice the total area of all triangles with corners among given points.",
      .levels = "There are 4 points and one more each level, in a square of as many units.",
      .rewards = "-1 malformed or negative, else (smaller / larger)^10 of answer and total.",
      .differences =
          "Points lie in a box of any size that holds half as many more, somewhere in the square, "
          "so that totals differ by factors; points of the whole square have nearly the same.",
      .source = "POI XV (2007/08): Triangles (TRO)",
  };

  static constexpr int kMaxPoints = 400;
  static constexpr std::int64_t kMaxCoordinate = 1'000'000;

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

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t n = config.N;
    const std::int64_t width = rng.integer(1, n);
    const std::int64_t height = rng.integer(1, n);
    const std::int64_t places = (width + 1) * (height + 1);
    if (2 * places < 3 * n) throw Retry();
    const std::int64_t left = rng.integer(0, n - width);
    const std::int64_t bottom = rng.integer(0, n - height);
    Problem problem{.N = config.N, .points = {}, .reference_answer = 0};
    problem.points.reserve(n);
    for (const std::int64_t place : rng.sample(0, places - 1, static_cast<std::size_t>(n))) {
      problem.points.push_back({left + place % (width + 1), bottom + place / (width + 1)});
    }
    problem.reference_answer = twice_total(problem.points);
    if (problem.reference_answer == 0) throw Retry();
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t n = config.N;
    const std::int64_t side = n + 1;
    Problem problem{.N = config.N, .points = {}, .reference_answer = 0};
    for (const std::int64_t place : rng.sample(0, side * side - 1, static_cast<std::size_t>(n))) {
      problem.points.push_back({place / side, place % side});
    }
    problem.reference_answer = twice_total(problem.points);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound =
            check_points("points", problem.points, problem.N, 3, kMaxPoints, kMaxCoordinate);
        !sound) {
      return sound;
    }
    return reference_is("reference_answer", problem.reference_answer, twice_total(problem.points));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are {} points (x, y) of the plane:\n"
        "{}\n"
        "Every choice of three of them, in no particular order, makes a triangle; three points on "
        "one straight line make one of area 0. Add up the areas of all these triangles. What is "
        "twice the sum? (It is an integer.)\n"
        "Answer with one integer.",
        problem.N, format_points(problem.points));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::int64_t n = problem.N;
    const std::int64_t triples = n * (n - 1) * (n - 2) / 6;
    const Point box = bounding_box(problem.points);
    // 11/144 of a rectangle is the mean area of a triangle in it.
    return {{"as if spread evenly over the bounding box",
             format_answer(box[0] * box[1] * triples * 11 / 72)},
            {"0.15·N² for each triple", format_answer(3 * n * n * triples / 20)}};
  }

 private:
  static std::int64_t twice_total(const std::vector<Point>& points) {
    std::int64_t total = 0;
    for (std::size_t a = 0; a < points.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const Point side = minus(points[b], points[a]);
        for (std::size_t c = 0; c < b; ++c) {
          total += std::abs(cross(side, minus(points[c], points[a])));
        }
      }
    }
    return total;
  }
};
REDQUEEN_ENVIRONMENT(SumTriangleArea);

}  // namespace
}  // namespace redqueen
