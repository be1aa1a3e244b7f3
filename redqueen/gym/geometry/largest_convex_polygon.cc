#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/geometry/point.h"

namespace redqueen {
namespace {

struct LargestConvexPolygon {
  static constexpr Card card{
      .name = "LargestConvexPolygon",
      .published = true,
      .family = Family::kGeometry,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Choose as many of the given points as possible such that they are the corners of a "
          "convex polygon.",
      .levels = "From 5 points, one more a level, in a square of as many units.",
      .rewards =
          "-1 malformed, -0.5 labels that do not exist or repeat, -0.2 not a convex polygon, "
          "else (corners / most corners)^5.",
      .differences =
          "Points whose convex hull is already a largest polygon are drawn again, and so are "
          "those whose first labels are one. From 7 points on, leaving out a point makes the hull "
          "a largest polygon in one of seven problems only.",
      .slow_reason = SlowReason::kStricter,
      .version = 3,
  };

  static constexpr double kBeta = 5.0;
  static constexpr double kNotConvex = -0.2;
  static constexpr int kMaxPoints = 120;
  static constexpr std::int64_t kMaxCoordinate = 1'000'000;
  static constexpr int kAttempts = 200;  // to place one point
  static constexpr int kDraws = 500;
  static constexpr int kPlainBelow = 7;        // points; fewer are nearly always solved by
  static constexpr double kPlainShare = 0.15;  // the largest hull with one of them left out

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Point> points;
    int gold_answer = 0;
    REDQUEEN_FIELDS(N, points, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // labels from 1

  static Config at_level(int level, Rng&) { return {.N = 5 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    // Of five points, the hull of all but one is always best where that of all is not.
    const bool plain = config.N < kPlainBelow || rng.chance(kPlainShare);
    for (int draw = 0; draw < kDraws; ++draw) {
      Problem problem{.N = config.N, .points = draw_points(config.N, rng), .gold_answer = 0};
      // Where the hull has more corners, any larger polygon leaves out a single point.
      const auto hull = static_cast<int>(convex_hull(problem.points).size());
      if (hull > config.N - (plain ? 2 : 3)) continue;
      problem.gold_answer = most_corners(problem.points);
      if (hull == problem.gold_answer ||
          is_convex({problem.points.begin(), problem.points.begin() + problem.gold_answer})) {
        continue;
      }
      if (plain || std::ssize(hull_without_one(problem)) < problem.gold_answer) return problem;
    }
    throw Retry();
  }

  static std::vector<Point> draw_points(int count, Rng& rng) {
    std::vector<Point> points;
    points.reserve(static_cast<std::size_t>(count));
    for (int attempt = 0; std::ssize(points) < count;) {
      const Point point{rng.integer(0, count), rng.integer(0, count)};
      if (in_general_position(points, point)) {
        points.push_back(point);
        attempt = 0;
      } else if (++attempt == kAttempts) {
        throw Retry();
      }
    }
    return points;
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .points = draw_points(config.N, rng), .gold_answer = 0};
    problem.gold_answer = most_corners(problem.points);
    return problem;
  }

  static Status check(const Problem& problem) {
    const auto count = static_cast<std::size_t>(problem.N);
    if (problem.N < 3 || problem.N > kMaxPoints || problem.points.size() != count) {
      return failure("\"points\": expected \"N\" points, 3 to {}", kMaxPoints);
    }
    std::vector<Point> before;
    for (const Point& point : problem.points) {
      if (std::max(std::abs(point[0]), std::abs(point[1])) > kMaxCoordinate) {
        return failure("\"points\": expected coordinates from -{} to {}", kMaxCoordinate,
                       kMaxCoordinate);
      }
      if (!in_general_position(before, point)) {
        return failure("\"points\": two points coincide or three are on a line");
      }
      before.push_back(point);
    }
    if (most_corners(problem.points) != problem.gold_answer) {
      return failure("\"gold_answer\": {} is not the most corners of a polygon",
                     problem.gold_answer);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string rows;
    for (int i = 0; i < problem.N; ++i) {
      rows += fmt::format("{}: ({}, {})\n", i + 1, problem.points[i][0], problem.points[i][1]);
    }
    return fmt::format(
        "Here are {} points in the plane, labelled 1 to {}; no three of them are on one line:\n"
        "{}Choose as many of them as possible, at least 3, such that the chosen points are the "
        "corners of a convex polygon: each of them is a corner of the convex hull of all chosen "
        "points. Points that are not chosen may lie anywhere, inside the polygon as well.\n"
        "Answer with the labels of the chosen points in any order, separated by spaces.",
        problem.N, problem.N, rows);
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<char> seen(problem.N + 1);
    std::vector<Point> chosen;
    for (const std::int64_t label : answer) {
      if (label < 1 || label > problem.N || seen[label]) return kInvalidReward;
      seen[label] = 1;
      chosen.push_back(problem.points[label - 1]);
    }
    if (!is_convex(chosen)) return kNotConvex;
    return maximise_reward(static_cast<std::int64_t>(chosen.size()),
                           std::int64_t{problem.gold_answer}, kBeta);
  }

  // A convex polygon, counterclockwise, takes its sides in the order of their directions. So from
  // every start, one pass over all sides in this order finds the longest way back. O(N^3).
  static Answer solve(const Problem& problem) {
    const std::vector<Side> sides = sides_by_direction(problem.points);
    Answer labels;
    longest_cycle(problem.N, sides, best_start(problem.N, sides).first, &labels);
    return labels;
  }

  static int most_corners(const std::vector<Point>& points) {
    return best_start(static_cast<int>(points.size()), sides_by_direction(points)).second;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const auto count = static_cast<std::size_t>(rng.integer(3, std::max(3, problem.N - 1)));
    return rng.sample(1, problem.N, count);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the convex hull of all points",
             format_answer(labels(problem, convex_hull(problem.points)))},
            {"the largest hull with one point left out",
             format_answer(labels(problem, hull_without_one(problem)))}};
  }

