#include <map>
#include <queue>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Volumes = std::vector<std::int64_t>;

// The fewest moves to each volume, by breadth-first search over what the jugs hold.
std::map<std::int64_t, int> fewest_moves(const Volumes& capacities) {
  const std::size_t n = capacities.size();
  std::map<Volumes, int> distance{{Volumes(n, 0), 0}};
  std::queue<Volumes> open;
  open.push(Volumes(n, 0));
  std::map<std::int64_t, int> fewest;
  while (!open.empty()) {
    const Volumes at = open.front();
    open.pop();
    const int moves = distance[at];
    for (const std::int64_t volume : at) fewest.emplace(volume, moves);
    const auto reach = [&](const Volumes& next) {
      if (distance.emplace(next, moves + 1).second) open.push(next);
    };
    for (std::size_t i = 0; i < n; ++i) {
      Volumes next = at;
      next[i] = capacities[i];
      reach(next);
      next[i] = 0;
      reach(next);
      for (std::size_t j = 0; j < n; ++j) {
        if (i == j) continue;
        next = at;
        while (next[i] > 0 && next[j] < capacities[j]) {
          --next[i];
          ++next[j];
        }
        reach(next);
      }
    }
  }
  return fewest;
}

TEST(JugPuzzle, NeedsThreeMovesOrMore) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = make_problem("JugPuzzle", 0, seed);
    const Json parameter = problem->parameter();
    const auto fewest = fewest_moves(parameter["jug_capacities"].get<Volumes>());
    const auto found = fewest.find(parameter["target_volumn"].get<std::int64_t>());
    ASSERT_NE(found, fewest.end()) << problem->prompt();
    EXPECT_GE(found->second, 3) << problem->prompt();
  }
}

TEST(JugPuzzle, PlaysTheMoves) {
  const auto problem = restore_problem("JugPuzzle", R"({
      "N": 2, "jug_capacities": [3, 5], "target_volumn": 4,
      "reference_answer": "Fill 1\nPour 1 0\nEmpty 0\nPour 1 0\nFill 1\nPour 1 0"})");
  EXPECT_EQ(problem->score(problem->reference()).reward, 1.0);
  EXPECT_EQ(
      problem->score("Fill 0\nPour 0 1\nFill 0\nPour 0 1\nEmpty 1\nPour 0 1\nFill 0\nPour 0 1")
          .reward,
      1.0);
  EXPECT_EQ(problem->score("Fill 1\nPour 1 0").reward, 0.0);
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("Fill 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("Fill 0\nPour 0 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("fill 0").reward, kMalformedReward);
  EXPECT_EQ(problem->score("Fill 0 1").reward, kMalformedReward);
  EXPECT_EQ(problem->score("Pour 0").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
