#include <algorithm>
#include <array>
#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Cells = std::vector<std::array<int, 3>>;

struct Box {
  std::array<int, 3> low;
  std::array<int, 3> high;

  int cost() const { return std::min({high[0] - low[0], high[1] - low[1], high[2] - low[2]}); }
  bool holds(const std::array<int, 3>& cell) const {
    for (int axis = 0; axis < 3; ++axis) {
      if (cell[axis] < low[axis] || cell[axis] >= high[axis]) return false;
    }
    return true;
  }
};

// Dynamic programming over the sets of cells that boxes of any shape cover.
int least_cost(const std::array<int, 3>& sides, const Cells& cells) {
  std::vector<int> best(std::size_t{1} << cells.size(), 1000);
  best[0] = 0;
  std::vector<int> cheapest(best.size(), 1000);  // box that covers just these cells
  Box box{};
  for (box.low[0] = 0; box.low[0] < sides[0]; ++box.low[0]) {
    for (box.low[1] = 0; box.low[1] < sides[1]; ++box.low[1]) {
      for (box.low[2] = 0; box.low[2] < sides[2]; ++box.low[2]) {
        for (box.high[0] = box.low[0] + 1; box.high[0] <= sides[0]; ++box.high[0]) {
          for (box.high[1] = box.low[1] + 1; box.high[1] <= sides[1]; ++box.high[1]) {
            for (box.high[2] = box.low[2] + 1; box.high[2] <= sides[2]; ++box.high[2]) {
              std::size_t set = 0;
              for (std::size_t i = 0; i < cells.size(); ++i) {
                set |= std::size_t{box.holds(cells[i])} << i;
              }
              cheapest[set] = std::min(cheapest[set], box.cost());
            }
          }
        }
      }
    }
  }
  for (std::size_t covered = 0; covered < best.size(); ++covered) {
    for (std::size_t set = 1; set < cheapest.size(); ++set) {
      if (cheapest[set] == 1000) continue;
      int& more = best[covered | set];
      more = std::min(more, best[covered] + cheapest[set]);
    }
  }
  return best.back();
}

TEST(Disinfection, AgreesWithAllBoxes) {
  int compared = 0;
  for (std::uint64_t seed = 0; compared < 40; ++seed) {
    const auto problem = make_problem("Disinfection", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    const auto cells = parameter["one_coordinates"].get<Cells>();
    if (cells.size() > 11) continue;
    ++compared;
    const std::array sides{parameter["A"].get<int>(), parameter["B"].get<int>(),
                           parameter["C"].get<int>()};
    EXPECT_EQ(parameter["gold_answer"].get<int>(), least_cost(sides, cells)) << problem->prompt();
    EXPECT_EQ(problem->score(problem->reference()).reward, 1.0);
  }
}

TEST(Disinfection, PaysByCostAndAsksForBoxesWithinTheGrid) {
  const auto problem = restore_problem("Disinfection", R"({"MAX_A_B_C": 3, "A": 3, "B": 3, "C": 2,
                          "one_coordinates": [[0, 0, 0], [0, 1, 1], [1, 0, 1], [2, 0, 0]],
                          "gold_answer": 2})");
  EXPECT_EQ(problem->score("0 1 0 3 0 2\n0 3 0 1 0 2").reward, 1.0);
  EXPECT_EQ(problem->score("0 3 0 3 0 2").reward, 1.0);
  EXPECT_NEAR(problem->score("0 1 0 3 0 2\n0 3 0 1 0 2\n0 1 0 1 0 1").reward, std::pow(2.0 / 3, 5),
              1e-12);
  EXPECT_EQ(problem->score("0 1 0 3 0 2").reward, -0.2);
  EXPECT_EQ(problem->score("").reward, -0.2);
  EXPECT_EQ(problem->score("0 3 0 3 0 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 3 0 3 1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 3 0 3 0").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
