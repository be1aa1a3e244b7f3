#include "redqueen/base/ascii.h"

#include <gtest/gtest.h>

#include <cctype>
#include <limits>

namespace redqueen {
namespace {

TEST(Ascii, IsWhatTheCLocaleSays) {
  for (int code = std::numeric_limits<char>::min(); code <= std::numeric_limits<char>::max();
       ++code) {
    const char c = static_cast<char>(code);
    const int byte = static_cast<unsigned char>(c);
    EXPECT_EQ(is_ascii_digit(c), std::isdigit(byte) != 0) << code;
    EXPECT_EQ(static_cast<unsigned char>(ascii_lower(c)), std::tolower(byte)) << code;
    EXPECT_EQ(ascii_hex_digit(c) >= 0, std::isxdigit(byte) != 0) << code;
  }
}

TEST(Ascii, KnowsHexadecimalDigitsOfBothCases) {
  for (int value = 0; value < 16; ++value) {
    EXPECT_EQ(ascii_hex_digit("0123456789abcdef"[value]), value);
    EXPECT_EQ(ascii_hex_digit("0123456789ABCDEF"[value]), value);
  }
}

TEST(Ascii, ComparesTextsButForTheirCase) {
  EXPECT_TRUE(same_but_for_case("Content-TYPE", "content-type"));
  EXPECT_TRUE(same_but_for_case("", ""));
  EXPECT_FALSE(same_but_for_case("content-type", "content-typ"));
  EXPECT_FALSE(same_but_for_case("[", "{"));  // as far apart as letters of either case
  EXPECT_FALSE(same_but_for_case("Ä", "ä"));  // no ASCII
}

TEST(Ascii, LeavesWhatIsNoLetterOfIt) {
  EXPECT_EQ(ascii_lower("ÄB_Ñc 9"), "Äb_Ñc 9");
  EXPECT_EQ(ascii_lower(""), "");
}

}  // namespace
}  // namespace redqueen
