#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Searches all moves.
bool delta_nim_mover_wins(const std::vector<int>& piles) {
  static std::map<std::vector<int>, bool> known;
  if (const auto found = known.find(piles); found != known.end()) return found->second;
  bool wins = false;
  for (std::size_t i = 0; i < piles.size() && !wins; ++i) {
    std::vector<int> next = piles;
    while (!wins && --next[i] >= (i > 0 ? piles[i - 1] : 0)) wins = !delta_nim_mover_wins(next);
  }
  return known[piles] = wins;
}

TEST(DeltaNimGame, AgreesWithASearchOfAllMoves) {
  for (int size = 1; size <= 4; ++size) {
    std::vector<int> piles(static_cast<std::size_t>(size), 0);
    const int most = size <= 2 ? 12 : size == 3 ? 8 : 6;
    const std::function<void(std::size_t)> visit = [&](std::size_t place) {
      if (place == piles.size()) {
        const auto problem = restore_problem(
            "DeltaNimGame", fmt::format(R"({{"N": {}, "A": {}}})", size, Json(piles).dump()));
        EXPECT_EQ(problem->reference(), delta_nim_mover_wins(piles) ? "Alice" : "Bob")
            << problem->prompt();
        return;
      }
      for (int stones = place > 0 ? piles[place - 1] : 0; stones <= most; ++stones) {
        piles[place] = stones;
        visit(place + 1);
      }
    };
    visit(0);
  }
}

TEST(DeltaNimGame, LetsEitherPlayerWinAsOften) {
  int first = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    first += make_problem("DeltaNimGame", 4, seed)->reference() == "Alice";
  EXPECT_NEAR(first, 200, 50);
}

TEST(DeltaNimGame, GivesNoWinnerAwayByADifference) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto piles = make_problem("DeltaNimGame", 5, seed)->parameter()["A"];
    for (std::size_t i = 1; i < piles.size(); ++i) {
      EXPECT_LE(piles[i].get<int>() - piles[i - 1].get<int>(), 7);
    }
  }
}

}  // namespace
}  // namespace redqueen
