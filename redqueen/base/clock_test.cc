#include "redqueen/base/clock.h"

#include <gtest/gtest.h>

#include <limits>

namespace redqueen {
namespace {

using std::chrono::steady_clock;

TEST(Clock, TellsHowLongAgoSomethingWas) {
  EXPECT_GE(seconds_since(steady_clock::now() - std::chrono::milliseconds(1500)), 1.5);
  EXPECT_LE(seconds_since(steady_clock::now() + std::chrono::hours(1)), 0);
}

TEST(Clock, ConvertsSecondsAndBoundsThem) {
  EXPECT_EQ(duration_of(0.25), std::chrono::milliseconds(250));
  EXPECT_EQ(duration_of(0), steady_clock::duration::zero());
  EXPECT_EQ(duration_of(-3), steady_clock::duration::zero());
  EXPECT_EQ(duration_of(std::numeric_limits<double>::quiet_NaN()), steady_clock::duration::zero());
  for (const double much : {1e8, 1e300, std::numeric_limits<double>::infinity()})
    EXPECT_EQ(duration_of(much), std::chrono::seconds(10'000'000)) << much;
}

TEST(Clock, CountsFrom1970) {
  EXPECT_GT(unix_time(), 1.7e9);  // November 2023
  EXPECT_LT(unix_time(), 1e11);   // not in milliseconds
}

}  // namespace
}  // namespace redqueen
