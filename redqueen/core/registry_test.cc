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

struct Earlier : HiddenNumber {
  static constexpr Card card{.name = "Earlier",
                             .family = Family::kWorlds,
                             .answer = AnswerKind::kTurns,
                             .scoring = Scoring::kExact,
                             .task = "",
                             .levels = "",
                             .rewards = "",
                             .max_level = 20};
};

TEST(Registry, FindsNamesAsTheyAreWrittenAndListsThemInOrder) {
  Registry registry;
  ASSERT_TRUE(registry.add(std::make_shared<const NativeEnvironment<HiddenNumber>>()));
  ASSERT_TRUE(registry.add(std::make_shared<const NativeEnvironment<Earlier>>()));
  ASSERT_EQ(registry.all().size(), 2u);
  EXPECT_EQ(registry.all()[0]->name(), "Earlier");
  EXPECT_EQ(registry.find("HiddenNumber"), registry.all()[1]);
  for (const char* none : {"", "Aardvark", "Early", "Hidden", "HiddenNumberX", "hiddenNumber"})
    EXPECT_EQ(registry.find(none), nullptr) << none;
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
