#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// What each player gets, the one to move first, by trying all lines of play.
std::pair<int, int> play_coins(const std::vector<int>& coins, std::size_t place,
                               std::size_t allowed) {
  if (place == coins.size()) return {0, 0};
  std::pair<int, int> best{-1, 0};
  int gained = 0;
  for (std::size_t taken = 1; taken <= allowed && place + taken <= coins.size(); ++taken) {
    gained += coins[place + taken - 1];
    const auto [other, mine] = play_coins(coins, place + taken, 2 * taken);
    if (gained + mine > best.first) best = {gained + mine, other};
  }
  return best;
}

TEST(CoinSquareGame, AgreesWithEveryLineOfPlay) {
  for (int level = 0; level <= 11; ++level) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const auto problem = make_problem("CoinSquareGame", level, seed);
      const auto coins = problem->parameter()["C"].get<std::vector<int>>();
      EXPECT_EQ(problem->reference(), std::to_string(play_coins(coins, 0, 2).first))
          << problem->prompt();
    }
  }
}

TEST(CoinSquareGame, RefusesAForgedReference) {
  const Environment& environment = *Registry::native().find("CoinSquareGame");
  EXPECT_TRUE(
      environment.restore(*parse_json(R"({"N": 3, "C": [1, 3, 1], "reference_answer": 4})")));
  EXPECT_FALSE(
      environment.restore(*parse_json(R"({"N": 3, "C": [1, 3, 1], "reference_answer": 5})")));
}

}  // namespace
}  // namespace redqueen
