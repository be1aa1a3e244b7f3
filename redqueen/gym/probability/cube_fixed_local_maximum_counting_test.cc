#include <algorithm>
#include <array>

#include "redqueen/gym/common/number/rational_residue.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

constexpr std::int64_t kPrime = 998244353;
using Sides = std::array<int, 3>;
constexpr std::array kSmall{Sides{2, 2, 2}, Sides{2, 2, 3}, Sides{3, 2, 2}, Sides{2, 4, 2},
                            Sides{1, 3, 4}};
constexpr std::array kLarge{Sides{3, 3, 3}, Sides{7, 5, 6}, Sides{40, 33, 57},
                            Sides{150, 200, 180}};

// For every number of cells that dominate: how many fillings of the box have it. Numbers are placed
// from the largest down, over all sets of cells that are filled: a cell dominates if none of those
// that share a coordinate with it is filled before.
std::vector<std::int64_t> fillings(int n, int m, int l) {
  std::vector<std::array<int, 3>> cells;
  for (int x = 0; x < n; ++x) {
    for (int y = 0; y < m; ++y) {
      for (int z = 0; z < l; ++z) cells.push_back({x, y, z});
    }
  }
  const std::size_t count = cells.size();
  std::vector<std::uint32_t> rivals(count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      const bool share =
          cells[a][0] == cells[b][0] || cells[a][1] == cells[b][1] || cells[a][2] == cells[b][2];
      if (share) rivals[a] |= 1u << b;
    }
  }
  const std::size_t most = static_cast<std::size_t>(std::min({n, m, l})) + 1;
  std::vector<std::vector<std::int64_t>> ways(std::size_t{1} << count,
                                              std::vector<std::int64_t>(most + 1));
  ways[0][0] = 1;
  for (std::uint32_t filled = 0; filled < ways.size(); ++filled) {
    for (std::size_t cell = 0; cell < count; ++cell) {
      if (filled >> cell & 1) continue;
      const std::size_t more = (filled & rivals[cell]) == 0;
      auto& next = ways[filled | 1u << cell];
      for (std::size_t k = 0; k + more <= most; ++k) next[k + more] += ways[filled][k];
    }
  }
  return ways.back();
}

TEST(Cube_FixedLocalMaximumCounting, AgreesWithAllFillings) {
  for (const auto& [n, m, l] : kSmall) {
    const auto ways = fillings(n, m, l);
    std::int64_t all = 0;
    for (const std::int64_t count : ways) all += count;
    for (int k = 1; k <= std::min({n, m, l}); ++k) {
      const auto problem = restore_problem(
          "Cube_FixedLocalMaximumCounting",
          fmt::format(R"({{"MAX_N_M_L": 4, "N": {}, "M": {}, "L": {}, "K": {}}})", n, m, l, k));
      const Rational chance = Rational(ways[k]) / Rational(all);
      EXPECT_EQ(problem->reference(), format_answer(rational_residue(chance, kPrime)));
    }
    EXPECT_EQ(ways[0], 0);
    EXPECT_EQ(ways.back(), 0);
  }
}

// Some cell always dominates.
TEST(Cube_FixedLocalMaximumCounting, GivesProbabilitiesThatAddUpToOne) {
  for (const auto& [n, m, l] : kLarge) {
    std::int64_t sum = 0;
    for (int k = 1; k <= std::min({n, m, l}); ++k) {
      const auto problem = restore_problem(
          "Cube_FixedLocalMaximumCounting",
          fmt::format(R"({{"MAX_N_M_L": 4, "N": {}, "M": {}, "L": {}, "K": {}}})", n, m, l, k));
      sum = (sum + parse_int64(problem->reference()).value()) % kPrime;
    }
    EXPECT_EQ(sum, 1);
  }
}

TEST(Cube_FixedLocalMaximumCounting, PaysLessOutOfRange) {
  const auto problem = restore_problem("Cube_FixedLocalMaximumCounting",
                                       R"({"MAX_N_M_L": 3, "N": 2, "M": 2, "L": 2, "K": 2})");
  const std::int64_t right = parse_int64(problem->reference()).value();
  EXPECT_EQ(right * 7 % kPrime, 1);
  EXPECT_EQ(problem->score(format_answer(right + 1)).reward, 0.0);
  EXPECT_EQ(problem->score(format_answer(right + kPrime)).reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
