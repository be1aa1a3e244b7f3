#include <algorithm>
#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Searches all moves on whole positions, heaps in ascending order.
bool stone_game_mover_wins(std::vector<int> heaps, int least) {
  static std::map<std::pair<int, std::vector<int>>, bool> known;
  std::ranges::sort(heaps);
  const std::pair key(least, heaps);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  bool wins = false;
  for (std::size_t i = 0; i < heaps.size() && !wins; ++i) {
    if (heaps[i] < least) continue;
    for (int parts = 2; parts <= heaps[i] && !wins; ++parts) {
      std::vector<int> next = heaps;
      next.erase(next.begin() + static_cast<std::ptrdiff_t>(i));
      int stones = heaps[i];
      for (int left = parts; left > 0; --left) {
        next.push_back((stones + left - 1) / left);
        stones -= next.back();
      }
      wins = !stone_game_mover_wins(next, least);
    }
  }
  return known[key] = wins;
}

TEST(StoneGame, AgreesWithASearchOfAllMoves) {
  for (int level = 0; level <= 6; ++level) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto problem = make_problem("StoneGame", level, seed);
      const Json parameter = problem->parameter();
      EXPECT_EQ(problem->reference(),
                stone_game_mover_wins(parameter["Stones"].get<std::vector<int>>(),
                                      parameter["F"].get<int>())
                    ? "Stan"
                    : "Ollie")
          << problem->prompt();
    }
  }
}

TEST(StoneGame, AgreesOnSingleHeapsAndPairs) {
  for (int least = 1; least <= 5; ++least) {
    for (int a = 1; a <= 16; ++a) {
      for (int b = 1; b <= a; ++b) {
        const auto problem = restore_problem(
            "StoneGame", Json{{"MAX_SUM", 40}, {"N", 2}, {"Stones", {a, b}}, {"F", least}}.dump());
        EXPECT_EQ(problem->reference(), stone_game_mover_wins({a, b}, least) ? "Stan" : "Ollie")
            << problem->prompt();
      }
    }
  }
}

TEST(StoneGame, LetsEitherPlayerWinAsOften) {
  for (const int level : {2, 6, 12}) {
    int first = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed)
      first += make_problem("StoneGame", level, seed)->reference() == "Stan";
    EXPECT_NEAR(first, 200, 50);
  }
}

}  // namespace
}  // namespace redqueen
