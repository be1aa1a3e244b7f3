#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::string pattern(int n, int m, const std::vector<int>& filling) {
  std::string marks;
  for (int a = 0; a < n * m; ++a) {
    bool least = true;
    for (int b = 0; b < n * m; ++b) {
      const bool near = std::abs(a / m - b / m) <= 1 && std::abs(a % m - b % m) <= 1;
      least = least && (a == b || !near || filling[a] < filling[b]);
    }
    marks += least ? 'X' : '.';
  }
  return marks;
}

Json parameter(int n, int m, const std::string& marks, std::int64_t answer) {
  Json grid = Json::array();
  for (int i = 0; i < n; ++i) {
    Json row = Json::array();
    for (int j = 0; j < m; ++j) row.push_back(std::string(1, marks[i * m + j]));
    grid.push_back(row);
  }
  return {{"MAX_N_M", 9}, {"N", n}, {"M", m}, {"grid", grid}, {"reference_answer", answer}};
}

TEST(GridLocalMinimumCounting, AgreesWithAllFillings) {
  const std::vector<std::pair<int, int>> sizes{{1, 1}, {1, 6}, {2, 2}, {2, 3},
                                               {3, 2}, {2, 4}, {3, 3}, {8, 1}};
  for (const auto& [n, m] : sizes) {
    std::map<std::string, std::int64_t> fillings;
    std::vector<int> filling(static_cast<std::size_t>(n * m));
    std::iota(filling.begin(), filling.end(), 1);
    do {
      ++fillings[pattern(n, m, filling)];
    } while (std::ranges::next_permutation(filling).found);
    for (unsigned set = 0; set < 1U << (n * m); ++set) {
      std::string marks;
      for (int cell = 0; cell < n * m; ++cell) marks += (set >> cell & 1) != 0 ? 'X' : '.';
      EXPECT_NE(restore_problem("GridLocalMinimumCounting",
                                dump_json(parameter(n, m, marks, fillings[marks]))),
                nullptr)
          << n << " × " << m << " " << marks;
    }
  }
}

// Minima three cells apart in a row: between two of them, only the first and last step of three are
// known to go up and down. Such fillings are counted cell by cell, by the rank of the last one
// among those before. More than 33 cells pass 128 bits.
BigInt rows_with_every_third_least(int cells) {
  std::vector<BigInt> by_rank{1};
  for (int cell = 1; cell < cells; ++cell) {
    std::vector<BigInt> next(by_rank.size() + 1);
    for (std::size_t rank = 0; rank < next.size(); ++rank) {
      for (std::size_t before = 0; before < by_rank.size(); ++before) {
        const bool up = before < rank;
        if (cell % 3 == 2 || up == (cell % 3 == 1)) next[rank] += by_rank[before];
      }
    }
    by_rank = next;
  }
  BigInt sum = 0;
  for (const BigInt& count : by_rank) sum += count;
  return sum;
}

TEST(GridLocalMinimumCounting, AgreesWithLongRows) {
  for (const int cells : {1, 4, 7, 31, 34, 40}) {
    std::string marks;
    for (int cell = 0; cell < cells; ++cell) marks += cell % 3 == 0 ? 'X' : '.';
    Json given = parameter(1, cells, marks, 0);
    given["reference_answer"] = to_json(rows_with_every_third_least(cells));
    EXPECT_NE(restore_problem("GridLocalMinimumCounting", dump_json(given)), nullptr) << cells;
  }
}

}  // namespace
}  // namespace redqueen
