#include <algorithm>
#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Visits all choices of winners, with the most wins of a player.
template <typename Visit>
void for_all_winners(const std::vector<List>& rounds, Visit visit) {
  for (unsigned choice = 0; choice < 1u << rounds.size(); ++choice) {
    List winners;
    std::map<std::int64_t, int> wins;
    int most = 0;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      winners.push_back(rounds[i][choice >> i & 1]);
      most = std::max(most, ++wins[winners.back()]);
    }
    visit(winners, most);
  }
}

TEST(KosDicing, JudgesAllChoicesOfWinners) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = make_problem("KosDicing", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    int least = 1000;
    for_all_winners(parameter["rounds"].get<std::vector<List>>(), [&](const List& winners,
                                                                      int most) {
      EXPECT_EQ(problem->score(format_answer(winners)).reward, most == parameter["K"] ? 1.0 : 0.0);
      least = std::min(least, most);
    });
    EXPECT_EQ(parameter["K"], least);
  }
}

TEST(KosDicing, KnowsWhichMostWinsThereCanBe) {
  Rng rng({.purpose = hash_name("dicing")});
  for (int round = 0; round < 60; ++round) {
    const std::int64_t n = rng.integer(2, 5);
    std::vector<List> rounds;
    for (std::int64_t m = rng.integer(1, 8); m > 0; --m) rounds.push_back(rng.sample(0, n - 1, 2));
    std::map<int, bool> possible;
    for_all_winners(rounds, [&](const List&, int most) { possible[most] = true; });
    for (int k = 1; k <= static_cast<int>(rounds.size()); ++k) {
      const Json parameter{{"N", n}, {"M", rounds.size()}, {"rounds", rounds}, {"K", k}};
      const auto restored = Registry::native().find("KosDicing")->restore(parameter);
      EXPECT_EQ(restored.has_value(), possible[k]) << parameter;
      if (!restored) continue;
      EXPECT_TRUE((*restored)->score((*restored)->reference()).solved) << parameter;
    }
  }
}

TEST(KosDicing, WantsAPlayerOfEachRound) {
  const auto problem =
      restore_problem("KosDicing", R"({"N": 3, "M": 2, "rounds": [[0, 1], [2, 0]], "K": 1})");
  EXPECT_TRUE(problem->score("0 2").solved);
  EXPECT_EQ(problem->score("0 0").reward, 0.0);
  EXPECT_EQ(problem->score("2 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
