#include "redqueen/base/file_queries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "redqueen/base/testing/folder.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(FileQueries, SayWhatIsThere) {
  const TestFolder folder;
  write_file(folder / "file", "four");
  fs::create_directory(folder / "inner");
  fs::create_symlink("file", folder / "link");
  fs::create_symlink("nowhere", folder / "dangling");
  EXPECT_TRUE(is_there(folder / "file") && is_file(folder / "file") && !is_folder(folder / "file"));
  EXPECT_TRUE(is_there(folder / "inner") && is_folder(folder / "inner"));
  EXPECT_FALSE(is_file(folder / "inner"));
  EXPECT_TRUE(is_file(folder / "link"));
  EXPECT_FALSE(is_there(folder / "dangling"));
  EXPECT_EQ(size_of_file(folder / "file"), 4u);
  EXPECT_EQ(size_of_file(folder / "inner"), std::nullopt);
  EXPECT_EQ(size_of_file(folder / "none"), std::nullopt);
  EXPECT_FALSE(is_file("/dev/null"));
}

TEST(FileQueries, ANameThatNoFileCanHaveLeadsToNothing) {
  const TestFolder folder;
  write_file(folder / "file", "");
  const fs::path long_name = folder / std::string(300, 'x');
  const fs::path cut_name = folder / std::string("file\0more", 9);
  const fs::path below_a_file = folder / "file/inner";
  for (const fs::path& path : {long_name, below_a_file, fs::path()}) {
    EXPECT_FALSE(is_there(path) || is_folder(path) || is_file(path)) << path;
    EXPECT_EQ(size_of_file(path), std::nullopt);
    EXPECT_FALSE(list_folder(path));
  }
  EXPECT_FALSE(is_there(cut_name) || is_file(cut_name)) << "the system would see \"file\"";
  EXPECT_EQ(make_folders(long_name / "deep").error().kind, ErrorKind::kUsage);
  EXPECT_THAT(make_folders(long_name).error().message, HasSubstr("File name too long"));
  EXPECT_FALSE(make_folders(below_a_file));
}

TEST(FileQueries, ListsAFolderInOrder) {
  const TestFolder folder;
  for (const char* name : {"b", "a", "c"}) write_file(folder / name, "");
  EXPECT_THAT(list_folder(folder.path()).value(),
              ElementsAre(folder / "a", folder / "b", folder / "c"));
  EXPECT_TRUE(make_folders(folder / "d/e"));
  EXPECT_TRUE(make_folders(folder / "d/e/")) << "it is there already";
  EXPECT_TRUE(make_folders(""));
  EXPECT_TRUE(list_folder(folder / "d/e").value().empty());
  const auto none = list_folder(folder / "none");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr((folder / "none").string()));
}

TEST(FileQueries, MakesPathsAbsolute) {
  EXPECT_EQ(absolute_path("a/b"), fs::current_path() / "a/b");
  EXPECT_EQ(absolute_path("/a"), "/a");
  EXPECT_EQ(absolute_path(""), "");
}

TEST(FileQueries, ErrorsTellAPathFromAMachine) {
  EXPECT_EQ(path_error("x", "cannot be written", ENAMETOOLONG).value().kind, ErrorKind::kUsage);
  EXPECT_EQ(path_error("x", "cannot be written", EACCES).value().kind, ErrorKind::kUsage);
  EXPECT_EQ(path_error("x", "cannot be written", ENOSPC).value().kind, ErrorKind::kFailure);
  EXPECT_EQ(path_error("x", "cannot be written", EIO).value().message,
            "x: cannot be written (Input/output error)");
}

}  // namespace
}  // namespace redqueen
