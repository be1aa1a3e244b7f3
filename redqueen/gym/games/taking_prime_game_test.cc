#include <map>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

bool divides_nothing(int p) {
  for (int d = 2; d < p; ++d) {
    if (p % d == 0) return false;
  }
  return p >= 2;
}

// Whether the player to move can win within so many moves of both.
bool wins_within(int stones, int moves) {
  static std::map<std::pair<int, int>, bool> known;
  const auto [place, is_new] = known.try_emplace({stones, moves}, false);
  if (!is_new) return place->second;
  bool wins = false;
  for (int p = 2; p <= stones && moves >= 1 && !wins; ++p) {
    if (!divides_nothing(p)) continue;
    bool loses = true;  // every reply runs into a win within two moves less
    for (int q = 2; q <= stones - p && loses; ++q) {
      loses = !divides_nothing(q) || wins_within(stones - p - q, moves - 2);
    }
    wins = loses;
  }
  return known[{stones, moves}] = wins;
}

TEST(TakingPrimeGame, AgreesWithTheLeastNumberOfMovesThatSuffice) {
  for (int stones = 0; stones <= 90; ++stones) {
    int answer = -1;
    for (int moves = stones + 1 - stones % 2; moves >= 1; moves -= 2) {
      if (!wins_within(stones, moves)) break;
      answer = moves;
    }
    const auto problem =
        restore_problem("TakingPrimeGame", fmt::format(R"({{"MAX_N": 90, "N": {}}})", stones));
    EXPECT_EQ(problem->reference(), std::to_string(answer)) << stones;
  }
}

TEST(TakingPrimeGame, DrawsLongGamesAsOftenAsShortOnes) {
  std::map<std::string, int> frequency;
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    ++frequency[make_problem("TakingPrimeGame", 25, seed)->reference()];
  EXPECT_GE(frequency.size(), 5u);
  for (const auto& [answer, count] : frequency) EXPECT_LT(count, 130) << answer;
}

}  // namespace
}  // namespace redqueen
