#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(PanSolarPanels, AgreesWithAllPairs) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("PanSolarPanels", static_cast<int>(seed % 6), seed);
    const Json p = problem->parameter();
    int largest = 0;
    for (int x = p["A"].get<int>(); x <= p["B"].get<int>(); ++x) {
      for (int y = p["C"].get<int>(); y <= p["D"].get<int>(); ++y) {
        largest = std::max(largest, std::gcd(x, y));
      }
    }
    const auto pair = *parse_int_list(problem->reference());
    EXPECT_EQ(std::gcd(pair[0], pair[1]), largest);
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
}

TEST(PanSolarPanels, PaysForSmallerDivisorsLess) {
  const auto problem =
      restore_problem("PanSolarPanels", R"({"MAX_A_B_C_D": 15, "A": 3, "B": 5, "C": 7, "D": 9})");
  EXPECT_EQ(problem->score("4 8").reward, 1.0);
  EXPECT_NEAR(problem->score("3 9").reward, 27.0 / 64.0, 1e-12);
  EXPECT_EQ(problem->score("4 6").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("4 8 4").well_formed);
}

}  // namespace
}  // namespace redqueen
