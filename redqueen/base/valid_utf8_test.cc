#include "redqueen/base/valid_utf8.h"

#include <gtest/gtest.h>

#include "redqueen/base/json.h"

namespace redqueen {
namespace {

bool library_takes(const std::string& text) {
  try {
    return !Json(text).dump().empty();
  } catch (const Json::exception&) {
    return false;
  }
}

// The library for JSON refuses to write what is no UTF-8.
TEST(ValidUtf8, KeepsWhatTheJsonLibraryTakesAndNothingElse) {
  for (int first = 0x70; first < 0x100; ++first) {
    for (int second = 0; second < 0x100; ++second) {
      for (const std::string_view rest : {"", "\x80", "\xBF\x80", "\x80\xBF"}) {
        std::string text{static_cast<char>(first), static_cast<char>(second)};
        text += rest;
        const std::string valid = valid_utf8(text);
        EXPECT_EQ(valid == text, library_takes(text)) << first << " " << second;
        EXPECT_TRUE(library_takes(valid));
      }
    }
  }
}

TEST(ValidUtf8, PutsAReplacementCharacterForEveryByteThatIsNone) {
  EXPECT_EQ(valid_utf8("a\xFF\xC3\xA9\xE2\x82z"), "a\uFFFD\u00E9\uFFFD\uFFFDz");
  EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "beyond U+10FFFF";
}

}  // namespace
}  // namespace redqueen
