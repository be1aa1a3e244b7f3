#include <algorithm>
#include <numeric>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/geometry/point.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct LargestRectangle_AmongPoints {
  static constexpr Card card{
      .name = "LargestRectangle_AmongPoints",
      .published = true,
      .family = Family::kGeometry,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task = "Choose four of the given points that are the corners of a largest rectangle.",
      .levels =
          "From 5 points, a tenth and one more each level, coordinates of up to as many; beyond "
          "level 50 there are too many pairs of points.",
      .rewards =
          "-1 malformed, -0.5 labels that do not exist or points that are not the corners of a "
          "rectangle, else (area / largest area)^5.",
      .differences =
          "Points are all different. From 7 points on, several rectangles are hidden instead of "
          "one square, some of them with a corner in common, and neither the largest square nor "
          "the largest rectangle along the axes is a largest one.",
      .slow_reason = SlowReason::kStricter,
      .source = "HNOI 2011: counting rectangles",
      .max_level = 50,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kMaxPoints = 2'000;
  static constexpr std::int64_t kMaxCoordinate = 1'000'000;
  static constexpr int kManyPoints = 7;  // fewer do not hold two rectangles without a common side

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Point> points;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, points, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // labels from 0

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(5, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .points = {}, .gold_answer = 0};
    problem.points.reserve(n);
    const auto rectangles = n < kManyPoints ? 1 : rng.integer(2, (n - 1) / 3);
    for (std::int64_t i = 0; i < rectangles; ++i) {
      const bool common_corner = i > 0 && (std::ssize(problem.points) + 4 > n || rng.chance(0.7));
      if (std::ssize(problem.points) + (common_corner ? 3 : 4) > n) break;
      hide_rectangle(problem, common_corner, rng);
    }
    while (std::ssize(problem.points) < n) {
      const Point point = draw_point(n, rng);
      if (is_new(problem, point)) problem.points.push_back(point);
    }
    rng.shuffle(problem.points);
    problem.gold_answer = largest(problem.points, Kind::kAny).area;
    if (n >= kManyPoints &&
        (largest(problem.points, Kind::kSquare).area == problem.gold_answer ||
         largest(problem.points, Kind::kAlongAxes).area == problem.gold_answer)) {
      throw Retry();
    }
    return problem;
  }

  // The corners of a square and any other points, which may coincide.
  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t n = config.N;
    const auto draw_near = [&] { return rng.integer(-(n + 1) / 2, n / 2); };
    Problem problem{.N = config.N, .points = {}, .gold_answer = 0};
    problem.points.reserve(static_cast<std::size_t>(n));
    const std::int64_t x = draw_near();
    const std::int64_t y = draw_near();
    std::int64_t dx = 0;
    std::int64_t dy = 0;
    while (dx == 0 && dy == 0) {
      dx = draw_near();
      dy = draw_near();
    }
    problem.points = {{x, y}, {x + dx, y + dy}, {x - dy, y + dx}, {x + dx - dy, y + dy + dx}};
    while (std::ssize(problem.points) < n) {
      problem.points.push_back({rng.integer(-n, n), rng.integer(-n, n)});
    }
    rng.shuffle(problem.points);
    problem.gold_answer = largest(problem.points, Kind::kAny).area;
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound =
            check_points("points", problem.points, problem.N, 4, kMaxPoints, kMaxCoordinate);
        !sound) {
      return sound;
    }
    if (problem.gold_answer == 0) return failure("\"points\": there is no rectangle");
    return reference_is("gold_answer", problem.gold_answer,
                        largest(problem.points, Kind::kAny).area);
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (int i = 0; i < problem.N; ++i) {
      append_format(list, "{}: ({}, {})\n", i, problem.points[i][0], problem.points[i][1]);
    }
    return fmt::format(
        "Here are {} points (x, y) of the plane, labelled 0 to {}:\n"
        "{}Choose four of them that are the corners of a rectangle of positive area. Its sides may "
        "have any direction; they need not be parallel to the axes. Other points do not matter. "
        "The area is to be as large as possible.\n"
        "Answer with the four labels in any order, separated by spaces.",
        problem.N, problem.N - 1, list);
  }

  static std::optional<Answer> parse(std::string_view answer) {
    auto labels = parse_int_list(answer);
    if (!labels || labels->size() != 4) return std::nullopt;
    return labels;
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::array<Point, 4> corners;
    for (std::size_t i = 0; i < 4; ++i) {
      if (answer[i] < 0 || answer[i] >= problem.N) return kInvalidReward;
      corners[i] = problem.points[answer[i]];
    }
    const std::int64_t area = rectangle_area(corners);
    if (area == 0) return kInvalidReward;
    return maximise_reward(area, problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) { return largest(problem.points, Kind::kAny).labels; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const Answer axes = largest(problem.points, Kind::kAlongAxes).labels;
    if (!axes.empty() && rng.chance(0.2)) return axes;
    return rng.sample(0, problem.N - 1, 4);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the largest rectangle along the axes",
             format_answer(largest(problem.points, Kind::kAlongAxes).labels)},
            {"the largest square", format_answer(largest(problem.points, Kind::kSquare).labels)},
            {"the points farthest out in four directions", format_answer(farthest_out(problem))}};
  }

 private:
  enum class Kind { kAny, kAlongAxes, kSquare };

  struct Found {
    std::int64_t area = 0;  // 0: there is none
    Answer labels;
  };

  // Two points, which may be the ends of a diagonal.
  struct Diagonal {
    Point ends_sum;
    std::int64_t squared_length;
    int from;
    int to;
  };

  static Point draw_point(std::int64_t most, Rng& rng) {
    const std::int64_t x = rng.integer(-most, most);
    return {x, rng.integer(-most, most)};
  }

  static bool is_new(const Problem& problem, const Point& point) {
    return std::ranges::find(problem.points, point) == problem.points.end();
  }

  // Adds a rectangle whose sides have lengths of a different number of steps.
  static void hide_rectangle(Problem& problem, bool common_corner, Rng& rng) {
    constexpr int kAttempts = 100;
    const std::int64_t n = problem.N;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const Point step = draw_point(std::max<std::int64_t>(1, n / 4), rng);
      const std::int64_t longest =
          n / std::max<std::int64_t>(1, std::max(std::abs(step[0]), std::abs(step[1])));
      const std::int64_t along = rng.integer(1, longest);
      const std::int64_t across = rng.integer(1, longest);
      if (along == across || std::gcd(step[0], step[1]) != 1) continue;
      const Point corner = common_corner ? rng.choice(problem.points) : draw_point(n, rng);
      const Point a{step[0] * along, step[1] * along};
      const Point b{-step[1] * across, step[0] * across};
      const std::array<Point, 4> corners{corner, Point{corner[0] + a[0], corner[1] + a[1]},
                                         Point{corner[0] + b[0], corner[1] + b[1]},
                                         Point{corner[0] + a[0] + b[0], corner[1] + a[1] + b[1]}};
      const bool fits = std::ranges::all_of(corners, [&](const Point& point) {
        return std::max(std::abs(point[0]), std::abs(point[1])) <= n &&
               (is_new(problem, point) || (common_corner && point == corner));
      });
      if (!fits) continue;
      problem.points.insert(problem.points.end(), corners.begin() + (common_corner ? 1 : 0),
                            corners.end());
      return;
    }
    throw Retry();
  }

  // 0 unless the points, in any order, are the corners of a rectangle of positive area.
  static std::int64_t rectangle_area(std::array<Point, 4> corners) {
    for (int turns = 0; turns < 3; ++turns) {
      const Point a = minus(corners[1], corners[0]);
      const Point b = minus(corners[2], corners[0]);
      const Point opposite{corners[0][0] + a[0] + b[0], corners[0][1] + a[1] + b[1]};
      if (dot(a, b) == 0 && opposite == corners[3]) return std::abs(cross(a, b));
      std::rotate(corners.begin() + 1, corners.begin() + 2, corners.end());
    }
    return 0;
  }

  // Two pairs of points are the diagonals of a rectangle if they have the same middle and length.
  // O(n² log n) for points of which few pairs agree in both.
  static Found largest(const std::vector<Point>& points, Kind kind) {
    std::vector<Diagonal> diagonals;
    diagonals.reserve(points.size() * points.size() / 2);
    for (int i = 0; i < std::ssize(points); ++i) {
      for (int j = 0; j < i; ++j) {
        const Point& a = points[i];
        const Point& b = points[j];
        diagonals.push_back({{a[0] + b[0], a[1] + b[1]}, squared_distance(a, b), i, j});
      }
    }
    const auto key = [](const Diagonal& d) { return std::tie(d.ends_sum, d.squared_length); };
    std::ranges::sort(diagonals, [&](const Diagonal& a, const Diagonal& b) {
      return std::tuple_cat(key(a), std::tie(a.from, a.to)) <
             std::tuple_cat(key(b), std::tie(b.from, b.to));
    });
    Found best;
    for (auto first = diagonals.begin(); first != diagonals.end(); ++first) {
      for (auto second = first + 1; second != diagonals.end() && key(*first) == key(*second);
           ++second) {
        const Point corner = points[first->from];
        const Point a = minus(points[second->from], corner);
        const Point b = minus(points[second->to], corner);
        if (kind == Kind::kAlongAxes && a[0] != 0 && a[1] != 0) continue;
        if (kind == Kind::kSquare && dot(a, a) != dot(b, b)) continue;
        const std::int64_t area = std::abs(cross(a, b));
        if (area > best.area) {
          best = {area, {first->from, second->from, first->to, second->to}};
        }
      }
    }
    return best;
  }

  static Answer farthest_out(const Problem& problem) {
    Answer labels;
    for (const Point& way : {Point{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) {
      labels.push_back(std::ranges::max_element(problem.points, {},
                                                [&](const Point& p) { return dot(p, way); }) -
                       problem.points.begin());
    }
    return labels;
  }
};
REDQUEEN_ENVIRONMENT(LargestRectangle_AmongPoints);

}  // namespace
}  // namespace redqueen
