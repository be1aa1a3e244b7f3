#include <queue>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Searches all pairs of a vertex and a value.
std::int64_t largest_value(std::int64_t n, const std::vector<List>& edges) {
  std::set<std::pair<std::int64_t, std::int64_t>> seen{{0, 0}};
  std::queue<std::pair<std::int64_t, std::int64_t>> open;
  open.emplace(0, 0);
  std::int64_t largest = 0;
  while (!open.empty()) {
    const auto [vertex, value] = open.front();
    open.pop();
    if (vertex == n - 1) largest = std::max(largest, value);
    for (const List& edge : edges) {
      if (edge[0] != vertex && edge[1] != vertex) continue;
      const std::pair next(edge[0] + edge[1] - vertex, value ^ edge[2]);
      if (seen.insert(next).second) open.push(next);
    }
  }
  return largest;
}

TEST(MaxXorPath, AgreesWithASearchOfAllValues) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("MaxXorPath", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(),
              std::to_string(largest_value(parameter["N"].get<std::int64_t>(),
                                           parameter["edges"].get<std::vector<List>>())))
        << problem->prompt();
  }
}

TEST(MaxXorPath, UsesEdgesAgain) {
  // The cycle of 8 hangs on an edge of weight 4, which the walk takes there and back.
  const auto problem = restore_problem(
      "MaxXorPath",
      R"({"N": 5, "edges": [[0, 4, 1], [0, 1, 4], [1, 2, 8], [2, 3, 0], [1, 3, 0]]})");
  EXPECT_TRUE(problem->score("9").solved);
  EXPECT_EQ(problem->score("13").reward, 0.0);
  const auto apart = parse_json(R"({"N": 3, "edges": [[0, 1, 1]]})");
  EXPECT_FALSE(Registry::native().find("MaxXorPath")->restore(*apart));
}

}  // namespace
}  // namespace redqueen
