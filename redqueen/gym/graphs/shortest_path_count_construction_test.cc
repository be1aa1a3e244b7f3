#include <functional>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Counts walks from the first vertex to the second of each length in turn: the first that there
// are any of are the shortest paths.
std::int64_t count_paths(const std::vector<std::string_view>& rows) {
  std::vector<std::int64_t> walks(rows.size());
  walks[0] = 1;
  for (std::size_t length = 1; length < rows.size(); ++length) {
    std::vector<std::int64_t> longer(rows.size());
    for (std::size_t u = 0; u < rows.size(); ++u) {
      for (std::size_t v = 0; v < rows.size(); ++v) {
        if (rows[u][v] == 'Y') longer[v] += walks[u];
      }
    }
    walks = longer;
    if (walks[1] > 0) return walks[1];
  }
  return 0;
}

TEST(ShortestPathCountConstruction, ReachesEveryCountWithinItsBound) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem =
        make_problem("ShortestPathCountConstruction", static_cast<int>(seed % 14), seed);
    const Json parameter = problem->parameter();
    const std::string reference = problem->reference();
    auto lines = split_lines(reference);
    lines.erase(lines.begin());
    EXPECT_EQ(count_paths(lines), parameter["K"].get<std::int64_t>());
    EXPECT_LT(lines.size(), parameter["N_constraint"].get<std::size_t>());
    EXPECT_TRUE(problem->score(reference).solved);
  }
}

TEST(ShortestPathCountConstruction, WantsAMatrix) {
  const auto problem = restore_problem("ShortestPathCountConstruction", R"({"K": 2})");
  EXPECT_TRUE(problem->score("4\nNNYY\nNNYY\nYYNN\nYYNN").solved);
  EXPECT_TRUE(problem->score("4\nNNYY\nNNYY\nYYNY\nYYYN").solved);
  EXPECT_NEAR(problem->score("2\nNY\nYN").reward, std::pow(0.5, 10), 1e-12);
  EXPECT_EQ(problem->score("2\nNN\nNN").reward, 0.0);
  for (const std::string_view malformed :
       {"", "1\nN", "2\nNY\nNN", "2\nYN\nNY", "2\nNY\n\nYN", "2\nNY YN", "3\nNY\nYN", "NY\nYN",
        "2\nNX\nXN", "2", "99999999999999999999\nN"}) {
    EXPECT_FALSE(problem->score(malformed).well_formed) << malformed;
  }
  const auto bounded =
      restore_problem("ShortestPathCountConstruction", R"({"K": 12, "N_constraint": 14})");
  EXPECT_EQ(bounded
                ->score("14\n" +
                        [] {
                          std::string rows;
                          for (int i = 0; i < 14; ++i)
                            rows += std::string(14, 'N') + (i < 13 ? "\n" : "");
                          return rows;
                        }())
                .reward,
            kInvalidReward);
}

// No pair of numbers that overflow makes a count look right.
TEST(ShortestPathCountConstruction, CountsNoFurtherThanItCan) {
  const auto problem = restore_problem("ShortestPathCountConstruction", R"({"K": 1})");
  const int layers = 80;  // of two vertices: 2^80 paths
  const int n = 2 * layers + 2;
  std::vector<std::string> rows(static_cast<std::size_t>(n),
                                std::string(static_cast<std::size_t>(n), 'N'));
  const auto join = [&](int u, int v) { rows[u][v] = rows[v][u] = 'Y'; };
  for (int side : {0, 1}) {
    join(0, 2 + side);
    join(2 * layers + side, 1);
    for (int layer = 1; layer < layers; ++layer) {
      for (int other : {0, 1}) join(2 * layer + side, 2 * layer + 2 + other);
    }
  }
  std::string text = std::to_string(n);
  for (const std::string& row : rows) text += "\n" + row;
  EXPECT_TRUE(problem->score(text).well_formed);
  EXPECT_LT(problem->score(text).reward, 1e-6);
}

}  // namespace
}  // namespace redqueen
