#include <algorithm>
#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

TEST(ImpParty, JudgesAllChoices) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto problem = make_problem("ImpParty", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    const auto n = parameter["N"].get<int>();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    int solutions = 0;
    int greatest = 0;  // of all sets without two vertices apart
    for (unsigned set = 0; set < 1u << 3 * n; ++set) {
      const int size = std::popcount(set);
      if (size != n && size <= greatest) continue;
      int pairs = 0;
      for (const List& edge : edges) pairs += (set >> edge[0] & set >> edge[1] & 1) != 0;
      if (2 * pairs == size * (size - 1)) greatest = std::max(greatest, size);
      if (size != n) continue;
      List chosen;
      for (int v = 0; v < 3 * n; ++v) {
        if ((set >> v & 1) != 0) chosen.push_back(v);
      }
      const Verdict verdict = problem->score(format_answer(chosen));
      EXPECT_NEAR(verdict.reward, std::pow(2.0 * pairs / (n * (n - 1)), 5), 1e-9);
      solutions += verdict.solved;
    }
    EXPECT_GE(solutions, 1);
    EXPECT_GE(greatest, 2 * n) << "as the prompt says";
  }
}

TEST(ImpParty, RefusesGraphsWithoutThePlantedVertices) {
  const Environment& environment = *Registry::native().find("ImpParty");
  Json parameter{{"N", 2}};
  parameter["edges"] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {3, 4}};
  ASSERT_TRUE(environment.restore(parameter).has_value());
  const auto problem = *environment.restore(parameter);
  EXPECT_TRUE(problem->score("4 3").solved);
  EXPECT_EQ(problem->score("4 5").reward, 0.0);
  EXPECT_EQ(problem->score("4 4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 2").reward, kInvalidReward);
  parameter["edges"].erase(0);
  EXPECT_FALSE(environment.restore(parameter).has_value());
}

}  // namespace
}  // namespace redqueen
