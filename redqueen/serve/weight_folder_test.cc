#include "redqueen/serve/weight_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/testing/folder.h"

namespace redqueen::serve {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(WeightFolder, IsTheRootOrBelowIt) {
  const TestFolder place;
  const fs::path root = fs::canonical(place.path()) / "run";
  fs::create_directories(root / "engine");
  fs::create_directories(place / "other");
  fs::create_directories(place / "run-of-others");
  fs::create_symlink(place / "other", root / "out");
  fs::create_symlink(root, place / "in");
  for (const fs::path& given : {root, root / "", place.path() / "in"}) {
    EXPECT_EQ(folder_within(given, root).value(), root) << given;
    EXPECT_EQ(folder_within(given, root / "engine" / ".." / "engine").value(), root / "engine");
    EXPECT_EQ(folder_within(given, place.path() / "in" / "later").value(), root / "later");
    for (const fs::path& wrong :
         {root / "out", root / "..", root / "engine" / ".." / ".." / "other", place / "other",
          place / "run-of-others", place.path(), fs::path("/"), fs::path("engine"), fs::path(""),
          root / std::string("engine\0/..", 10)}) {
      const auto refused = folder_within(given, wrong);
      ASSERT_FALSE(refused) << wrong;
      EXPECT_THAT(refused.error().message, HasSubstr(root.string() + " alone"));
    }
  }
}

}  // namespace
}  // namespace redqueen::serve
