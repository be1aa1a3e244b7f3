#include "redqueen/gym/common/graph/min_cost_flow.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

struct Arc {
  int from;
  int to;
  std::int64_t capacity;
  std::int64_t cost;
};

// Tries all flows on all arcs: {flow, −cost} of the best.
std::pair<std::int64_t, std::int64_t> best_of_all(int n, const std::vector<Arc>& arcs) {
  std::vector<std::int64_t> units(arcs.size());
  std::pair<std::int64_t, std::int64_t> best{0, 0};
  while (true) {
    std::vector<std::int64_t> excess(n);
    std::int64_t cost = 0;
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      excess[arcs[i].from] -= units[i];
      excess[arcs[i].to] += units[i];
      cost += units[i] * arcs[i].cost;
    }
    if (std::all_of(excess.begin() + 1, excess.end() - 1, [](auto left) { return left == 0; })) {
      best = std::max(best, std::pair(excess[n - 1], -cost));
    }
    std::size_t i = 0;
    while (i < arcs.size() && ++units[i] > arcs[i].capacity) units[i++] = 0;
    if (i == arcs.size()) return best;
  }
}

TEST(CostNetwork, FindsTheCheapestOfTheGreatestOfAllFlows) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng({.seed = seed, .purpose = hash_name("min cost flow")});
    const int n = static_cast<int>(rng.integer(2, 5));
    std::vector<Arc> arcs;
    for (std::int64_t count = rng.integer(0, 8); count > 0; --count) {
      arcs.push_back({.from = static_cast<int>(rng.integer(0, n - 1)),
                      .to = static_cast<int>(rng.integer(0, n - 1)),
                      .capacity = rng.integer(0, 2),
                      .cost = rng.integer(0, 9)});
    }
    CostNetwork network(n);
    for (const Arc& arc : arcs) network.add_arc(arc.from, arc.to, arc.capacity, arc.cost);
    const CostNetwork::Total total = network.maximise_flow(0, n - 1);
    EXPECT_EQ(std::pair(total.flow, -total.cost), best_of_all(n, arcs)) << seed;

    std::vector<std::int64_t> excess(n);
    std::int64_t cost = 0;
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      const std::int64_t units = network.flow(static_cast<int>(i));
      EXPECT_TRUE(units >= 0 && units <= arcs[i].capacity);
      excess[arcs[i].from] -= units;
      excess[arcs[i].to] += units;
      cost += units * arcs[i].cost;
    }
    EXPECT_EQ(excess[n - 1], total.flow);
    EXPECT_EQ(cost, total.cost);
  }
}

}  // namespace
}  // namespace redqueen
