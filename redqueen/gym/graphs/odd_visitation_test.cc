#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// What a walk earns, by looking at every pair of steps anew.
double reward_of(std::int64_t n, const std::vector<List>& edges, const List& walk) {
  for (const std::int64_t v : walk) {
    if (v < 0 || v >= n) return kInvalidReward;
  }
  for (std::size_t i = 1; i < walk.size(); ++i) {
    if (std::ranges::none_of(edges, [&](const List& edge) {
          return edge == List{walk[i - 1], walk[i]} || edge == List{walk[i], walk[i - 1]};
        })) {
      return kInvalidReward;
    }
  }
  for (std::int64_t v = 0; v < n; ++v) {
    if (std::ranges::count(walk, v) % 2 == 0) return 0.0;
  }
  return 1.0;
}

TEST(OddVisitation, JudgesWalksOfAllKinds) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("OddVisitation", static_cast<int>(seed % 12), seed);
    const Json parameter = problem->parameter();
    const auto n = parameter["N"].get<std::int64_t>();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const List right = *parse_int_list(problem->reference());
    EXPECT_EQ(reward_of(n, edges, right), 1.0);
    EXPECT_LE(std::ssize(right), 4 * n);
    Rng rng({.seed = seed});
    for (int i = 0; i < 50; ++i) {
      List walk = rng.chance(0.5) ? right : *parse_int_list(problem->random_answer(rng));
      if (rng.chance(0.5)) walk.resize(rng.below(walk.size()) + 1);
      if (rng.chance(0.3)) rng.choice(walk) = rng.integer(-1, n);
      EXPECT_EQ(problem->score(format_answer(walk)).reward, reward_of(n, edges, walk));
    }
  }
}

// Trees and cycles of all small sizes, with the vertices in any order.
TEST(OddVisitation, SolvesTreesAndCycles) {
  for (int n = 2; n <= 6; ++n) {
    List order(n);
    std::iota(order.begin(), order.end(), 0);
    do {
      for (const bool star : {false, true}) {
        std::vector<List> edges;
        for (int i = 1; i < n; ++i) edges.push_back({order[star ? 0 : i - 1], order[i]});
        if (!star && n > 2) edges.push_back({order[n - 1], order[0]});
        const auto problem =
            restore_problem("OddVisitation", Json{{"N", n}, {"edges", edges}}.dump());
        EXPECT_EQ(reward_of(n, edges, *parse_int_list(problem->reference())), 1.0);
      }
    } while (std::ranges::next_permutation(order).found);
  }
}

}  // namespace
}  // namespace redqueen
