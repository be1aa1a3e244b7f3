#include "redqueen/train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace redqueen {
namespace {

TEST(Schedule, WarmsUpFromTheFirstUpdate) {
  for (const auto shape :
       {ScheduleShape::kConstant, ScheduleShape::kLinear, ScheduleShape::kCosine}) {
    const Schedule schedule{shape, 3e-4, 10, 110, 0.1};
    for (int update = 0; update < 10; ++update) {
      EXPECT_DOUBLE_EQ(learning_rate(schedule, update), 3e-4 * (update + 1) / 10);
    }
    EXPECT_DOUBLE_EQ(learning_rate(schedule, 10), 3e-4);
  }
}

TEST(Schedule, FallsToTheFloorAndStays) {
  const Schedule linear{ScheduleShape::kLinear, 2.0, 4, 104, 0.25};
  const Schedule cosine{ScheduleShape::kCosine, 2.0, 4, 104, 0.25};
  for (int update = 4; update < 104; ++update) {
    // Equal steps for the line; for the cosine, the rise of rate(u) mirrors the fall around the
    // middle.
    EXPECT_NEAR(learning_rate(linear, update) - learning_rate(linear, update + 1), 1.5 / 100,
                1e-12);
    EXPECT_NEAR(learning_rate(cosine, update) + learning_rate(cosine, 108 - update), 2.5, 1e-12);
    EXPECT_GT(learning_rate(cosine, update), learning_rate(cosine, update + 1));
  }
  EXPECT_NEAR(learning_rate(cosine, 29), 0.5 + 1.5 * (1 + std::sqrt(0.5)) / 2, 1e-12);
  for (const int update : {104, 105, 1'000'000}) {
    EXPECT_DOUBLE_EQ(learning_rate(linear, update), 0.5);
    EXPECT_DOUBLE_EQ(learning_rate(cosine, update), 0.5);
  }
}

TEST(Schedule, ConstantNeedsNoTotal) { EXPECT_EQ(learning_rate({.peak = 5e-7}, 123'456), 5e-7); }

TEST(Schedule, TotalWithinTheWarmUpIsHarmless) {
  const Schedule schedule{ScheduleShape::kCosine, 1.0, 5, 5, 0.0};
  EXPECT_EQ(learning_rate(schedule, 4), 1.0);
  EXPECT_NEAR(learning_rate(schedule, 6), 0.0, 1e-12);
}

}  // namespace
}  // namespace redqueen
