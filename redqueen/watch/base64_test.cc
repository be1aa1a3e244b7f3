#include "redqueen/watch/base64.h"

#include <gtest/gtest.h>

namespace redqueen::watch {
namespace {

// RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xFF\xEF\xBE"), "/+++");
}

}  // namespace
}  // namespace redqueen::watch
