#include "redqueen/gym/common/parameter/spread.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

Rng test_rng() {
  return Rng({.seed = 1, .purpose = hash_name("spread"), .step = 0, .index = 0, .salt = 0});
}

TEST(Spread, MakesRareAnswersLikelier) {
  Rng rng = test_rng();
  int rare = 0;
  for (int i = 0; i < 1000; ++i) {
    rare += draw_spread(20, rng, [&] {
      const bool is_rare = rng.chance(0.2);
      return std::optional(std::pair<int, bool>(is_rare ? 7 : 1, is_rare));
    });
  }
  EXPECT_GT(rare, 400);
  EXPECT_LT(rare, 600);
}

TEST(Spread, AsksForAnotherDrawWhereNoneIsOfUse) {
  Rng rng = test_rng();
  EXPECT_THROW(draw_spread(5, rng, [] { return std::optional<std::pair<int, int>>(); }), Retry);
}

}  // namespace
}  // namespace redqueen
