#include "redqueen/run/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "redqueen/base/rng.h"

namespace redqueen::run {
namespace {

using testing::HasSubstr;

// nlohmann's own check of UTF-8.
bool is_utf8(const std::string& text) {
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

TEST(Html, AnyBytesBecomeReadable) {
  for (std::uint64_t i = 0; i < 5000; ++i) {
    Rng rng({.seed = 6, .index = i});
    std::string bytes;
    for (std::int64_t left = rng.integer(0, 30); left > 0; --left) {
      // Mostly what begins or continues a sequence.
      bytes += static_cast<char>(rng.chance(0.7) ? rng.integer(0x80, 0xFF) : rng.integer(0, 0x7F));
    }
    const std::string text = readable_utf8(bytes);
    ASSERT_TRUE(is_utf8(text));
    ASSERT_EQ(readable_utf8(text), text);
    const bool has_controls =
        std::ranges::any_of(bytes, [](unsigned char c) { return c < 0x20 || c == 0x7F; }) ||
        text.find("\uFFFD") != std::string::npos;
    if (is_utf8(bytes) && !has_controls) {
      ASSERT_EQ(text, bytes);
    }
  }
  EXPECT_EQ(readable_utf8("a\r\nb\tc"), "a\nb\tc");
  EXPECT_EQ(readable_utf8(std::string("\0\x1b\x7f", 3)), "␀␛␡");
  EXPECT_EQ(readable_utf8("a\u009b31mb\u202ec\u2069 \u00a0\u2028"), "a�31mb�c� \u00a0\u2028");
}

TEST(Html, EscapedTextHoldsNoMarkup) {
  EXPECT_EQ(html_escape("<a href='x'>\"&amp;"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;amp;");
}

TEST(Html, ShorteningCountsCharacters) {
  EXPECT_EQ(cut_to_characters("äöü", 3), "äöü");
  EXPECT_THAT(cut_to_characters("äöüß€", 3), HasSubstr("äöü\n… (2 more"));
  EXPECT_EQ(cut_to_characters("", 0), "");
}

}  // namespace
}  // namespace redqueen::run
