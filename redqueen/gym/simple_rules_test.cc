// Bounds the reward of simple rules where an environment draws its problems against them. Cards
// excuse some of these environments, so that the audit would not notice if they fell back.

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string_view>

#include "redqueen/core/contract.h"
#include "redqueen/core/registry.h"
#include "redqueen/gym/audit.h"

namespace redqueen {
namespace {

struct Bound {
  std::string_view environment;
  int level;
  std::string_view rule;
  double most;  // share of the problems solved
};

std::ostream& operator<<(std::ostream& out, const Bound& bound) {
  return out << bound.environment << ", level " << bound.level << ", " << bound.rule;
}

class SimpleRule : public testing::TestWithParam<Bound> {};

TEST_P(SimpleRule, SolvesFew) {
  const Bound& bound = GetParam();
  const Environment* environment = Registry::native().find(bound.environment);
  if (environment == nullptr) GTEST_SKIP() << "not built";
  const auto levels =
      audit(*environment, {.levels = {bound.level}, .problems = 300, .seconds = 10.0});
  const auto guess = std::ranges::find(levels[0].guesses, bound.rule, &GuessAudit::rule);
  ASSERT_NE(guess, levels[0].guesses.end()) << "no such rule";
  EXPECT_EQ(levels[0].problems, 300);
  EXPECT_LE(guess->solved, bound.most);
}

INSTANTIATE_TEST_SUITE_P(
    Gym, SimpleRule,
    testing::Values(
        Bound{"CheckAllCycleXorZero", 5, "what the triangles say", 0.68},
        Bound{"ClearSymmetry", 10, "the smallest side whose chessboard has as many ones", 0.25},
        Bound{"ConstructHackInterval", 8, "1 to the first number that will do, up to 60", 0.0},
        Bound{"CountdownEqual", 8, "from left to right, always by the sign that comes nearest",
              0.0},
        Bound{"DeltaMinPopcount", 5, "the ones of d", 0.2},
        Bound{"DifferenceConstraintSystem", 2, "two relaxations", 0.05},
        Bound{"DifferentColorPairing", 2, "random", 0.22},
        Bound{"DynDynamite", 3, "the last M vertices", 0.05},
        Bound{"EmperorWorries", 2, "the greatest sum of two neighbours", 0.57},
        Bound{"EmperorWorries", 2, "the sum by half of the number of generals", 0.57},
        Bound{"EmperorWorries", 10, "the greatest sum of two neighbours", 0.57},
        Bound{"EmperorWorries", 10, "the sum by half of the number of generals", 0.57},
        Bound{"FaceRightWay", 10, "the longest windows that can do it", 0.33},
        Bound{"FactorialTrailingZeroCount", 5, "the same by its exponent in K", 0.6},
        Bound{"FactorialTrailingZeroCount", 5,
              "exponent of the least prime of K by its exponent in K", 0.6},
        Bound{"Knapsack", 2, "the best of these after exchanges", 0.0},
        Bound{"LargestConvexPolygon", 2, "the largest hull with one point left out", 0.2},
        Bound{"MaxDifferentGroupPairDivision", 2, "best constant", 0.2},
        Bound{"MaxSegmentCoverageConstraint", 3, "all but the shortest and the longest", 0.2},
        Bound{"MaxSegmentCoverageConstraint", 3, "what still can be, the shortest first", 0.0},
        Bound{"MinimumChromaticNumber_SegmentOverlap", 5,
              "the first free colour, longest segment first", 0.0},
        Bound{"MinXorPair", 3, "the two nearest numbers", 0.15},
        Bound{"MultipleFlippingGame", 5, "Yes if the number of white cells is odd", 0.86},
        Bound{"MultipleFlippingGame", 5, "best constant", 0.58},
        Bound{"PanSolarPanels", 5, "the largest number that divides one of the other interval",
              0.2},
        Bound{"POLPolarization", 20, "the largest branches first", 0.6},
        Bound{"POLPolarization", 20, "as if the branches could be halved", 0.6},
        Bound{"PrimeGraph_MinimumChromaticNumber", 5, "best constant", 0.2},
        Bound{"SplittingGame", 5, "Bob if a multiple of 4 bottles before the last one are odd",
              0.68},
        Bound{"SquSquarks", 5, "from the three smallest sums", 0.2},
        Bound{"SubsetSum", 2, "what fits, from large to small, skipping one number", 0.0},
        Bound{"WYRLevelingGround", 2, "each difference on its own", 0.2}),
    [](const auto& info) {
      return std::string(info.param.environment) + std::to_string(info.index);
    });

}  // namespace
}  // namespace redqueen
