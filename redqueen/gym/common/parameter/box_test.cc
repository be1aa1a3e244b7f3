#include "redqueen/gym/common/parameter/box.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

TEST(Box, StaysWithinItsBounds) {
  Rng rng({.seed = 1, .purpose = hash_name("box"), .step = 0, .index = 0, .salt = 0});
  for (int level = 0; level <= 10; ++level) {
    const BoxConfig config = box_at_level(level);
    for (int i = 0; i < 50; ++i) {
      const Box box = draw_box(config, 3, rng);
      for (const std::int64_t side : {box.N, box.M}) {
        EXPECT_GE(side, std::max<std::int64_t>(3, config.MAX_N_M / 2));
        EXPECT_LE(side, config.MAX_N_M);
      }
      EXPECT_TRUE(check_box(box, config.MAX_N_M).has_value());
      EXPECT_FALSE(check_box(box, std::max(box.N, box.M) - 1).has_value());
    }
  }
}

}  // namespace
}  // namespace redqueen
