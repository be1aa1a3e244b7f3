#include "redqueen/base/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/testing/folder.h"

namespace redqueen {
namespace {

using ::testing::HasSubstr;

TEST(TextFile, ReadsEveryByte) {
  const TestFolder folder;
  const std::string bytes("a\r\n\0\xFF\n", 6);
  write_file(folder / "some", bytes);
  write_file(folder / "none", "");
  EXPECT_EQ(*read_text_file(folder / "some"), bytes);
  EXPECT_EQ(*read_text_file(folder / "none"), "");
}

TEST(TextFile, SaysWhatCannotBeRead) {
  const TestFolder folder;
  EXPECT_THAT(read_text_file(folder / "gone").error().message,
              HasSubstr("gone: cannot be read (No such file or directory)"));
  EXPECT_THAT(read_text_file(folder.path()).error().message, HasSubstr("this is a folder"));
  write_file(folder / "cut", "");
  EXPECT_THAT(read_text_file(folder / std::string_view("cut\0more", 8)).error().message,
              HasSubstr("NUL"));
  EXPECT_EQ(read_text_file(folder / "gone").error().kind, ErrorKind::kFailure);
  EXPECT_EQ(read_text_file(folder / "gone", ErrorKind::kUsage).error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace redqueen
