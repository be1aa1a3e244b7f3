#include <algorithm>
#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Whether the player to move wins Nim, by search.
bool wins_nim(std::vector<int> heaps) {
  static std::map<std::vector<int>, bool> known;
  std::ranges::sort(heaps);
  if (const auto found = known.find(heaps); found != known.end()) return found->second;
  bool wins = false;
  for (std::size_t i = 0; i < heaps.size() && !wins; ++i) {
    for (int left = 0; left < heaps[i] && !wins; ++left) {
      std::vector<int> next = heaps;
      next[i] = left;
      wins = !wins_nim(next);
    }
  }
  return known[heaps] = wins;
}

std::vector<int> chosen_of(const std::vector<int>& heaps, unsigned chosen) {
  std::vector<int> some;
  for (std::size_t i = 0; i < heaps.size(); ++i) {
    if ((chosen >> i & 1) != 0) some.push_back(heaps[i]);
  }
  return some;
}

TEST(NewNimGame, AgreesWithASearchOfBothRounds) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const int level = static_cast<int>(seed % 3);
    const auto problem = make_problem("NewNimGame", level, seed);
    const auto heaps = problem->parameter()["A"].get<std::vector<int>>();
    const unsigned all = (1U << heaps.size()) - 1;
    int least = std::numeric_limits<int>::max();
    for (unsigned kept = 1; kept <= all; ++kept) {
      bool wins = true;
      for (unsigned left = kept; left > 0; left = (left - 1) & kept) {
        wins = wins && wins_nim(chosen_of(heaps, left));
      }
      std::vector<std::int64_t> removed;
      int matches = 0;
      for (std::size_t i = 0; i < heaps.size(); ++i) {
        if ((kept >> i & 1) != 0) continue;
        removed.push_back(static_cast<std::int64_t>(i) + 1);
        matches += heaps[i];
      }
      EXPECT_EQ(problem->score(format_answer(removed)).reward > 0, wins) << format_answer(removed);
      if (wins) least = std::min(least, matches);
    }
    EXPECT_EQ(problem->parameter()["gold_answer"], least) << problem->prompt();
  }
}

TEST(NewNimGame, TellsWrongHeapsFromALostGame) {
  const auto problem =
      restore_problem("NewNimGame", R"({"N": 3, "A": [1, 2, 3], "gold_answer": 1})");
  EXPECT_TRUE(problem->score("1").solved);
  EXPECT_NEAR(problem->score("3").reward, 1.0 / 27, 1e-12);
  EXPECT_EQ(problem->score("").reward, -0.2);
  EXPECT_EQ(problem->score("1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("3 2 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("4").reward, kInvalidReward);
  EXPECT_FALSE(Registry::native()
                   .find("NewNimGame")
                   ->restore(*parse_json(R"({"N": 3, "A": [1, 2, 3], "gold_answer": 2})")));
}

}  // namespace
}  // namespace redqueen
