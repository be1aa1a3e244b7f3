#include <algorithm>
#include <map>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;
using Ends = std::set<std::pair<int, int>>;

Ends::value_type edge_of(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

// Grows trees on 0 … n − 1 in all ways; collects the sets of red and blue edges at the end.
struct Growth {
  int n;
  std::set<std::tuple<unsigned, Ends, Ends>> seen;
  std::set<std::pair<Ends, Ends>> finished;

  void visit(unsigned beads, const Ends& red, const Ends& blue) {
    if (!seen.insert({beads, red, blue}).second) return;
    if (beads == (1u << n) - 1) {
      finished.insert({red, blue});
      return;
    }
    for (int x = 0; x < n; ++x) {
      if ((beads >> x & 1) != 0) continue;
      for (int v = 0; v < n; ++v) {
        if ((beads >> v & 1) == 0) continue;
        Ends more = red;
        more.insert(edge_of(x, v));
        visit(beads | 1u << x, more, blue);
      }
      for (const auto& edge : red) {
        Ends fewer = red;
        fewer.erase(edge);
        Ends more = blue;
        more.insert(edge_of(edge.first, x));
        more.insert(edge_of(edge.second, x));
        visit(beads | 1u << x, fewer, more);
      }
    }
  }
};

TEST(LinkBeads, AgreesWithGrowingAllTrees) {
  std::map<int, Growth> growths;
  for (const int n : {3, 4, 5}) {
    Growth& growth = growths[n];
    growth.n = n;
    for (int first = 0; first < n; ++first) growth.visit(1u << first, {}, {});
  }
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("LinkBeads", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    std::map<std::pair<int, int>, std::int64_t> weights;
    for (const auto& edge : parameter["edges"].get<std::vector<List>>()) {
      weights[edge_of(static_cast<int>(edge[0]), static_cast<int>(edge[1]))] = edge[2];
    }
    std::int64_t most = -1;
    for (const auto& [red, blue] : growths[parameter["N"].get<int>()].finished) {
      const auto is_there = [&](const auto& edge) { return weights.contains(edge); };
      if (!std::ranges::all_of(red, is_there) || !std::ranges::all_of(blue, is_there)) continue;
      std::int64_t sum = 0;
      for (const auto& edge : blue) sum += weights[edge];
      most = std::max(most, sum);
    }
    EXPECT_EQ(problem->reference(), format_answer(most)) << problem->prompt();
  }
}

// For each first bead, chooses the middles of blue pairs in all ways.
std::int64_t most_by_middles(const std::vector<List>& edges, std::int64_t n) {
  std::int64_t most = 0;
  for (std::int64_t root = 0; root < n; ++root) {
    List parent(n, -1);
    List weight(n, 0);
    const std::function<void(std::int64_t)> visit = [&](std::int64_t v) {
      for (const List& edge : edges) {
        if (edge[0] != v && edge[1] != v) continue;
        const std::int64_t next = edge[0] + edge[1] - v;
        if (next == parent[v]) continue;
        parent[next] = v;
        weight[next] = edge[2];
        visit(next);
      }
    };
    visit(root);
    // The edge from `end` to its parent is blue together with that of the parent to its own.
    const std::function<std::int64_t(std::int64_t, unsigned)> choose = [&](std::int64_t end,
                                                                           unsigned used) {
      if (end == n) return std::int64_t{0};
      std::int64_t best = choose(end + 1, used);
      const std::int64_t middle = parent[end];
      if (middle < 0 || parent[middle] < 0) return best;
      const unsigned both = 1u << end | 1u << middle;
      if ((used & both) != 0) return best;
      return std::max(best, weight[end] + weight[middle] + choose(end + 1, used | both));
    };
    most = std::max(most, choose(0, 0));
  }
  return most;
}

TEST(LinkBeads, AgreesWithAllChoicesOfPairs) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("LinkBeads", static_cast<int>(3 + seed % 8), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(),
              format_answer(most_by_middles(parameter["edges"].get<std::vector<List>>(),
                                            parameter["N"].get<std::int64_t>())))
        << problem->prompt();
  }
}

}  // namespace
}  // namespace redqueen
