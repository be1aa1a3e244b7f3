#include <algorithm>
#include <array>
#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Goes through all grids; a cell is blank or has one of the colours. Counts by the numbers of
// cells.
std::map<std::vector<int>, std::int64_t> colourings(int n, int m, int colours) {
  std::map<std::vector<int>, std::int64_t> found;
  std::vector<int> grid(static_cast<std::size_t>(n * m));  // 0: blank
  while (true) {
    bool allowed = true;
    std::vector<int> cells(static_cast<std::size_t>(colours));
    for (int a = 0; a < n * m && allowed; ++a) {
      if (grid[a] == 0) continue;
      ++cells[grid[a] - 1];
      for (int b = 0; b < a && allowed; ++b) {
        const bool one_line = a / m == b / m || a % m == b % m;
        allowed = !one_line || grid[b] == 0 || grid[b] == grid[a];
      }
    }
    if (allowed) ++found[cells];
    std::size_t place = 0;
    while (place < grid.size() && ++grid[place] > colours) grid[place++] = 0;
    if (place == grid.size()) return found;
  }
}

TEST(GridColoringCounting, AgreesWithAllGrids) {
  const std::vector<std::array<int, 3>> sizes{{1, 1, 1}, {2, 2, 2}, {2, 3, 2}, {3, 3, 1},
                                              {3, 3, 3}, {2, 5, 2}, {4, 2, 2}, {3, 4, 2}};
  for (const auto& [n, m, colours] : sizes) {
    for (const auto& [cells, count] : colourings(n, m, colours)) {
      if (std::ranges::find(cells, 0) != cells.end()) continue;
      for (const int modulus : {2, 6, 9973}) {
        EXPECT_NE(restore_problem("GridColoringCounting",
                                  dump_json(Json{{"MAX_N_M", 5},
                                                 {"N", n},
                                                 {"M", m},
                                                 {"C", colours},
                                                 {"Xs", cells},
                                                 {"MOD", modulus},
                                                 {"reference_answer", count % modulus}})),
                  nullptr)
            << n << " " << m << " " << testing::PrintToString(cells);
      }
    }
  }
}

TEST(GridColoringCounting, CountsNoneWhereTheCellsDoNotFit) {
  EXPECT_NE(restore_problem("GridColoringCounting",
                            R"({"MAX_N_M": 2, "N": 2, "M": 2, "C": 2, "Xs": [2, 2], "MOD": 9,
                                "reference_answer": 0})"),
            nullptr);
  EXPECT_NE(restore_problem("GridColoringCounting",
                            R"({"MAX_N_M": 2, "N": 2, "M": 2, "C": 2, "Xs": [1, 2], "MOD": 9,
                                "reference_answer": 0})"),
            nullptr);
}

}  // namespace
}  // namespace redqueen
