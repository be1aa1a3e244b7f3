#include "redqueen/gym/common/graph/max_flow.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

struct Arc {
  int from;
  int to;
  std::int64_t capacity;
};

struct Network {
  int n;
  std::vector<Arc> arcs;

  // Out of a set of vertices, given by its bits.
  std::int64_t leaving(unsigned set) const {
    std::int64_t sum = 0;
    for (const Arc& arc : arcs) {
      if ((set >> arc.from & 1) != 0 && (set >> arc.to & 1) == 0) sum += arc.capacity;
    }
    return sum;
  }
};

Network random_network(std::uint64_t seed) {
  Rng rng({.seed = seed, .purpose = hash_name("max flow")});
  Network network{.n = static_cast<int>(rng.integer(2, 9)), .arcs = {}};
  const std::int64_t most = rng.chance(0.3) ? 1 : 20;
  for (std::int64_t count = rng.integer(0, 4 * network.n); count > 0; --count) {
    network.arcs.push_back({.from = static_cast<int>(rng.integer(0, network.n - 1)),
                            .to = static_cast<int>(rng.integer(0, network.n - 1)),
                            .capacity = rng.integer(0, most)});
  }
  return network;
}

TEST(FlowNetwork, FlowsAsMuchAsTheLeastCutOfAll) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Network network = random_network(seed);
    FlowNetwork flow(network.n);
    for (const Arc& arc : network.arcs) flow.add_arc(arc.from, arc.to, arc.capacity);
    const int sink = network.n - 1;
    std::int64_t least = FlowNetwork::kUnbounded;
    for (unsigned set = 1; set < 1u << sink; set += 2) {
      least = std::min(least, network.leaving(set));
    }
    EXPECT_EQ(flow.maximise_flow(0, sink), least) << seed;
    EXPECT_EQ(flow.maximise_flow(0, sink), 0) << seed;

    std::vector<std::int64_t> excess(network.n);
    for (std::size_t i = 0; i < network.arcs.size(); ++i) {
      const std::int64_t units = flow.flow(static_cast<int>(i));
      EXPECT_GE(units, 0);
      EXPECT_LE(units, network.arcs[i].capacity);
      excess[network.arcs[i].from] -= units;
      excess[network.arcs[i].to] += units;
    }
    EXPECT_EQ(excess[sink], least);
    for (int v = 1; v < sink; ++v) EXPECT_EQ(excess[v], 0) << seed;

    unsigned side = 0;
    const std::vector<char> reached = flow.source_side(0);
    for (int v = 0; v < network.n; ++v) side |= static_cast<unsigned>(reached[v]) << v;
    EXPECT_EQ(side & 1u, 1u);
    EXPECT_EQ(side >> sink & 1u, 0u);
    EXPECT_EQ(network.leaving(side), least) << seed;
  }
}

TEST(FlowNetwork, GoesOnFromTheFlowItHas) {
  FlowNetwork flow(3);
  flow.add_arc(0, 1, 5);
  const int narrow = flow.add_arc(1, 2, 2);
  EXPECT_EQ(flow.maximise_flow(0, 2), 2);
  const int wide = flow.add_arc(1, 2, FlowNetwork::kUnbounded);
  EXPECT_EQ(flow.maximise_flow(0, 2), 3);
  EXPECT_EQ(flow.flow(narrow), 2);
  EXPECT_EQ(flow.flow(wide), 3);
}

}  // namespace
}  // namespace redqueen
