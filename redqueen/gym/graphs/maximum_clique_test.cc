#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

TEST(MaximumClique, JudgesAllSetsOfVertices) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("MaximumClique", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto joined = [&](std::int64_t u, std::int64_t v) {
      return std::ranges::find(edges, List{u, v}) != edges.end() ||
             std::ranges::find(edges, List{v, u}) != edges.end();
    };
    double best = 0;
    for (unsigned set = 1; set < 1u << parameter["N"].get<unsigned>(); ++set) {
      List chosen;
      for (int v = 0; v < 20; ++v) {
        if ((set >> v & 1) != 0) chosen.push_back(v);
      }
      bool clique = true;
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) clique &= joined(chosen[i], chosen[j]);
      }
      const double reward = problem->score(format_answer(chosen)).reward;
      EXPECT_EQ(reward >= 0, clique);
      best = std::max(best, reward);
      if (clique) {
        EXPECT_EQ(reward == 1.0, std::ssize(chosen) == parameter["gold_answer"]);
      }
    }
    EXPECT_EQ(best, 1.0);
  }
}

TEST(MaximumClique, PaysByTheNumberOfVertices) {
  const auto problem = restore_problem(
      "MaximumClique", R"({"N": 4, "edges": [[0, 1], [1, 2], [0, 2], [2, 3]], "gold_answer": 3})");
  EXPECT_TRUE(problem->score("2 0 1").solved);
  EXPECT_DOUBLE_EQ(problem->score("3 2").reward, std::pow(2.0 / 3.0, 5));
  EXPECT_EQ(problem->score("").reward, 0.0);
  for (const char* answer : {"0 3", "1 1", "4", "-1"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward);
  }
}

}  // namespace
}  // namespace redqueen
