#include "redqueen/core/ascii.h"

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
  }
}

TEST(Ascii, LeavesWhatIsNoLetterOfIt) {
  EXPECT_EQ(ascii_lower("ÄB_Ñc 9"), "Äb_Ñc 9");
  EXPECT_EQ(ascii_lower(""), "");
}

}  // namespace
}  // namespace redqueen
