#include <algorithm>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

TEST(MaximumWeightMatching, PaysEachSetOfEdgesByTheHeaviest) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = make_problem("MaximumWeightMatching", static_cast<int>(seed % 4), seed);
    const auto edges = problem->parameter()["edges"].get<std::vector<List>>();
    if (edges.size() > 14) continue;
    double greatest = 0;
    std::vector<std::pair<std::string, double>> matchings;
    for (unsigned set = 0; set < 1u << edges.size(); ++set) {
      List ends;
      double weight = 0;
      for (std::size_t i = 0; i < edges.size(); ++i) {
        if ((set >> i & 1) == 0) continue;
        ends.insert(ends.end(), {edges[i][1], edges[i][0]});
        weight += static_cast<double>(edges[i][2]);
      }
      if (std::set(ends.begin(), ends.end()).size() == ends.size()) {
        matchings.emplace_back(format_answer(ends), weight);
        greatest = std::max(greatest, weight);
      } else {
        EXPECT_EQ(problem->score(format_answer(ends)).reward, kInvalidReward);
      }
    }
    for (const auto& [text, weight] : matchings) {
      const Verdict verdict = problem->score(text);
      EXPECT_NEAR(verdict.reward, std::pow(weight / greatest, 5), 1e-9);
      EXPECT_EQ(verdict.solved, weight == greatest);
    }
  }
}

TEST(MaximumWeightMatching, WantsEdgesOfTheGraph) {
  const auto problem =
      restore_problem("MaximumWeightMatching",
                      R"({"N": 4, "edges": [[0, 1, 2], [1, 2, 3], [2, 3, 2]], "gold_weight": 4})");
  EXPECT_TRUE(problem->score("3 2 0 1").solved);
  EXPECT_NEAR(problem->score("1 2").reward, std::pow(0.75, 5), 1e-12);
  EXPECT_EQ(problem->score("0 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_FALSE(problem->score("0 1 2").well_formed);
}

}  // namespace
}  // namespace redqueen
