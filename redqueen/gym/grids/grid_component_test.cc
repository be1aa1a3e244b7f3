#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Every one takes the smallest label among its neighbours, until nothing changes.
int largest_by_labels(const std::vector<std::string>& grid) {
  const int rows = static_cast<int>(grid.size());
  const int columns = static_cast<int>(grid[0].size());
  std::map<std::pair<int, int>, int> label;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      if (grid[i][j] == '1') label[{i, j}] = i * columns + j;
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [cell, mine] : label) {
      const auto [i, j] = cell;
      for (const auto& other : {std::pair{i - 1, j}, {i + 1, j}, {i, j - 1}, {i, j + 1}}) {
        const auto found = label.find(other);
        if (found == label.end() || found->second >= mine) continue;
        mine = found->second;
        changed = true;
      }
    }
  }
  std::map<int, int> sizes;
  int largest = 0;
  for (const auto& [cell, mine] : label) largest = std::max(largest, ++sizes[mine]);
  return largest;
}

TEST(GridComponent, AgreesWithSpreadingLabels) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("GridComponent", static_cast<int>(seed % 9), seed);
    const auto grid = problem->parameter()["grid"].get<std::vector<std::string>>();
    EXPECT_EQ(problem->reference(), std::to_string(largest_by_labels(grid))) << problem->prompt();
  }
}

TEST(GridComponent, FindsNothingWithoutOnes) {
  const auto problem =
      restore_problem("GridComponent", R"({"N": 2, "M": 2, "grid": ["00", "00"]})");
  EXPECT_TRUE(problem->score("0").solved);
  EXPECT_EQ(problem->score("-1").reward, 0.0);
}

}  // namespace
}  // namespace redqueen
