#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Searches all moves.
bool mover_wins(std::int64_t x, std::int64_t y) {
  static std::map<std::pair<std::int64_t, std::int64_t>, bool> known;
  if (x < y) std::swap(x, y);
  const auto [place, is_new] = known.try_emplace({x, y}, false);
  if (!is_new) return place->second;
  bool wins = false;
  for (std::int64_t rest = x - y; rest >= 0 && !wins; rest -= y)
    wins = rest == 0 || !mover_wins(rest, y);
  return place->second = wins;
}

TEST(EuclidGame, AgreesWithASearchOfAllMoves) {
  for (std::int64_t x = 1; x <= 60; ++x) {
    for (std::int64_t y = 1; y <= 60; ++y) {
      const auto problem = restore_problem(
          "EuclidGame", fmt::format(R"({{"MAX_X_Y": 64, "X": {}, "Y": {}}})", x, y));
      EXPECT_EQ(problem->reference(), mover_wins(x, y) ? "Stan" : "Ollie") << problem->prompt();
    }
  }
}

TEST(EuclidGame, DrawsNumbersWithinTheBound) {
  for (const int level : {0, 1, 2, 5, 20, 40, 58}) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      const Json parameter = make_problem("EuclidGame", level, seed)->parameter();
      for (const char* key : {"X", "Y"}) {
        EXPECT_GE(parameter[key].get<std::int64_t>(), 1);
        EXPECT_LE(parameter[key].get<std::int64_t>(), parameter["MAX_X_Y"].get<std::int64_t>());
      }
    }
  }
}

TEST(EuclidGame, LetsEitherPlayerWinAsOften) {
  int first = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    first += make_problem("EuclidGame", 4, seed)->reference() == "Stan";
  EXPECT_NEAR(first, 200, 50);
}

TEST(EuclidGame, CallsAnotherWordInvalid) {
  const auto problem = restore_problem("EuclidGame", R"({"MAX_X_Y": 16, "X": 13, "Y": 14})");
  EXPECT_EQ(problem->score("Ollie").reward, 1.0);
  EXPECT_EQ(problem->score("Stan").reward, 0.0);
  EXPECT_EQ(problem->score("ollie").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
