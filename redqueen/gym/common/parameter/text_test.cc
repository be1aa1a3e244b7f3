#include "redqueen/gym/common/parameter/text.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

TEST(CheckText, TakesTextsOfTheLengthAndTheAlphabet) {
  EXPECT_TRUE(check_text("S", "0110", 4, "01", "characters 0 or 1").has_value());
  EXPECT_TRUE(check_text("S", "", 0, "01", "characters 0 or 1").has_value());
}

TEST(CheckText, SaysWhatWasExpectedOfOthers) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {"011"sv, "01100"sv, "0120"sv, ""sv, "011\0"sv}) {
    const Status status = check_text("S", text, 4, "01", "characters 0 or 1");
    ASSERT_FALSE(status.has_value()) << text;
    EXPECT_EQ(status.error().message, "\"S\": expected 4 characters 0 or 1");
  }
}

}  // namespace
}  // namespace redqueen
