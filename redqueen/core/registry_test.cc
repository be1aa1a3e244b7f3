#include "redqueen/core/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/core/contract.h"
#include "redqueen/core/testing/hidden_number.h"

namespace redqueen {
namespace {

TEST(Registry, RefusesANameThatIsTaken) {
  Registry registry;
  EXPECT_TRUE(registry.add(std::make_shared<const NativeEnvironment<HiddenNumber>>()));
  const Status again = registry.add(std::make_shared<const NativeEnvironment<HiddenNumber>>());
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, testing::HasSubstr("HiddenNumber"));
  EXPECT_EQ(registry.all().size(), 1u);
}

// An environment that fell out of a program unseen would leave curricula and audits.
TEST(RegistryDeathTest, EndsTheProgramIfANativeNameIsTaken) {
  const auto twice = [] {
    for (int i = 0; i < 2; ++i)
      register_native(std::make_unique<const NativeEnvironment<HiddenNumber>>());
  };
  EXPECT_DEATH(twice(), "there are two environments named \"HiddenNumber\"");
}

}  // namespace
}  // namespace redqueen
