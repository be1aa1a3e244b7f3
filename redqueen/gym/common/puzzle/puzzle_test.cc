#include <gtest/gtest.h>

#include <map>
#include <set>

#include "redqueen/gym/common/puzzle/counted_grid.h"
#include "redqueen/gym/common/puzzle/latin_square.h"
#include "redqueen/gym/common/puzzle/skyscrapers.h"

namespace redqueen {
namespace {

Rng test_rng(std::uint64_t index) {
  return Rng({.seed = 1, .purpose = hash_name("puzzle"), .step = 0, .index = index, .salt = 0});
}

bool holds_each_number_once_by_line(const NumberGrid& grid) {
  for (std::size_t i = 0; i < grid.size(); ++i) {
    std::set<std::int64_t> row(grid[i].begin(), grid[i].end());
    std::set<std::int64_t> column;
    for (const auto& other : grid) column.insert(other[i]);
    for (const auto& line : {row, column}) {
      if (line.size() != grid.size() || *line.begin() != 0 ||
          *line.rbegin() != std::ssize(grid) - 1) {
        return false;
      }
    }
  }
  return true;
}

TEST(LatinSquare, IsOneOfAnySize) {
  for (const int n : {1, 2, 3, 4, 5, 8, 13, 30}) {
    Rng rng = test_rng(static_cast<std::uint64_t>(n));
    for (const NumberGrid& grid : {random_latin_square(n, rng), random_cyclic_square(n, rng)}) {
      ASSERT_EQ(std::ssize(grid), n);
      EXPECT_TRUE(holds_each_number_once_by_line(grid));
      EXPECT_TRUE(is_latin_square(grid));
    }
  }
}

// There are 576 squares of order 4.
TEST(LatinSquare, ReachesAllSquaresAboutEquallyOften) {
  Rng rng = test_rng(0);
  std::map<NumberGrid, int> count;
  constexpr int kDraws = 57'600;
  for (int i = 0; i < kDraws; ++i) ++count[random_latin_square(4, rng)];
  EXPECT_EQ(count.size(), 576u);
  for (const auto& [grid, times] : count) {
    EXPECT_GT(times, 50);
    EXPECT_LT(times, 170);
  }
}

TEST(LatinSquare, IsNotMistakenForAnother) {
  EXPECT_FALSE(is_latin_square({{0, 1}, {0, 1}}));
  EXPECT_FALSE(is_latin_square({{0, 0}, {1, 1}}));
  EXPECT_FALSE(is_latin_square({{1, 2}, {2, 1}}));
  EXPECT_FALSE(is_latin_square({{0, kHugePositive}, {kHugeNegative, 0}}));
  EXPECT_FALSE(is_latin_square({{0, 1}, {1}}));
}

TEST(Holes, AreEmptiedAndFilled) {
  Rng rng = test_rng(1);
  NumberGrid grid{{3, 1, 2}, {5, 4, 6}};
  const NumberGrid full = grid;
  empty_cells(grid, -1, 0.5, rng);
  EXPECT_EQ(count_holes(grid, -1), 3);
  EXPECT_TRUE(keeps_given(grid, -1, full));
  EXPECT_TRUE(holds_each_once(full, 1));
  EXPECT_FALSE(holds_each_once(full, 0));
  EXPECT_FALSE(holds_each_once(grid, 1));
  const std::vector<std::int64_t> missing = missing_numbers(grid, 1);
  EXPECT_EQ(missing.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(missing));
  const NumberGrid filled = filled_in_order(grid, -1, missing);
  EXPECT_TRUE(holds_each_once(filled, 1));
  EXPECT_TRUE(keeps_given(grid, -1, filled));
  EXPECT_FALSE(keeps_given(full, -1, NumberGrid{{3, 1, 2}, {5, 4, 7}}));
  EXPECT_EQ(share_of(5, 0.1), 1u);
  EXPECT_EQ(share_of(25, 0.9), 22u);
}

TEST(LineSums, CountAndWeighOnes) {
  const TextGrid grid{"101", "*10"};
  EXPECT_EQ(line_counts(grid), (LineSums{{2, 1}, {1, 1, 1}}));
  const LineSums sums = line_sums(grid, [](std::size_t i) { return static_cast<int>(i) + 1; });
  EXPECT_EQ(sums, (LineSums{{4, 2}, {1, 2, 1}}));
  EXPECT_EQ(sums.matches({{4, 3}, {1, 2, 2}}), 3);
  EXPECT_EQ(sums.lines(), 5);
}

TEST(Skyscrapers, SeeWhatIsHigherThanAllBefore) {
  const NumberGrid grid{{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};
  const Skyscrapers counts = skyscrapers_of(grid, [](std::int64_t) { return 1; });
  EXPECT_EQ(counts.left, (std::vector<std::int64_t>{3, 1, 2}));
  EXPECT_EQ(counts.right, (std::vector<std::int64_t>{1, 2, 2}));
  EXPECT_EQ(counts.top, (std::vector<std::int64_t>{2, 2, 1}));
  EXPECT_EQ(counts.bottom, (std::vector<std::int64_t>{2, 1, 3}));
  const Skyscrapers sums = skyscrapers_of(grid, [](std::int64_t height) { return height; });
  EXPECT_EQ(sums.left, (std::vector<std::int64_t>{3, 2, 3}));
  EXPECT_EQ(sums.bottom, (std::vector<std::int64_t>{3, 2, 3}));
}

}  // namespace
}  // namespace redqueen
