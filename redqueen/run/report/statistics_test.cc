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

// scipy.stats.t.interval(0.95, 4, mean, sem) of 1, 2, 4, 4, 9; Newcombe (1998), table II, method
// 10: 56/70 − 48/80 and 9/10 − 3/10.
TEST(Statistics, IntervalsOfMeansAndDifferences) {
  const Interval mean = mean_interval(std::vector<double>{1, 2, 4, 4, 9});
  EXPECT_NEAR(mean.low, 0.17293, 1e-4);
  EXPECT_NEAR(mean.high, 7.82707, 1e-4);
  EXPECT_TRUE(std::isinf(mean_interval(std::vector<double>{3}).high));
  const Interval large =
      difference_interval(56.0 / 70, wilson_interval(56, 70), 48.0 / 80, wilson_interval(48, 80));
  EXPECT_NEAR(large.low, 0.0524, 1e-4);
  EXPECT_NEAR(large.high, 0.3339, 1e-4);
  const Interval small =
      difference_interval(0.9, wilson_interval(9, 10), 0.3, wilson_interval(3, 10));
  EXPECT_NEAR(small.low, 0.1705, 1e-4);
  EXPECT_NEAR(small.high, 0.8090, 1e-4);
}

TEST(Statistics, TrailingMeanLeavesOutWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> means = trailing_mean(std::vector<double>{nan, 1, 3, nan, 5, 7}, 2);
  EXPECT_TRUE(std::isnan(means[0]));
  EXPECT_EQ(std::vector<double>(means.begin() + 1, means.end()),
            (std::vector<double>{1, 2, 3, 5, 6}));
  EXPECT_TRUE(std::isnan(finite_mean({})));
}

// Four equal answers to each of 50 problems tell no more than one; four independent ones as much as
// 200.
TEST(Statistics, ClusteredIntervalsCountProblems) {
  const Interval same = clustered_interval(100, 25 * 16, 50, 4);
  const Interval once = wilson_interval(25, 50);
  EXPECT_NEAR(same.low, once.low, 0.005);
  EXPECT_NEAR(same.high, once.high, 0.005);
  std::int64_t right = 0;
  std::int64_t squares = 0;
  for (const int count : {0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4}) {  // binomial (4, ½)
    right += count;
    squares += count * count;
  }
  const Interval independent = clustered_interval(right, squares, 16, 4);
  const Interval all = wilson_interval(right, 64);
  EXPECT_NEAR(independent.low, all.low, 0.01);
  EXPECT_NEAR(independent.high, all.high, 0.01);
  EXPECT_EQ(clustered_interval(3, 3, 7, 1), wilson_interval(3, 7));
  EXPECT_EQ(clustered_interval(0, 0, 10, 4).low, 0);
  EXPECT_EQ(clustered_interval(40, 160, 10, 4).high, 1);
}

}  // namespace
}  // namespace redqueen::run
