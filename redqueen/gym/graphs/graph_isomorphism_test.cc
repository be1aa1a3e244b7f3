#include <algorithm>
#include <numeric>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;
using Pairs = std::set<std::pair<std::int64_t, std::int64_t>>;

Pairs pairs_of(const Json& edges, const List& names) {
  Pairs pairs;
  for (const auto& edge : edges) {
    pairs.insert(std::minmax(names[edge[0].get<std::size_t>()], names[edge[1].get<std::size_t>()]));
  }
  return pairs;
}

TEST(GraphIsomorphism, JudgesAllMaps) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("GraphIsomorphism", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    List map(parameter["N"].get<std::size_t>());
    std::iota(map.begin(), map.end(), 0);
    const Pairs second = pairs_of(parameter["G2_edges"], map);
    int right = 0;
    do {
      const bool same = pairs_of(parameter["G1_edges"], map) == second;
      EXPECT_EQ(problem->score(format_answer(map)).solved, same);
      right += same;
    } while (std::ranges::next_permutation(map).found);
    EXPECT_GT(right, 0);
  }
}

TEST(GraphIsomorphism, PaysForEdgesThatLandOnEdges) {
  const auto problem =
      restore_problem("GraphIsomorphism",
                      R"({"N": 4, "G1_edges": [[0, 1], [1, 2]], "G2_edges": [[3, 0], [3, 2]],
          "reference_answer": "0 3 2 1"})");
  EXPECT_TRUE(problem->score("2 3 0 1").solved);
  EXPECT_DOUBLE_EQ(problem->score("0 3 1 2").reward, std::pow(0.5, 10));
  EXPECT_EQ(problem->score("0 3 3 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 3 2").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
