#include <map>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// How much more the player to move gets, by search of all moves.
int lead_of_mover(const std::vector<int>& piles, std::map<std::vector<int>, int>& known) {
  const auto [place, is_new] = known.try_emplace(piles, 0);
  if (!is_new) return place->second;
  bool moved = false;
  int best = 0;
  for (std::size_t i = 0; i < piles.size(); ++i) {
    const bool left_empty = i > 0 && piles[i - 1] == 0;
    const bool right_empty = i + 1 < piles.size() && piles[i + 1] == 0;
    if (piles[i] == 0 || (!left_empty && !right_empty)) continue;
    std::vector<int> next = piles;
    next[i] = 0;
    const int lead = piles[i] - lead_of_mover(next, known);
    if (!moved || lead > best) best = lead;
    moved = true;
  }
  return known[piles] = best;
}

TEST(StoneIntervalsGame, AgreesWithASearchOfAllMoves) {
  Rng rng({.seed = 22, .purpose = hash_name("stone intervals")});
  for (int round = 0; round < 600; ++round) {
    const int n = static_cast<int>(rng.integer(2, 11));
    const std::int64_t most = rng.integer(1, 20);
    std::vector<int> piles;
    for (int i = 0; i < n; ++i) piles.push_back(static_cast<int>(rng.integer(1, most)));
    for (std::int64_t empty = rng.integer(1, 1 + n / 3); empty > 0; --empty) rng.choice(piles) = 0;
    std::map<std::vector<int>, int> known;
    const int total = std::accumulate(piles.begin(), piles.end(), 0);
    const Json parameter{
        {"N", n}, {"A", piles}, {"reference_answer", (total + lead_of_mover(piles, known)) / 2}};
    EXPECT_TRUE(Registry::native().find("StoneIntervalsGame")->restore(parameter)) << parameter;
  }
}

TEST(StoneIntervalsGame, RefusesAForgedReference) {
  const Environment& environment = *Registry::native().find("StoneIntervalsGame");
  EXPECT_FALSE(
      environment.restore(*parse_json(R"({"N": 3, "A": [0, 4, 9], "reference_answer": 9})")));
  EXPECT_FALSE(environment.restore(*parse_json(R"({"N": 2, "A": [4, 9], "reference_answer": 9})")));
}

}  // namespace
}  // namespace redqueen
