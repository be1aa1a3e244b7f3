#include <bit>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Edges = std::vector<std::pair<int, int>>;

// Follows all walks by where they stand and what they have seen.
int most_visited(const Edges& edges, int steps) {
  std::set<std::pair<int, unsigned>> states{{0, 1U}};
  for (int step = 0; step < steps; ++step) {
    std::set<std::pair<int, unsigned>> next;
    for (const auto& [at, seen] : states) {
      for (const auto& [u, v] : edges) {
        if (u == at) next.emplace(v, seen | 1U << v);
        if (v == at) next.emplace(u, seen | 1U << u);
      }
    }
    states = std::move(next);
  }
  int most = 0;
  for (const auto& [at, seen] : states) most = std::max(most, std::popcount(seen));
  return most;
}

TEST(TreeMaximumVisitedVertex, AgreesWithAllWalks) {
  Rng rng({.seed = 1, .purpose = hash_name("walks"), .step = 0, .index = 0, .salt = 0});
  for (int level = 0; level <= 6; ++level) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const auto generated = make_problem("TreeMaximumVisitedVertex", level, seed);
      Json parameter = generated->parameter();
      for (int steps = 1; steps <= 2 * parameter["N"].get<int>() - 3; ++steps) {
        parameter["M"] = steps;
        const auto problem = restore_problem("TreeMaximumVisitedVertex", parameter.dump());
        const int most = most_visited(parameter["edges"].get<Edges>(), steps);
        const auto visited = [](const std::string& walk) {
          const auto vertices = *parse_int_list(walk);
          return static_cast<int>(std::set<std::int64_t>(vertices.begin(), vertices.end()).size());
        };
        EXPECT_EQ(visited(problem->reference()), most) << problem->prompt();
        EXPECT_TRUE(problem->score(problem->reference()).solved) << problem->prompt();
        const std::string guess = problem->random_answer(rng);
        EXPECT_EQ(problem->score(guess).solved, visited(guess) == most);
      }
    }
  }
}

TEST(TreeMaximumVisitedVertex, WantsAWalkFromVertexZero) {
  const auto problem = restore_problem("TreeMaximumVisitedVertex",
                                       R"({"N": 4, "M": 3, "edges": [[0, 1], [1, 2], [1, 3]]})");
  EXPECT_TRUE(problem->score("0 1 2 1").solved);
  EXPECT_NEAR(problem->score("0 1 0 1").reward, 8.0 / 27.0, 1e-12);
  for (const char* answer : {"0 1 2 3", "1 2 1 3", "0 1 2", "0 1 2 1 3", "0 1 4 1", "0 0 1 2"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
  EXPECT_FALSE(problem->score("").well_formed);
}

}  // namespace
}  // namespace redqueen
