#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Walks from `at` to all other vertices; found[v] is the XOR of the way to v.
void walk(const std::vector<List>& edges, std::int64_t at, std::int64_t before, std::int64_t value,
          List& found) {
  found[at] = value;
  for (const List& edge : edges) {
    if (edge[0] != at && edge[1] != at) continue;
    const std::int64_t next = edge[0] + edge[1] - at;
    if (next != before) walk(edges, next, at, value ^ edge[2], found);
  }
}

TEST(MaxTreeXorPath, AgreesWithWalkingAllPaths) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("MaxTreeXorPath", static_cast<int>(seed % 12), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto n = parameter["N"].get<std::int64_t>();
    const auto gold = parameter["gold_answer"].get<std::int64_t>();
    std::int64_t most = 0;
    for (std::int64_t u = 0; u < n; ++u) {
      List found(n);
      walk(edges, u, -1, 0, found);
      for (std::int64_t v = 0; v < n; ++v) {
        most = std::max(most, found[v]);
        const Verdict verdict = problem->score(format_answer(List{u, v}));
        EXPECT_EQ(verdict.solved, found[v] == gold);
        if (!verdict.solved) {
          EXPECT_NEAR(verdict.reward,
                      std::pow(static_cast<double>(found[v]) / static_cast<double>(gold), 5),
                      1e-12);
        }
      }
    }
    EXPECT_EQ(gold, most) << problem->prompt();
  }
}

TEST(MaxTreeXorPath, CallsAnythingButTwoVerticesMalformed) {
  const auto problem = make_problem("MaxTreeXorPath", 2, 1);
  for (const char* answer : {"", "1", "0 1 2", "0 6", "-1 0", "0 x"}) {
    EXPECT_EQ(problem->score(answer).reward, kMalformedReward) << answer;
  }
}

}  // namespace
}  // namespace redqueen
