#include <set>

#include "redqueen/gym/common/geometry/point.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(SquareUndamagedPointCounting, AgreesWithACountOfAllSquares) {
  for (int level = 0; level <= 7; ++level) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const auto problem = make_problem("SquareUndamagedPointCounting", level, seed);
      const Json parameter = problem->parameter();
      std::set<Point> whole;
      for (std::int64_t x = 0; x <= parameter["N"].get<std::int64_t>(); ++x) {
        for (std::int64_t y = 0; y <= parameter["M"].get<std::int64_t>(); ++y) whole.insert({x, y});
      }
      for (const Json& point : parameter["damaged_points"]) whole.erase(point.get<Point>());
      // From each corner to the next one counterclockwise: every square four times.
      int corners = 0;
      for (const Point& p : whole) {
        for (const Point& q : whole) {
          const auto [a, b] = minus(q, p);
          corners += p != q && whole.contains({q[0] - b, q[1] + a}) &&
                     whole.contains({p[0] - b, p[1] + a});
        }
      }
      EXPECT_EQ(problem->reference(), std::to_string(corners / 4)) << problem->prompt();
    }
  }
}

TEST(SquareUndamagedPointCounting, RefusesAForgedReference) {
  const Environment& environment = *Registry::native().find("SquareUndamagedPointCounting");
  const auto parameter = [](int reference) {
    return *parse_json(fmt::format(
        R"({{"MAX_N_M": 2, "N": 2, "M": 2, "damaged_points": [[1, 1]], "reference_answer": {}}})",
        reference));
  };
  EXPECT_TRUE(environment.restore(parameter(2)));
  EXPECT_FALSE(environment.restore(parameter(6)));
}

}  // namespace
}  // namespace redqueen
