#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Edges = std::vector<std::pair<int, int>>;

// Tries all walks from a vertex that use each edge once.
bool has_circuit(const Edges& undirected, const Edges& directed, int start, int vertex,
                 unsigned used) {
  const auto count = undirected.size() + directed.size();
  if (used + 1 == 1u << count) return vertex == start;
  for (std::size_t i = 0; i < count; ++i) {
    if ((used >> i & 1) != 0) continue;
    const bool is_free = i < undirected.size();
    const auto& [u, v] = is_free ? undirected[i] : directed[i - undirected.size()];
    const unsigned next = used | 1u << i;
    if (u == vertex && has_circuit(undirected, directed, start, v, next)) return true;
    if (is_free && v == vertex && has_circuit(undirected, directed, start, u, next)) return true;
  }
  return false;
}

TEST(MixedGraphEulerianCircuit, KnowsWhereThereIsACircuit) {
  Rng rng({.purpose = hash_name("mixed circuits")});
  int with = 0;
  for (int round = 0; round < 400; ++round) {
    Edges undirected;
    Edges directed;
    const int n = static_cast<int>(rng.integer(3, 5));
    const double density = rng.real(0.3, 1.0);
    for (int u = 0; u < n; ++u) {
      for (int v = u + 1; v < n; ++v) {
        if (!rng.chance(density)) continue;
        if (rng.chance(0.5)) {
          undirected.emplace_back(u, v);
        } else {
          directed.push_back(rng.chance(0.5) ? std::pair(u, v) : std::pair(v, u));
        }
      }
    }
    if (undirected.empty() && directed.empty()) continue;
    const int start = undirected.empty() ? directed[0].first : undirected[0].first;
    const Json parameter{{"N", n}, {"undirected_edges", undirected}, {"directed_edges", directed}};
    const auto problem = Registry::native().find("MixedGraphEulerianCircuit")->restore(parameter);
    EXPECT_EQ(problem.has_value(), has_circuit(undirected, directed, start, start, 0)) << parameter;
    if (!problem) continue;
    EXPECT_TRUE((*problem)->score((*problem)->reference()).solved) << parameter;
    ++with;
  }
  EXPECT_GT(with, 10);
}

TEST(MixedGraphEulerianCircuit, CountsEdgesThatAreUsedOnce) {
  // Two triangles that share vertex 0.
  const auto problem = restore_problem("MixedGraphEulerianCircuit",
                                       R"({"N": 5, "undirected_edges": [[0, 1], [0, 3], [3, 4]],
                                           "directed_edges": [[1, 2], [2, 0], [4, 0]]})");
  EXPECT_TRUE(problem->score("0 1 2 0 3 4 0").solved);
  EXPECT_TRUE(problem->score("4 0 1 2 0 3 4").solved);
  EXPECT_DOUBLE_EQ(problem->score("0 1 2 0").reward, std::pow(0.5, 10));
  EXPECT_DOUBLE_EQ(problem->score("0 1 0 1 2 0").reward, std::pow(2.0 / 6.0, 10));
  EXPECT_EQ(problem->score("0").reward, 0.0);
  EXPECT_EQ(problem->score("0 2 1 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("5 5").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("").well_formed);
}

}  // namespace
}  // namespace redqueen
