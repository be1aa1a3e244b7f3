#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// The weights of all walks up to a weight, each walk by itself.
void collect(const std::vector<List>& edges, std::int64_t at, std::int64_t weight,
             std::int64_t most, List& weights) {
  for (const List& edge : edges) {
    if (edge[0] != at || weight + edge[2] > most) continue;
    weights.push_back(weight + edge[2]);
    collect(edges, edge[1], weight + edge[2], most, weights);
  }
}

TEST(WYC, FindsTheWalkAmongAll) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("WYC", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto wanted = parameter["K"].get<std::size_t>();
    List weights;
    for (std::int64_t most = 1; weights.size() < wanted; ++most) {
      weights.clear();
      for (std::int64_t start = 1; start <= parameter["N"].get<std::int64_t>(); ++start) {
        collect(edges, start, 0, most, weights);
      }
    }
    std::ranges::sort(weights);
    EXPECT_EQ(problem->reference(), std::to_string(weights[wanted - 1]));
  }
}

TEST(WYC, CountsParallelEdgesApart) {
  const auto problem =
      restore_problem("WYC", R"({"N": 2, "edges": [[1, 2, 1], [1, 2, 1], [2, 1, 3]], "K": 4,
          "reference_answer": 4})");
  // Two of weight 1, one of 3, and of 4 both ways there and back and back and there.
  EXPECT_TRUE(problem->score("4").solved);
  EXPECT_NEAR(problem->score("5").reward, std::pow(0.8, 10), 1e-12);
  EXPECT_FALSE(problem->score("0").well_formed);
}

}  // namespace
}  // namespace redqueen
