#include "redqueen/run/report/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace redqueen::run {
namespace {

// The definition: all p for which n successes lie within z standard deviations, found by bisection.
Interval wilson_by_definition(int successes, int trials) {
  const double observed = static_cast<double>(successes) / trials;
  const auto inside = [&](double p) {
    return std::abs(observed - p) <= kZ95 * std::sqrt(p * (1 - p) / trials);
  };
  const auto edge = [&](double in, double out) {
    for (int i = 0; i < 200; ++i) (inside((in + out) / 2) ? in : out) = (in + out) / 2;
    return in;
  };
  return {inside(0) ? 0 : edge(observed, 0), inside(1) ? 1 : edge(observed, 1)};
}

TEST(Statistics, WilsonIntervalIsTheScoreInterval) {
  for (const int trials : {1, 2, 7, 50, 1000}) {
    for (int successes = 0; successes <= trials; ++successes) {
      const Interval expected = wilson_by_definition(successes, trials);
      const Interval interval = wilson_interval(successes, trials);
      ASSERT_NEAR(interval.low, expected.low, 1e-9) << successes << "/" << trials;
      ASSERT_NEAR(interval.high, expected.high, 1e-9) << successes << "/" << trials;
    }
  }
  EXPECT_EQ(wilson_interval(0, 0), (Interval{0, 1}));
  EXPECT_EQ(wilson_interval(0, 10).low, 0);
  EXPECT_EQ(wilson_interval(10, 10).high, 1);
}

TEST(Statistics, TrailingMeanLeavesOutWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> means = trailing_mean(std::vector<double>{nan, 1, 3, nan, 5, 7}, 2);
  EXPECT_TRUE(std::isnan(means[0]));
  EXPECT_EQ(std::vector<double>(means.begin() + 1, means.end()),
            (std::vector<double>{1, 2, 3, 5, 6}));
  EXPECT_TRUE(std::isnan(finite_mean({})));
}

}  // namespace
}  // namespace redqueen::run
