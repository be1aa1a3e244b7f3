#include "redqueen/base/base64.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

TEST(Base64, IsWhatTheStandardSays) {
  // RFC 4648, section 10.
  const std::vector<std::pair<std::string, std::string>> known{{"", ""},
                                                               {"f", "Zg=="},
                                                               {"fo", "Zm8="},
                                                               {"foo", "Zm9v"},
                                                               {"foob", "Zm9vYg=="},
                                                               {"fooba", "Zm9vYmE="},
                                                               {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : known) {
    EXPECT_EQ(base64(bytes, Base64::kPadded), text);
    EXPECT_EQ(from_base64(text, Base64::kPadded), bytes);
  }
  EXPECT_EQ(base64("\xfb\xff", Base64::kUrl), "-_8");
  for (const char* text : {"A", "A===", "AB!=", "AB", "Zh"})
    EXPECT_EQ(from_base64(text, Base64::kUrl), std::nullopt) << text;
  Rng rng({.purpose = hash_name("base64")});
  for (int i = 0; i < 1000; ++i) {
    std::string bytes;
    for (int k = static_cast<int>(rng.integer(0, 20)); k > 0; --k)
      bytes += static_cast<char>(rng.integer(0, 255));
    EXPECT_EQ(from_base64(base64(bytes, Base64::kUrl), Base64::kUrl), bytes);
  }
}

}  // namespace
}  // namespace redqueen
