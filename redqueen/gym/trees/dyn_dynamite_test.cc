#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

std::int64_t distance(const std::vector<List>& edges, std::int64_t from, std::int64_t to,
                      std::int64_t before) {
  if (from == to) return 0;
  for (const List& edge : edges) {
    if (edge[0] != from && edge[1] != from) continue;
    const std::int64_t next = edge[0] + edge[1] - from;
    if (next == before) continue;
    const std::int64_t rest = distance(edges, next, to, from);
    if (rest >= 0) return rest + 1;
  }
  return -1;
}

TEST(DynDynamite, JudgesAllChoices) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("DynDynamite", static_cast<int>(seed % 7), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto keys = parameter["key_vertices"].get<List>();
    const auto n = parameter["N"].get<int>();
    const auto gold = parameter["gold_answer"].get<std::int64_t>();
    std::int64_t least = n;
    for (unsigned set = 0; set < 1u << n; ++set) {
      if (std::popcount(set) != parameter["M"].get<int>()) continue;
      List chosen;
      for (int v = 0; v < n; ++v) {
        if ((set >> v & 1) != 0) chosen.push_back(v);
      }
      std::int64_t farthest = 0;
      for (const std::int64_t key : keys) {
        std::int64_t nearest = n;
        for (const std::int64_t v : chosen)
          nearest = std::min(nearest, distance(edges, key, v, -1));
        farthest = std::max(farthest, nearest);
      }
      least = std::min(least, farthest);
      EXPECT_EQ(problem->score(format_answer(chosen)).solved, farthest == gold);
    }
    EXPECT_EQ(gold, least) << problem->prompt();
  }
}

TEST(DynDynamite, PaysByTheDistance) {
  const auto problem = restore_problem(
      "DynDynamite",
      R"({"N": 4, "edges": [[0, 3], [0, 1], [2, 3]], "key_vertices": [2, 3, 1, 0], "M": 1,
          "gold_answer": 2})");
  EXPECT_TRUE(problem->score("3").solved);
  EXPECT_DOUBLE_EQ(problem->score("1").reward, std::pow(2.0 / 3.0, 5));
  EXPECT_EQ(problem->score("0 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
