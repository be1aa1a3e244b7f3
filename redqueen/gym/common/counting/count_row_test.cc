#include "redqueen/gym/common/counting/count_row.h"

#include <gtest/gtest.h>

#include "redqueen/gym/common/number/binomial.h"

namespace redqueen {
namespace {

// Items of weight 1, each used or not: Pascal's triangle.
TEST(CountRow, CountsChoicesOfAnyWidth) {
  for (const int items : {10, 63, 64, 65, 127, 200, 400}) {
    CountRow row(items + 1, items + 1);
    row.set_one(0);
    for (int i = 1; i <= items; ++i) row.add_shifted_once(1, 1, i, i + 1);
    for (int k = 0; k <= items; k += 7) EXPECT_EQ(row[k], binomial(items, k)) << items;
  }
}

// One item of each of `kinds` kinds of weight 1, used any number of times: multisets.
TEST(CountRow, CountsRepeatedChoicesOfAnyWidth) {
  constexpr int kSize = 150;
  for (const int kinds : {2, 30, 90, 150}) {
    const int bits = kinds + kSize;
    CountRow row(kSize + 1, bits);
    row.set_one(0);
    for (int i = 0; i < kinds; ++i) row.add_shifted_repeatedly(1, 1, kSize, bits);
    EXPECT_EQ(row[kSize], binomial(kSize + kinds - 1, kSize));
  }
}

TEST(CountRow, LeavesPlacesOutOfItsRangeAlone) {
  CountRow row(10, 64);
  row.set_one(3);
  row.add_shifted_once(2, 5, 8, 64);
  row.add_shifted_once(2, 6, 8, 64);
  for (int place = 0; place < 10; ++place) {
    EXPECT_EQ(row[place], place == 3 || place == 5 || place == 7 ? 1 : 0) << place;
  }
}

// With all of a row of Pascal's triangle at place n and weights of another row: Vandermonde's sum.
TEST(CountRow, ConvolvesWithWeights) {
  for (const int items : {5, 63, 64, 130}) {
    CountRow row(items + 1, items + 1);
    row.set_one(0);
    for (int i = 1; i <= items; ++i) row.add_shifted_once(1, 1, i, i + 1);
    constexpr int kOthers = 66;
    std::vector<std::uint64_t> weights;
    for (int k = 0; k <= items; ++k) {
      weights.push_back(k > kOthers ? 0 : static_cast<std::uint64_t>(binomial(kOthers, k)));
    }
    for (int place = 0; place <= items; place += 5) {
      EXPECT_EQ(row.convolved_at(place, weights), binomial(items + kOthers, place)) << items;
    }
  }
}

TEST(CountRow, ConvolvesWithTheGreatestWeights) {
  constexpr int kSize = 150;
  CountRow row(kSize, 2 * kSize);
  row.set_one(0);
  for (int i = 0; i < kSize; ++i) row.add_shifted_repeatedly(1, 1, kSize - 1, 2 * kSize);
  const std::vector<std::uint64_t> weights(kSize, ~std::uint64_t{0});
  BigInt expected = 0;
  for (int place = 0; place < kSize; ++place) expected += row[place] * weights[place];
  EXPECT_EQ(row.convolved_at(kSize - 1, weights), expected);
}

}  // namespace
}  // namespace redqueen
