#include <algorithm>

#include "redqueen/gym/common/geometry/point.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Corners in a given order are those of a rectangle if all four angles are right ones.
std::int64_t area_if_rectangle(const std::array<Point, 4>& p) {
  for (std::size_t i = 0; i < 4; ++i) {
    const Point& corner = p[i];
    const Point a = minus(p[(i + 1) % 4], corner);
    const Point b = minus(p[(i + 3) % 4], corner);
    if (dot(a, b) != 0 || dot(a, a) == 0 || dot(b, b) == 0) return 0;
  }
  return std::abs(cross(minus(p[1], p[0]), minus(p[3], p[0])));
}

TEST(LargestRectangle_AmongPoints, AgreesWithAllFourPoints) {
  for (int level = 0; level <= 5; ++level) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const auto problem = make_problem("LargestRectangle_AmongPoints", level, seed);
      const auto points = problem->parameter()["points"].get<std::vector<Point>>();
      const auto n = static_cast<std::int64_t>(points.size());
      const auto gold = problem->parameter()["gold_answer"].get<double>();
      std::int64_t most = 0;
      for (std::int64_t a = 0; a < n; ++a) {
        for (std::int64_t b = 0; b < n; ++b) {
          for (std::int64_t c = 0; c < n; ++c) {
            for (std::int64_t d = 0; d < n; ++d) {
              if (a > b || b > d || a > c) continue;  // every rectangle remains
              const std::int64_t area =
                  area_if_rectangle({points[a], points[b], points[c], points[d]});
              if (area == 0) continue;
              most = std::max(most, area);
              EXPECT_NEAR(problem->score(fmt::format("{} {} {} {}", d, a, c, b)).reward,
                          std::pow(static_cast<double>(area) / gold, 5), 1e-12);
            }
          }
        }
      }
      EXPECT_EQ(gold, most) << problem->prompt();
    }
  }
}

TEST(LargestRectangle_AmongPoints, TellsRectanglesFromOtherFigures) {
  const auto problem = restore_problem(
      "LargestRectangle_AmongPoints",
      R"({"N": 6, "points": [[0, 0], [2, 1], [1, 3], [-1, 2], [4, 2], [0, 0]], "gold_answer": 5})");
  EXPECT_TRUE(problem->score("2 0 1 3").solved);
  EXPECT_TRUE(problem->score("3 2 1 5").solved);
  EXPECT_EQ(problem->score("0 1 2 4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 1 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 0 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 2 6").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 2").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
