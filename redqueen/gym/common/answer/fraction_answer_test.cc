#include "redqueen/gym/common/answer/fraction_answer.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

TEST(FractionAnswer, ReadsOneSlashBetweenTwoIntegers) {
  EXPECT_EQ(parse_fraction(" 10 / 7\n"), (FractionAnswer{10, 7}));
  EXPECT_EQ(parse_fraction("-3/-2"), (FractionAnswer{-3, -2}));
  EXPECT_EQ(parse_fraction("4/0"), (FractionAnswer{4, 0}));
  for (const char* bad : {"", "/", "3", "3/", "/3", "1/2/3", "1.5/2", "1 2/3", "a/b", "1//2"}) {
    EXPECT_FALSE(parse_fraction(bad).has_value()) << bad;
  }
}

TEST(FractionAnswer, WritesWhatItReads) {
  const BigInt large = BigInt(1) << 200;
  const FractionAnswer fraction = reduced_fraction(large * 3, large * 12);
  EXPECT_EQ(fraction, (FractionAnswer{1, 4}));
  const FractionAnswer long_one{large + 1, large};
  EXPECT_EQ(parse_fraction(format_fraction(long_one)), long_one);
}

}  // namespace
}  // namespace redqueen
