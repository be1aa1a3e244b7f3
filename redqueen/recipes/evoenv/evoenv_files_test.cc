#include "redqueen/recipes/evoenv/evoenv_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/testing/folder.h"

namespace redqueen::evoenv {
namespace {

TEST(ReadSeeds, TakesTheEnvironmentsThatAreNotTooLong) {
  const TestFolder folder;
  write_file(folder / "short.py", std::string(3, '#'));
  write_file(folder / "exact.py", std::string(10, '#'));
  write_file(folder / "long.py", std::string(11, '#'));
  write_file(folder / "notes.txt", "#");
  const auto seeds = read_seeds(folder.path(), 10);
  ASSERT_TRUE(seeds) << seeds.error().message;
  EXPECT_THAT(*seeds, testing::ElementsAre(testing::Pair("exact", "##########"),
                                           testing::Pair("short", "###")));
  const auto none = read_seeds(folder.path(), 2);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(none.error().message, testing::HasSubstr("of at most 2 characters"));
}

}  // namespace
}  // namespace redqueen::evoenv
