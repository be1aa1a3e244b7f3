#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

TEST(Minimum_CrossingEdges_GraphPartition, JudgesAllPartitions) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const auto problem =
        make_problem("Minimum_CrossingEdges_GraphPartition", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    const auto n = parameter["N"].get<std::size_t>();
    const auto k = parameter["K"].get<std::int64_t>();
    std::int64_t fewest = 1000;
    std::int64_t all = 1;
    for (std::size_t v = 0; v < n; ++v) all *= k;
    for (std::int64_t number = 0; number < all; ++number) {
      List sets(n);
      std::int64_t rest = number;
      for (std::int64_t& set : sets) {
        set = rest % k;
        rest /= k;
      }
      if (std::ssize(std::set<std::int64_t>(sets.begin(), sets.end())) < k) continue;
      std::int64_t crossing = 0;
      for (const auto& edge : parameter["edges"]) {
        crossing += sets[edge[0].get<std::size_t>()] != sets[edge[1].get<std::size_t>()];
      }
      fewest = std::min(fewest, crossing);
      if (number % 17 == 0) {
        const bool least = crossing == parameter["gold_answer"];
        EXPECT_EQ(problem->score(format_answer(sets)).solved, least);
      }
    }
    EXPECT_EQ(parameter["gold_answer"], fewest) << problem->prompt();
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
}

TEST(Minimum_CrossingEdges_GraphPartition, WantsEverySetInUse) {
  const auto problem = restore_problem(
      "Minimum_CrossingEdges_GraphPartition",
      R"({"N": 4, "K": 2, "edges": [[0, 1], [1, 2], [2, 3], [0, 2]], "gold_answer": 1})");
  EXPECT_TRUE(problem->score("1 1 1 0").solved);
  EXPECT_DOUBLE_EQ(problem->score("1 0 1 1").reward, std::pow(0.5, 5));
  for (const char* answer : {"0 0 0 0", "0 0 0", "0 0 0 2", "-1 0 1 1", "0 0 1 1 1"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward);
  }
}

}  // namespace
}  // namespace redqueen
