#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The component of every vertex when only the edges in `kept` are there.
std::vector<int> components(int n, const std::vector<std::pair<int, int>>& edges, unsigned kept) {
  std::vector<int> component(static_cast<std::size_t>(n) + 1);
  for (int v = 0; v <= n; ++v) component[v] = v;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if ((kept >> i & 1) == 0) continue;
    const int old = component[edges[i].second];
    for (int& c : component) c = c == old ? component[edges[i].first] : c;
  }
  return component;
}

// Tries all sets of edges to cut.
TEST(TreeEvenPartitioning, HasTheOnlyWayToCut) {
  for (int level = 0; level <= 3; ++level) {
    for (std::uint64_t seed = 0; seed < 25; ++seed) {
      const auto problem = make_problem("TreeEvenPartitioning", level, seed);
      const Json parameter = problem->parameter();
      const auto edges = parameter["edges"].get<std::vector<std::pair<int, int>>>();
      const int n = static_cast<int>(edges.size()) + 1;
      const int size = parameter["K"];
      int ways = 0;
      for (unsigned kept = 0; kept < 1U << edges.size(); ++kept) {
        const auto component = components(n, edges, kept);
        std::map<int, std::vector<int>> parts;
        for (int v = 1; v <= n; ++v) parts[component[v]].push_back(v);
        if (!std::ranges::all_of(parts,
                                 [&](const auto& part) { return std::ssize(part.second) == size; }))
          continue;
        ++ways;
        std::string answer;
        for (const auto& [key, part] : parts) answer += format_answer(part) + "\n";
        EXPECT_TRUE(problem->score(answer).solved) << problem->prompt() << answer;
      }
      EXPECT_EQ(ways, 1);
    }
  }
}

TEST(TreeEvenPartitioning, PaysForConnectedParts) {
  const auto problem =
      restore_problem("TreeEvenPartitioning",
                      R"({"N": 3, "K": 2, "edges": [[1, 2], [2, 3], [3, 4], [4, 5], [5, 6]]})");
  EXPECT_TRUE(problem->score("3 4\n6 5\n2 1").solved);
  EXPECT_NEAR(problem->score("1 2\n3 5\n4 6").reward, std::pow(1.0 / 3.0, 5), 1e-12);
  EXPECT_EQ(problem->score("1 2\n3 3\n5 6").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("1 2 3\n4 5 6").well_formed);
  const Json star{{"N", 2}, {"K", 2}, {"edges", {{1, 2}, {1, 3}, {1, 4}}}};
  EXPECT_FALSE(Registry::native().find("TreeEvenPartitioning")->restore(star).has_value());
}

}  // namespace
}  // namespace redqueen
