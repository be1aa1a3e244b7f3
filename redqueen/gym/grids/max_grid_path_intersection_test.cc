#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Grid = std::vector<std::vector<std::int64_t>>;

// All walks go on together, diagonal by diagonal; a state holds the row of each.
std::int64_t by_diagonals(const Grid& grid, int walks) {
  const int n = static_cast<int>(grid.size());
  std::map<std::vector<int>, std::int64_t> best{
      {std::vector<int>(static_cast<std::size_t>(walks)), grid[0][0]}};
  for (int diagonal = 1; diagonal <= 2 * (n - 1); ++diagonal) {
    std::map<std::vector<int>, std::int64_t> next;
    for (const auto& [rows, sum] : best) {
      for (unsigned down = 0; down < 1u << walks; ++down) {
        std::vector<int> moved = rows;
        bool inside = true;
        for (int k = 0; k < walks; ++k) {
          moved[k] += static_cast<int>(down >> k & 1);
          inside &= moved[k] < n && diagonal - moved[k] < n;
        }
        if (!inside) continue;
        std::ranges::sort(moved);
        std::int64_t more = 0;
        for (int k = 0; k < walks; ++k) {
          if (k == 0 || moved[k] != moved[k - 1]) more += grid[moved[k]][diagonal - moved[k]];
        }
        std::int64_t& entry = next[moved];
        entry = std::max(entry, sum + more);
      }
    }
    best = std::move(next);
  }
  return best.begin()->second;
}

TEST(MaxGridPathIntersection, AgreesWithWalkingTogether) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("MaxGridPathIntersection", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(), std::to_string(by_diagonals(parameter["grid"].get<Grid>(),
                                                                parameter["K"].get<int>())))
        << problem->prompt();
  }
}

}  // namespace
}  // namespace redqueen
