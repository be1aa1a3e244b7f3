#include <algorithm>
#include <cstdlib>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Squares = std::vector<std::pair<int, int>>;

// Places kings one after another, each on a later square than the one before.
std::int64_t placements(int n, int kings, const Squares& closed, Squares& taken, int first) {
  if (kings == 0) return 1;
  std::int64_t count = 0;
  for (int place = first; place < n * n; ++place) {
    const std::pair square(place / n + 1, place % n + 1);
    if (std::ranges::find(closed, square) != closed.end()) continue;
    const bool attacked = std::ranges::any_of(taken, [&](const auto& other) {
      return std::abs(other.first - square.first) <= 1 &&
             std::abs(other.second - square.second) <= 1;
    });
    if (attacked) continue;
    taken.push_back(square);
    count += placements(n, kings - 1, closed, taken, place + 1);
    taken.pop_back();
  }
  return count;
}

TEST(RoyalLockCounting, AgreesWithAllPlacements) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const auto problem = make_problem("RoyalLockCounting", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    Squares taken;
    EXPECT_EQ(problem->reference(),
              format_answer(placements(parameter["N"].get<int>(), parameter["K"].get<int>(),
                                       parameter["closed"].get<Squares>(), taken, 0)));
  }
}

TEST(RoyalLockCounting, AgreesWithAllPlacementsOnOpenBoards) {
  for (int n = 1; n <= 5; ++n) {
    for (int k = 0; k <= n * n; ++k) {
      Squares taken;
      EXPECT_NE(restore_problem("RoyalLockCounting",
                                fmt::format(R"({{"N": {}, "K": {}, "reference_answer": {}}})", n, k,
                                            placements(n, k, {}, taken, 0))),
                nullptr);
    }
  }
}

// The only way to place 64 kings on 15 × 15 squares; one king stands anywhere.
TEST(RoyalLockCounting, CountsOnTheLargestBoard) {
  for (const auto& [kings, right] : {std::pair{64, 1}, std::pair{1, 225}, std::pair{65, 0}}) {
    EXPECT_NE(restore_problem(
                  "RoyalLockCounting",
                  fmt::format(R"({{"N": 15, "K": {}, "reference_answer": {}}})", kings, right)),
              nullptr);
  }
}

}  // namespace
}  // namespace redqueen
