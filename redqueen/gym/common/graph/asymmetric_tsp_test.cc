#include "redqueen/gym/common/graph/asymmetric_tsp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

CityCosts random_costs(int n, std::int64_t highest, double impossible, Rng& rng) {
  CityCosts costs{.n = n, .costs = {}};
  for (int i = 0; i < n * n; ++i) {
    costs.costs.push_back(rng.chance(impossible) ? kNoStep : rng.integer(0, highest));
  }
  return costs;
}

std::int64_t cost_of(const CityCosts& costs, const std::vector<int>& order) {
  std::int64_t cost = 0;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) cost += costs(order[i], order[i + 1]);
  return cost;
}

TEST(AsymmetricTsp, AgreesWithEveryOrder) {
  Rng rng({.seed = 5, .purpose = hash_name("tsp"), .step = 0, .index = 0, .salt = 0});
  int none = 0;
  for (int round = 0; round < 400; ++round) {
    const int n = static_cast<int>(rng.integer(1, 7));
    const CityCosts costs = random_costs(n, rng.chance(0.5) ? 3 : 100, rng.real(0.0, 0.8), rng);
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::int64_t least = kNoStep;
    do {
      least = std::min(least, cost_of(costs, order));
    } while (std::ranges::next_permutation(order).found);
    const OpenTour tour = cheapest_open_tour(costs, 1 << 20);
    if (least >= kNoStep) {
      EXPECT_EQ(tour.outcome, TourOutcome::kNone);
      ++none;
      continue;
    }
    ASSERT_EQ(tour.outcome, TourOutcome::kOptimal);
    EXPECT_EQ(tour.cost, least);
    EXPECT_EQ(cost_of(costs, tour.order), least);
    EXPECT_TRUE(std::ranges::is_permutation(tour.order, order));
  }
  EXPECT_GT(none, 10);
}

TEST(AsymmetricTsp, StopsAtItsBudget) {
  Rng rng({.seed = 5, .purpose = hash_name("tsp"), .step = 1, .index = 0, .salt = 0});
  const CityCosts costs = random_costs(30, 1, 0.5, rng);
  EXPECT_EQ(cheapest_open_tour(costs, 0).outcome, TourOutcome::kBudget);
}

}  // namespace
}  // namespace redqueen
