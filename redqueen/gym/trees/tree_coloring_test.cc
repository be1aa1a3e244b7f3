#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// By relaxing until nothing changes.
std::vector<std::vector<std::int64_t>> distances(const Json& parameter) {
  const auto n = parameter["N"].get<std::size_t>();
  std::vector<std::vector<std::int64_t>> distance(n, std::vector<std::int64_t>(n, 1'000'000));
  for (std::size_t v = 0; v < n; ++v) distance[v][v] = 0;
  for (const auto& edge : parameter["edges"]) {
    const auto u = edge[0].get<std::size_t>();
    const auto v = edge[1].get<std::size_t>();
    distance[u][v] = distance[v][u] = edge[2];
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (auto& row : distance) {
      for (std::size_t v = 0; v < n; ++v) row[v] = std::min(row[v], row[k] + distance[k][v]);
    }
  }
  return distance;
}

TEST(TreeColoring, PaysEverySetByItsValue) {
  for (int level = 0; level <= 6; ++level) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto problem = make_problem("TreeColoring", level, seed);
      const Json parameter = problem->parameter();
      const auto distance = distances(parameter);
      const int n = parameter["N"];
      std::vector<std::pair<std::string, std::int64_t>> values;
      std::int64_t greatest = 0;
      for (unsigned red = 0; red < 1U << n; ++red) {
        if (std::popcount(red) != parameter["K"].get<int>()) continue;
        std::vector<int> members;
        std::int64_t value = 0;
        for (int u = 0; u < n; ++u) {
          if ((red >> u & 1) != 0) members.push_back(u);
          for (int v = 0; v < u; ++v) {
            if ((red >> u & 1) == (red >> v & 1)) value += distance[u][v];
          }
        }
        greatest = std::max(greatest, value);
        values.emplace_back(format_answer(members), value);
      }
      for (const auto& [answer, value] : values) {
        const Verdict verdict = problem->score(answer);
        EXPECT_EQ(verdict.solved, value == greatest) << answer << "\n" << problem->prompt();
        const double share = static_cast<double>(value) / static_cast<double>(greatest);
        EXPECT_NEAR(verdict.reward, share * share, 1e-9);
      }
    }
  }
}

TEST(TreeColoring, WantsKDifferentVertices) {
  const auto problem = restore_problem(
      "TreeColoring",
      R"({"N": 3, "K": 2, "edges": [[0, 1, 2], [1, 2, 5]], "reference_answer_distance": 7})");
  EXPECT_TRUE(problem->score("2 0").solved);
  for (const char* answer : {"0", "0 0", "0 3", "-1 0", "0 1 2", ""}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
}

}  // namespace
}  // namespace redqueen
