#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Points = std::vector<std::array<std::int64_t, 2>>;

std::int64_t area(const Points& p, std::size_t a, std::size_t b, std::size_t c) {
  return std::abs((p[b][0] - p[a][0]) * (p[c][1] - p[a][1]) -
                  (p[b][1] - p[a][1]) * (p[c][0] - p[a][0]));
}

bool inside(const Points& p, std::size_t a, std::size_t b, std::size_t c, std::size_t x) {
  return area(p, a, b, x) + area(p, b, c, x) + area(p, a, c, x) == area(p, a, b, c);
}

// Points are in convex position if none lies in a triangle of three others (Carathéodory).
bool convex(const Points& p, unsigned chosen) {
  const auto has = [&](std::size_t i) { return (chosen >> i & 1) != 0; };
  for (std::size_t a = 0; a < p.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      for (std::size_t c = 0; c < b; ++c) {
        for (std::size_t x = 0; x < p.size(); ++x) {
          if (x == a || x == b || x == c || !has(a) || !has(b) || !has(c) || !has(x)) continue;
          if (inside(p, a, b, c, x)) return false;
        }
      }
    }
  }
  return true;
}

TEST(LargestConvexPolygon, AgreesWithEverySubset) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const auto problem = make_problem("LargestConvexPolygon", static_cast<int>(seed % 5), seed);
    const auto points = problem->parameter()["points"].get<Points>();
    int most = 0;
    for (unsigned chosen = 0; chosen < 1U << points.size(); ++chosen) {
      const int count = std::popcount(chosen);
      std::vector<std::int64_t> labels;
      for (std::size_t i = 0; i < points.size(); ++i) {
        if ((chosen >> i & 1) != 0) labels.push_back(static_cast<std::int64_t>(i) + 1);
      }
      const bool polygon = count >= 3 && convex(points, chosen);
      EXPECT_EQ(problem->score(format_answer(labels)).reward > 0, polygon) << format_answer(labels);
      if (polygon) most = std::max(most, count);
    }
    EXPECT_EQ(problem->parameter()["gold_answer"], most);
  }
}

TEST(LargestConvexPolygon, TellsBadLabelsFromBadShapes) {
  const auto problem = restore_problem(
      "LargestConvexPolygon",
      R"({"N": 5, "points": [[1, 2], [0, 4], [0, 0], [5, 3], [1, 0]], "gold_answer": 4})");
  EXPECT_TRUE(problem->score("5 4 3 2").solved);
  EXPECT_NEAR(problem->score("3 1 2").reward, std::pow(0.75, 5), 1e-12);
  EXPECT_EQ(problem->score("1 2 3 4 5").reward, -0.2);
  EXPECT_EQ(problem->score("1 2").reward, -0.2);
  EXPECT_EQ(problem->score("1 2 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 2").reward, kInvalidReward);
}

TEST(LargestConvexPolygon, RefusesPointsOnALine) {
  const Environment& environment = *Registry::native().find("LargestConvexPolygon");
  EXPECT_FALSE(environment.restore(
      *parse_json(R"({"N": 3, "points": [[0, 0], [1, 1], [2, 2]], "gold_answer": 3})")));
  EXPECT_FALSE(environment.restore(
      *parse_json(R"({"N": 3, "points": [[0, 0], [1, 1], [2, 1]], "gold_answer": 2})")));
}

}  // namespace
}  // namespace redqueen
