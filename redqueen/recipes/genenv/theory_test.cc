#include "redqueen/recipes/genenv/theory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace redqueen::genenv {
namespace {

// Of two actions ∇ log π(a) has the squared norm 2 (1 − π(a))², which leaves a sum of two terms.
TEST(GradientSignal, OfTwoActionsIsWhatAlgebraSays) {
  const std::vector<double> successes{0.1, 0.3, 0.5, 0.8};
  for (const GradientSignal& signal : gradient_signal(successes, 2, 200000, 1)) {
    const double p = signal.success;
    // ‖e_a − π‖² is 2 (1 − p)² with probability p, and 2 p² otherwise.
    const double exact =
        p * (1 - p) * (1 - p) * 2 * (1 - p) * (1 - p) + (1 - p) * p * p * 2 * p * p;
    EXPECT_NEAR(signal.measured, exact, 0.01 * exact);
  }
}

TEST(GradientSignal, StaysWithinTheBoundsOfProposition32AndPeaksInTheMiddle) {
  std::vector<double> successes;
  for (int i = 1; i < 20; ++i) successes.push_back(i / 20.0);
  const auto signals = gradient_signal(successes, 100, 20000, 2);
  for (const GradientSignal& signal : signals) {
    EXPECT_GT(signal.lower, 0);
    EXPECT_GE(signal.measured, 0.97 * signal.lower) << signal.success;
    EXPECT_LE(signal.measured, 1.03 * signal.upper) << signal.success;
  }
  const auto most = std::ranges::max_element(signals, {}, &GradientSignal::measured);
  EXPECT_NEAR(most->success, 0.5, 0.11);
}

// Against all outcomes of a few attempts, counted out.
TEST(Misranking, OfFewAttemptsIsWhatCountingSays) {
  const int n = 3;
  const double p1 = 0.6;  // either side of the target is as far, and as likely to be misjudged
  const double p2 = 0.9;
  const auto choose = [](int k) { return k == 0 || k == 3 ? 1.0 : 3.0; };
  const auto chance = [&](double p, int k) {
    return choose(k) * std::pow(p, k) * std::pow(1 - p, n - k);
  };
  double exact = 0;
  for (int a = 0; a <= n; ++a) {
    for (int b = 0; b <= n; ++b) {
      if (std::abs(2 * a - n) >= std::abs(2 * b - n)) exact += chance(p1, a) * chance(p2, b);
    }
  }
  EXPECT_NEAR(misranking(0.1, 0.3, n, 200000, 3).measured, exact, 0.005);
}

TEST(Misranking, KeepsTheBoundOfTheoremB1AndVanishes) {
  for (const double gap : {0.1, 0.3, 0.5}) {
    double last = 2;
    for (const int attempts : {20, 200, 2000}) {
      const Misranking one = misranking(0, gap, attempts, 5000, 4);
      EXPECT_LE(one.measured, one.bound) << gap << " " << attempts;
      EXPECT_LE(one.measured, last);
      last = one.measured;
    }
    EXPECT_LT(last, 0.001);
  }
}

double share_in_band(const std::vector<DynamicsPoint>& points) {
  const auto half = points.begin() + std::ssize(points) / 2;
  const auto inside = std::count_if(half, points.end(), [](const DynamicsPoint& point) {
    return point.success >= 0.4 && point.success <= 0.6;
  });
  return static_cast<double>(inside) / static_cast<double>(points.end() - half);
}

// What the page says of the presets: the paper's rule arrives early and overshoots, steady stays.
TEST(Dynamics, SteadyStaysInTheBandThatThePapersRuleOvershoots) {
  double paper = 0;
  double steady = 0;
  double paper_end = 0;
  double random_start = 0;
  constexpr int kSeeds = 8;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    DynamicsOptions options = dynamics_of(Preset::kPaper);
    options.seed = static_cast<std::uint64_t>(seed);
    const auto papers = simulate(options);
    paper += share_in_band(papers) / kSeeds;
    paper_end += papers.back().success / kSeeds;
    options = dynamics_of(Preset::kSteady);
    options.seed = static_cast<std::uint64_t>(seed);
    steady += share_in_band(simulate(options)) / kSeeds;
    options.train_environment = false;
    random_start += simulate(options)[15].success / kSeeds;
  }
  EXPECT_GT(steady, 0.4);
  EXPECT_LT(paper, 0.25);
  EXPECT_GT(paper_end, 0.7);
  EXPECT_LT(random_start, 0.1);
}

TEST(Dynamics, FollowTheirSeed) {
  DynamicsOptions options;
  options.epochs = 5;
  const auto one = simulate(options);
  const auto same = simulate(options);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].success, same[i].success);
  options.seed = 2;
  EXPECT_NE(simulate(options).back().success, one.back().success);
}

}  // namespace
}  // namespace redqueen::genenv
