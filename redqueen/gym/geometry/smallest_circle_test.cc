#include <algorithm>
#include <cmath>

#include "redqueen/gym/common/geometry/point.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The least radius is the largest that two or three of the points need (Helly).
double radius_needed(const std::vector<Point>& points) {
  double needed = 0.0;
  for (const Point& a : points) {
    for (const Point& b : points) {
      for (const Point& c : points) {
        std::array<std::int64_t, 3> sides{squared_distance(a, b), squared_distance(b, c),
                                          squared_distance(c, a)};
        std::ranges::sort(sides);
        double radius = std::sqrt(static_cast<double>(sides[2])) / 2;
        if (sides[0] + sides[1] > sides[2]) {
          radius = std::sqrt(static_cast<double>(sides[0]) * static_cast<double>(sides[1]) *
                             static_cast<double>(sides[2])) /
                   (2.0 * std::abs(static_cast<double>(turn(a, b, c))));
        }
        needed = std::max(needed, radius);
      }
    }
  }
  return needed;
}

TEST(SmallestCircle, AgreesWithWhatAnyThreePointsNeed) {
  for (int level = 0; level <= 10; ++level) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const auto problem = make_problem("SmallestCircle", level, seed);
      const auto points = problem->parameter()["points"].get<std::vector<Point>>();
      const std::string reference = problem->reference();
      const double radius = *parse_real(split_words(reference).back());
      EXPECT_NEAR(radius, radius_needed(points), 1e-9) << problem->prompt();
    }
  }
}

TEST(SmallestCircle, ToleratesAThousandthOnBothSides) {
  const auto problem =
      restore_problem("SmallestCircle", R"({"N": 3, "points": [[0, 0], [6, 8], [6, 7]]})");
  EXPECT_TRUE(problem->score("3 4 5").solved);
  EXPECT_TRUE(problem->score("3 4 4.9991").solved);
  EXPECT_TRUE(problem->score("3 4 5.0009").solved);
  EXPECT_FALSE(problem->score("3 4 5.0011").solved);
  EXPECT_EQ(problem->score("3 4 4.998").reward, 0.0);
  EXPECT_EQ(problem->score("3.01 4 5").reward, 0.0);
  EXPECT_NEAR(problem->score("3 4 10").reward, std::pow(0.5, 10), 1e-12);
  EXPECT_EQ(problem->score("3 4 -5").reward, kMalformedReward);
  EXPECT_EQ(problem->score("nan nan 5").reward, kMalformedReward);
  EXPECT_EQ(problem->score("3 4").reward, kMalformedReward);
  EXPECT_EQ(problem->score("1e308 4 5").reward, 0.0);
}

}  // namespace
}  // namespace redqueen
