#include <set>

#include "redqueen/gym/testing/fillings.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Lines = std::vector<std::string>;

bool is_balanced(const Lines& grid) {
  for (const std::string& row : grid) {
    if (2 * std::ranges::count(row, '1') != std::ssize(row)) return false;
  }
  for (std::size_t column = 0; column < grid[0].size(); ++column) {
    std::ptrdiff_t balance = 0;
    for (const std::string& row : grid) balance += row[column] == '1' ? 1 : -1;
    if (balance != 0) return false;
  }
  return true;
}

// All fillings of the smallest grids.
TEST(Binario_NoAdjacencyRequirement, SolvesBalancedGrids) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("Binario_NoAdjacencyRequirement", 0, seed);
    const auto matrix = problem->parameter()["matrix"].get<Lines>();
    for_each_filling(matrix, '*', "01", [&](const Lines& grid) {
      const bool right = is_balanced(grid);
      EXPECT_EQ(problem->score(format_answer(grid)).solved, right);
      solved += right;
    });
  }
  EXPECT_GE(solved, 40);
}

TEST(Binario_NoAdjacencyRequirement, PlantsRowsOfManyKinds) {
  const auto problem = make_problem("Binario_NoAdjacencyRequirement", 6, 1);
  const std::string reference = problem->reference();
  std::set<std::string> rows;
  for (const std::string_view row : split_lines(reference)) rows.emplace(row);
  EXPECT_GT(rows.size(), 7u);
}

TEST(Binario_NoAdjacencyRequirement, TellsWhatIsWrong) {
  const auto problem = restore_problem("Binario_NoAdjacencyRequirement", R"({
      "N": 1, "M": 2, "matrix": ["01**", "****"], "reference_answer": "0101\n1010"})");
  EXPECT_EQ(problem->score("0101\n1010").reward, 1.0);
  EXPECT_EQ(problem->score("0110\n1001").reward, 1.0);
  EXPECT_EQ(problem->score("0101\n1001").reward, 0.0);
  EXPECT_EQ(problem->score("1010\n0101").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0101\n101*").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
