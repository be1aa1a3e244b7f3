#include <algorithm>
#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Distances of all vertices from the nearest of some, by rounds over the edges.
std::int64_t greatest_distance(const std::vector<List>& edges, const List& centers, std::size_t n) {
  List distance(n, 1'000'000);
  for (const std::int64_t center : centers) distance[center] = 0;
  for (std::size_t round = 0; round < n; ++round) {
    for (const List& edge : edges) {
      for (const int end : {0, 1}) {
        distance[edge[end]] = std::min(distance[edge[end]], distance[edge[1 - end]] + edge[2]);
      }
    }
  }
  return *std::ranges::max_element(distance);
}

TEST(Vertex_KCenter, PaysEachChoiceByTheBest) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = make_problem("Vertex_KCenter", static_cast<int>(seed % 7), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto n = parameter["N"].get<std::size_t>();
    double least = 1e9;
    std::vector<std::pair<std::string, double>> choices;
    for (unsigned set = 0; set < 1u << n; ++set) {
      if (std::popcount(set) != parameter["K"].get<int>()) continue;
      List centers;
      for (std::size_t v = 0; v < n; ++v) {
        if ((set >> v & 1) != 0) centers.push_back(static_cast<std::int64_t>(v));
      }
      const auto distance = static_cast<double>(greatest_distance(edges, centers, n));
      choices.emplace_back(format_answer(centers), distance);
      least = std::min(least, distance);
    }
    for (const auto& [text, distance] : choices) {
      const Verdict verdict = problem->score(text);
      EXPECT_NEAR(verdict.reward, std::pow(least / distance, 5), 1e-9);
      EXPECT_EQ(verdict.solved, distance == least);
    }
  }
}

TEST(Vertex_KCenter, WantsExactlySoMany) {
  const auto problem = restore_problem(
      "Vertex_KCenter",
      R"({"N": 4, "K": 2, "edges": [[0, 1, 1], [1, 2, 5], [2, 3, 2]], "gold_answer": 2})");
  EXPECT_TRUE(problem->score("3 1").solved);
  EXPECT_NEAR(problem->score("0 1").reward, std::pow(2.0 / 7.0, 5), 1e-12);
  EXPECT_EQ(problem->score("1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 4").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
