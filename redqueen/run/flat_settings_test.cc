#include "redqueen/run/flat_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"

namespace redqueen::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(FlatSettings, NamesEveryValueByItsPath) {
  const auto settings = flat_settings(
      "# a comment\n[run]\nsteps = 10\n[a.b]\nlist = [1, 0.0003]\ntext = \"x\"\n", "file");
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_THAT(*settings, ElementsAre(Pair("a.b.list", "[1, 0.0003]"), Pair("a.b.text", "\"x\""),
                                     Pair("run.steps", "10")));
  EXPECT_EQ(setting(*settings, "run.steps"), "10");
  EXPECT_EQ(setting(*settings, "run"), "");
}

TEST(FlatSettings, BearsAnyBytes) {
  EXPECT_THAT(flat_settings("a = ", "file").error().message, HasSubstr("file:1"));
  Rng rng({.seed = 5});
  const std::string toml = "[run]\nsteps = 10\nlist = [1, 2.5, \"x\"]\n";
  std::size_t read = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = toml;
    for (int i = 0; i < 2; ++i) {
      const auto at =
          static_cast<std::size_t>(rng.integer(0, static_cast<std::int64_t>(text.size()) - 1));
      text[at] = static_cast<char>(rng.integer(0, 255));
    }
    read += flat_settings(text, "file").has_value() ? 1 : 0;
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, 2000);
}

}  // namespace
}  // namespace redqueen::run
