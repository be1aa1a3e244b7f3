#include "redqueen/gym/common/parameter/within.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

TEST(Within, NamesTheKey) {
  EXPECT_TRUE(within("N", 3, 3, 3).has_value());
  const Status status = within("N", 4, 1, 3);
  ASSERT_FALSE(status.has_value());
  EXPECT_NE(status.error().message.find("\"N\""), std::string::npos);
}

}  // namespace
}  // namespace redqueen
