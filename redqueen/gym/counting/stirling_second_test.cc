#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Puts every ball into every box.
std::int64_t placements(int balls, int boxes, std::uint32_t filled) {
  if (balls == 0) return filled + 1 == std::uint32_t{1} << boxes ? 1 : 0;
  std::int64_t count = 0;
  for (int box = 0; box < boxes; ++box) {
    count += placements(balls - 1, boxes, filled | std::uint32_t{1} << box);
  }
  return count;
}

TEST(StirlingSecond, AgreesWithAllPlacements) {
  for (int n = 1; n <= 7; ++n) {
    for (int r = 1; r <= n; ++r) {
      EXPECT_NE(restore_problem("StirlingSecond",
                                fmt::format(R"({{"MAX_N": 7, "MAX_R": 7, "N": {}, "R": {}, )"
                                            R"("reference_answer": {}}})",
                                            n, r, placements(n, r, 0))),
                nullptr);
    }
  }
}

// Exact integers: a ball goes into a box that others filled, or fills the last one.
TEST(StirlingSecond, ReducesLargeCounts) {
  std::vector<BigInt> ways(61);
  ways[0] = 1;
  for (int ball = 1; ball <= 60; ++ball) {
    for (int boxes = ball; boxes >= 1; --boxes)
      ways[boxes] = boxes * (ways[boxes] + ways[boxes - 1]);
    ways[0] = 0;
  }
  for (const int boxes : {1, 2, 30, 59, 60}) {
    EXPECT_NE(restore_problem("StirlingSecond",
                              fmt::format(R"({{"MAX_N": 60, "MAX_R": 60, "N": 60, "R": {}, )"
                                          R"("reference_answer": {}}})",
                                          boxes, BigInt(ways[boxes] % 1'000'000'007).str())),
              nullptr);
  }
}

}  // namespace
}  // namespace redqueen
