#include <algorithm>
#include <numeric>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

std::int64_t permutations_that_fit(int n, const Pairs& tree, const Pairs& graph) {
  std::set<std::pair<int, int>> joined;
  for (const auto& [u, v] : graph) {
    joined.emplace(u, v);
    joined.emplace(v, u);
  }
  std::vector<int> p(n);
  std::iota(p.begin(), p.end(), 0);
  std::int64_t count = 0;
  do {
    count += std::ranges::all_of(tree, [&](const auto& edge) {
      return joined.contains({p[edge.first], p[edge.second]});
    });
  } while (std::ranges::next_permutation(p).found);
  return count;
}

TEST(GraphContainTreeCounting, AgreesWithAllPermutations) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("GraphContainTreeCounting", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(parameter["reference_answer"],
              permutations_that_fit(parameter["N"].get<int>(), parameter["T_edges"].get<Pairs>(),
                                    parameter["G_edges"].get<Pairs>()))
        << problem->prompt();
  }
}

TEST(GraphContainTreeCounting, KnowsAnEdgeAndRefusesWhatIsNoTree) {
  restore_problem("GraphContainTreeCounting",
                  R"({"N": 2, "T_edges": [[0, 1]], "G_edges": [[0, 1]], "reference_answer": 2})");
  const auto cycle = parse_json(
      R"({"N": 4, "T_edges": [[0, 1], [1, 2], [0, 2]], "G_edges": [[0, 1]],
          "reference_answer": 0})");
  EXPECT_FALSE(Registry::native().find("GraphContainTreeCounting")->restore(*cycle));
}

// All orders of the vertices, where the graph is complete.
TEST(GraphContainTreeCounting, DoesNotOverflow) {
  Json tree = Json::array();
  Json graph = Json::array();
  for (int u = 0; u < 14; ++u) {
    if (u > 0) tree.push_back({u - 1, u});
    for (int v = u + 1; v < 14; ++v) graph.push_back({u, v});
  }
  restore_problem(
      "GraphContainTreeCounting",
      Json{{"N", 14}, {"T_edges", tree}, {"G_edges", graph}, {"reference_answer", 87178291200}}
          .dump());
}

}  // namespace
}  // namespace redqueen
