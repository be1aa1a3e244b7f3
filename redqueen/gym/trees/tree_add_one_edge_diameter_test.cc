#include "redqueen/gym/common/graph/tree.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

void relax(Matrix& distance) {
  const std::size_t n = distance.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (auto& row : distance) {
      for (std::size_t v = 0; v < n; ++v) row[v] = std::min(row[v], row[k] + distance[k][v]);
    }
  }
}

// Diameters with the new edge between all pairs, each by relaxing the whole graph.
void expect_right(const ::redqueen::Problem& problem, bool score_all) {
  const Json parameter = problem.parameter();
  const auto n = parameter["N"].get<std::size_t>();
  Matrix distance(n, std::vector<std::int64_t>(n, 1'000'000));
  for (std::size_t v = 0; v < n; ++v) distance[v][v] = 0;
  for (const auto& edge : parameter["edges"]) {
    const auto u = edge[0].get<std::size_t>() - 1;
    const auto v = edge[1].get<std::size_t>() - 1;
    distance[u][v] = distance[v][u] = edge[2];
  }
  const std::int64_t gold = parameter["gold_answer"];
  std::int64_t least = 1'000'000;
  for (std::size_t x = 0; x < n; ++x) {
    for (std::size_t y = 0; y <= x; ++y) {
      Matrix changed = distance;
      changed[x][y] = std::min<std::int64_t>(changed[x][y], parameter["L"]);
      changed[y][x] = changed[x][y];
      relax(changed);
      std::int64_t diameter = 0;
      for (const auto& row : changed) diameter = std::max(diameter, std::ranges::max(row));
      least = std::min(least, diameter);
      if (!score_all) continue;
      const Verdict verdict = problem.score(fmt::format("{} {}", y + 1, x + 1));
      EXPECT_EQ(verdict.solved, diameter == gold);
      EXPECT_NEAR(verdict.reward,
                  diameter == gold
                      ? 1.0
                      : std::pow(static_cast<double>(gold) / static_cast<double>(diameter), 5),
                  1e-9);
    }
  }
  EXPECT_EQ(gold, least) << problem.prompt();
  EXPECT_TRUE(problem.score(problem.reference()).solved);
}

TEST(TreeAddOneEdgeDiameter, PaysEveryPairByItsDiameter) {
  for (int level = 0; level <= 6; ++level) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      expect_right(*make_problem("TreeAddOneEdgeDiameter", level, seed), true);
    }
  }
}

// Trees as they come, also those with short edges, many zeros and equal branches: whatever gold
// answer is accepted must be the least diameter.
TEST(TreeAddOneEdgeDiameter, FindsTheLeastDiameterOfAnyTree) {
  const Environment& environment = *Registry::native().find("TreeAddOneEdgeDiameter");
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Rng rng({.seed = 1, .purpose = hash_name("add"), .step = 0, .index = seed, .salt = 0});
    const int n = static_cast<int>(rng.integer(3, 9));
    const std::int64_t longest = rng.integer(1, 4);
    auto tree = seed % 2 == 0 ? random_shaped_tree(rng.permutation(n), rng)
                              : random_recursive_tree(rng.permutation(n), rng);
    Json parameter{{"N", n},
                   {"edges", weigh_edges(relabelled(tree, 1), 0, longest, rng)},
                   {"L", rng.integer(0, 2)}};
    int accepted = 0;
    for (std::int64_t gold = 0; gold <= longest * n; ++gold) {
      parameter["gold_answer"] = gold;
      if (const auto problem = environment.restore(parameter)) {
        ++accepted;
        expect_right(**problem, false);
      }
    }
    EXPECT_EQ(accepted, 1);
  }
}

TEST(TreeAddOneEdgeDiameter, WantsTwoVertices) {
  const auto problem = make_problem("TreeAddOneEdgeDiameter", 2, 0);
  EXPECT_FALSE(problem->score("1").well_formed);
  EXPECT_FALSE(problem->score("1 2 3").well_formed);
  EXPECT_EQ(problem->score("0 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("7 1").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
