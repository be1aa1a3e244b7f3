#include <algorithm>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Adds vertices in all orders; vertices from 0.
struct Growth {
  int n;
  std::vector<std::vector<int>> step;  // the neighbour of a vertex towards another
  std::vector<std::vector<int>> neighbours;
  std::set<std::pair<unsigned, int>> seen;  // vertices that are there, and the marker

  explicit Growth(const Json& parameter)
      : n(parameter["N"].get<int>()),
        step(n, std::vector<int>(static_cast<std::size_t>(n))),
        neighbours(n) {
    for (const auto& edge : parameter["edges"].get<std::vector<std::vector<int>>>()) {
      neighbours[edge[0] - 1].push_back(edge[1] - 1);
      neighbours[edge[1] - 1].push_back(edge[0] - 1);
    }
    for (int from = 0; from < n; ++from) {
      for (const int next : neighbours[from]) mark(from, next, next, from);
    }
    visit(1, 0);
  }

  void mark(int from, int next, int at, int before) {
    step[from][at] = next;
    for (const int to : neighbours[at]) {
      if (to != before) mark(from, next, to, at);
    }
  }

  void visit(unsigned there, int marker) {
    if (!seen.insert({there, marker}).second) return;
    for (int v = 0; v < n; ++v) {
      if ((there >> v & 1) != 0) continue;
      if (std::ranges::any_of(neighbours[v], [&](int u) { return (there >> u & 1) != 0; })) {
        visit(there | 1u << v, step[marker][v]);
      }
    }
  }
};

TEST(BanyanHeart, AgreesWithAllOrders) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const auto problem = make_problem("BanyanHeart", static_cast<int>(seed % 9), seed);
    const Growth growth(problem->parameter());
    std::string possible;
    for (int v = 0; v < growth.n; ++v) {
      possible += growth.seen.contains({(1u << growth.n) - 1, v}) ? 'T' : 'F';
    }
    EXPECT_EQ(problem->reference(), possible) << problem->prompt();
  }
}

TEST(BanyanHeart, PaysByTheOverlap) {
  const auto problem =
      restore_problem("BanyanHeart", R"({"N": 5, "edges": [[1, 2], [2, 5], [1, 4], [2, 3]]})");
  EXPECT_TRUE(problem->score("TFTFT").solved);
  EXPECT_DOUBLE_EQ(problem->score("TTTTT").reward, std::pow(0.6, 5));
  EXPECT_DOUBLE_EQ(problem->score("TTTFF").reward, std::pow(0.5, 5));
  EXPECT_EQ(problem->score("FFFFF").reward, 0.0);
  for (const char* answer : {"", "TFTF", "TFTFTF", "tftft", "T F T F T"}) {
    EXPECT_EQ(problem->score(answer).reward, kMalformedReward) << answer;
  }
}

}  // namespace
}  // namespace redqueen
