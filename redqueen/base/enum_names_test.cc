#include "redqueen/base/enum_names.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

enum class Colour { kRed, kGreen, kBlue };
constexpr auto kColours = enum_names<Colour>({{"red", Colour::kRed}, {"green", Colour::kGreen}});
static_assert(kColours.find("green") == Colour::kGreen && kColours.name(Colour::kRed) == "red");

TEST(EnumNames, FindsValuesAndNames) {
  EXPECT_EQ(kColours.get("colour", "red"), Colour::kRed);
  EXPECT_EQ(kColours.name(Colour::kBlue), "");
  const auto unknown = kColours.get("colour", "gren");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(unknown.error().message,
            "colour \"gren\" does not exist (did you mean green?); expected one of: red, green");
}

}  // namespace
}  // namespace redqueen
