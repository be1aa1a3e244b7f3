#include <array>
#include <map>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Point = std::array<int, 3>;

// Step by step from a point to the target, remembering the counts of points seen.
std::int64_t paths_step_by_step(const Point& point, const Point& target,
                                const std::set<Point>& forbidden,
                                std::map<Point, std::int64_t>& known) {
  if (forbidden.contains(point)) return 0;
  if (point == target) return 1;
  if (const auto found = known.find(point); found != known.end()) return found->second;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (int next = point[i] + 1; next <= target[i]; ++next) {
      if ((point[i] & next) != point[i]) continue;
      Point to = point;
      to[i] = next;
      count += paths_step_by_step(to, target, forbidden, known);
    }
  }
  return known[point] = count;
}

TEST(BannedPointSupersetPathCounting, AgreesWithBruteForce) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem =
        make_problem("BannedPointSupersetPathCounting", static_cast<int>(seed % 9), seed);
    const Json parameter = problem->parameter();
    const Point target{parameter["N"], parameter["M"], parameter["R"]};
    const auto obstacles = parameter["obstacles"].get<std::vector<Point>>();
    const std::set<Point> forbidden(obstacles.begin(), obstacles.end());
    EXPECT_EQ(forbidden.size(), obstacles.size());
    std::map<Point, std::int64_t> known;
    const std::int64_t count = paths_step_by_step({0, 0, 0}, target, forbidden, known);
    EXPECT_EQ(problem->reference(), format_answer(count % parameter["MOD"].get<std::int64_t>()))
        << problem->prompt();
  }
}

TEST(BannedPointSupersetPathCounting, DoesNotMindObstaclesTwiceOrAside) {
  const auto problem =
      restore_problem("BannedPointSupersetPathCounting",
                      R"({"MAX_N_M_R": 1, "MAX_O": 10, "N": 1, "M": 1, "R": 0, "O": 3,
          "obstacles": [[1, 0, 0], [1, 0, 0], [7, 7, 7]], "MOD": 100})");
  EXPECT_TRUE(problem->score("1").solved);
  EXPECT_EQ(problem->score("100").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0").reward, 0.0);
}

}  // namespace
}  // namespace redqueen
