#include "redqueen/gym/common/number/best_ratio.h"

#include <gtest/gtest.h>

#include <vector>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

TEST(BestRatio, AgreesWithAllChoices) {
  Rng rng({.purpose = hash_name("best ratio")});
  for (int round = 0; round < 200; ++round) {
    std::vector<RatioSums> choices(static_cast<std::size_t>(rng.integer(1, 30)));
    for (auto& [above, below] : choices) {
      above = rng.integer(0, 40);
      below = rng.integer(1, 40);
    }
    const auto choose = [&](const RatioSums& sums) {
      std::size_t best = 0;
      const auto gain = [&](std::size_t i) {
        return sums.below * choices[i].above - sums.above * choices[i].below;
      };
      for (std::size_t i = 1; i < choices.size(); ++i) {
        if (gain(i) > gain(best)) best = i;
      }
      return best;
    };
    const auto sums_of = [&](std::size_t i) { return choices[i]; };
    const RatioSums found = choices[best_ratio_choice(choices.front(), choose, sums_of)];
    bool some_equal = false;
    for (const RatioSums& other : choices) {
      EXPECT_FALSE(other.exceeds(found));
      some_equal = some_equal || other.equals(found);
    }
    EXPECT_TRUE(some_equal);
  }
}

}  // namespace
}  // namespace redqueen