  static Answer labels(const Problem& problem, const std::vector<Point>& corners) {
    Answer labels;
    for (const Point& corner : corners) {
      labels.push_back(std::ranges::find(problem.points, corner) - problem.points.begin() + 1);
    }
    return labels;
  }

  static std::vector<Point> hull_without_one(const Problem& problem) {
    std::vector<Point> largest;
    for (std::size_t left_out = 0; left_out < problem.points.size(); ++left_out) {
      std::vector<Point> rest = problem.points;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(left_out));
      std::vector<Point> hull = convex_hull(rest);
      if (hull.size() > largest.size()) largest = std::move(hull);
    }
    return largest;
  }

 private:
  struct Side {
    Point direction;
    int from;
    int to;
  };

  static bool in_general_position(const std::vector<Point>& points, const Point& point) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i] == point) return false;
      for (std::size_t j = 0; j < i; ++j) {
        if (turn(points[i], points[j], point) == 0) return false;
      }
    }
    return true;
  }

  static std::vector<Side> sides_by_direction(const std::vector<Point>& points) {
    std::vector<Side> sides;
    const int n = static_cast<int>(points.size());
    for (int from = 0; from < n; ++from) {
      for (int to = 0; to < n; ++to) {
        if (from != to) sides.push_back({minus(points[to], points[from]), from, to});
      }
    }
    const auto lower = [](const Point& d) { return d[1] < 0 || (d[1] == 0 && d[0] < 0); };
    std::ranges::sort(sides, [&](const Side& a, const Side& b) {
      if (lower(a.direction) != lower(b.direction)) return lower(b.direction);
      const std::int64_t sense = cross(a.direction, b.direction);
      if (sense != 0) return sense > 0;
      return std::pair(a.from, a.to) < std::pair(b.from, b.to);
    });
    return sides;
  }

  // The first corner of a largest polygon, and how many it has.
  static std::pair<int, int> best_start(int n, const std::vector<Side>& sides) {
    std::pair<int, int> best{0, 0};
    for (int start = 0; start < n; ++start) {
      const int corners = longest_cycle(n, sides, start, nullptr);
      if (corners > best.second) best = {start, corners};
    }
    return best;
  }

  // The most sides of a way from `start` back to it that takes sides in the given order. `labels`,
  // if asked for, gets the corners of such a way.
  static int longest_cycle(int n, const std::vector<Side>& sides, int start, Answer* labels) {
    struct Step {
      int corner;
      int before;  // index of a step, -1 at the start
    };
    std::vector<Step> steps;
    std::vector<int> length(n, -1);  // of the longest way here so far
    std::vector<int> last(n, -1);    // its last step
    int longest = 0;
    int closing = -1;
    length[start] = 0;
    for (const Side& side : sides) {
      if (length[side.from] < 0) continue;
      const int reached = length[side.from] + 1;
      if (side.to == start) {
        if (reached > longest) {
          longest = reached;
          closing = last[side.from];
        }
      } else if (reached > length[side.to]) {
        length[side.to] = reached;
        if (labels == nullptr) continue;
        steps.push_back({side.to, last[side.from]});
        last[side.to] = static_cast<int>(steps.size()) - 1;
      }
    }
    if (labels != nullptr) {
      labels->push_back(start + 1);
      for (int step = closing; step >= 0; step = steps[step].before) {
        labels->push_back(steps[step].corner + 1);
      }
    }
    return longest;
  }

  static bool is_convex(const std::vector<Point>& points) {
    return points.size() >= 3 && convex_hull(points).size() == points.size();
  }
};
REDQUEEN_ENVIRONMENT(LargestConvexPolygon);

}  // namespace
}  // namespace redqueen
