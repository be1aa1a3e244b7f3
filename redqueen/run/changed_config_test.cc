#include "redqueen/run/changed_config.h"

#include <gtest/gtest.h>

#include "redqueen/base/testing/folder.h"

namespace redqueen::run {
namespace {

TEST(ChangeConfig, KeepsTheOneBefore) {
  const TestFolder run;
  write_file(run / "config.toml", "x = 1\n");
  EXPECT_EQ(change_config(run.path(), "x = 1\n", 3).value(), "") << "nothing has changed";
  EXPECT_EQ(change_config(run.path(), "x = 2\n", 0).value(), run / "config-until-step-0.toml");
  EXPECT_EQ(change_config(run.path(), "x = 3\n", 7).value(), run / "config-until-step-7.toml");
  EXPECT_EQ(change_config(run.path(), "x = 4\n", 7).value(), run / "config-until-step-7-2.toml");
  EXPECT_EQ(read_file(run / "config.toml"), "x = 4\n");
  EXPECT_EQ(read_file(run / "config-until-step-0.toml"), "x = 1\n");
  EXPECT_EQ(read_file(run / "config-until-step-7.toml"), "x = 2\n");
  EXPECT_EQ(read_file(run / "config-until-step-7-2.toml"), "x = 3\n");
  EXPECT_FALSE(std::filesystem::exists(run / "config.toml.next"));
  EXPECT_FALSE(change_config(run / "no/such/run", "x = 1\n", 0));
}

}  // namespace
}  // namespace redqueen::run
