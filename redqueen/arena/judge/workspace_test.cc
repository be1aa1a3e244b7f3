// The judge's hand in a workspace, against an agent that puts links, special files and other
// folders in its way.
#include "redqueen/arena/judge/workspace.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <thread>

#include "redqueen/base/testing/folder.h"

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

// Both ways of walking a path must hold.
class WorkspaceTest : public testing::TestWithParam<PathWalk> {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "work/feedback");
    fs::create_directories(folder_ / "outside/submit_000");
    write_file(folder_ / "outside/submit_000/precious.txt", "precious");
    write_file(folder_ / "outside/file", "precious");
    workspace_.emplace(Workspace::open(folder_ / "work", GetParam()).value());
  }
  // What the judge must leave as it is.
  void expect_outside_untouched() {
    EXPECT_EQ(read_file(folder_ / "outside/submit_000/precious.txt"), "precious");
    EXPECT_EQ(read_file(folder_ / "outside/file"), "precious");
    int entries = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "outside")) {
      entries += entry.exists() ? 1 : 0;
    }
    EXPECT_EQ(entries, 3);
  }
  fs::path draft() {
    const fs::path path = folder_ / "draft";
    fs::create_directories(path / "episodes");
    write_file(path / "summary.json", "{}");
    return path;
  }
  fs::path work(const std::string& path) const { return folder_ / "work" / path; }

  TestFolder folder_;
  std::optional<Workspace> workspace_;
};

TEST_P(WorkspaceTest, PutsFilesAndFoldersInTheirPlace) {
  ASSERT_TRUE(workspace_->write("AGENTS.md", "rules"));
  ASSERT_TRUE(workspace_->write("AGENTS.md", "other rules"));
  ASSERT_TRUE(workspace_->write("system/deep/policy.py", "x = 1"));
  EXPECT_EQ(workspace_->read("AGENTS.md", 100).value(), "other rules");
  EXPECT_FALSE(workspace_->read("AGENTS.md", 3));
  EXPECT_FALSE(workspace_->read("system", 100));
  ASSERT_TRUE(workspace_->move_in(draft(), "feedback/submit_000"));
  EXPECT_FALSE(fs::exists(folder_ / "draft"));
  EXPECT_TRUE(workspace_->is_file("feedback/submit_000/summary.json"));
  EXPECT_FALSE(workspace_->is_file("feedback/submit_000/episodes"));
  EXPECT_THAT(workspace_->files(100), ElementsAre("AGENTS.md", "feedback/submit_000/summary.json",
                                                  "system/deep/policy.py"));
  EXPECT_EQ(workspace_->files(2).size(), 2U);
  EXPECT_THAT(workspace_->names_in("feedback/submit_000"), ElementsAre("episodes", "summary.json"));
}

TEST_P(WorkspaceTest, TakesNoPathThatLeadsOut) {
  for (const std::string path :
       {"", "/etc/passwd", "../outside/file", "feedback/../../outside/file", ".", "feedback/./x",
        "feedback//x", "feedback/"}) {
    EXPECT_FALSE(workspace_->read(path, 100)) << path;
    EXPECT_FALSE(workspace_->write(path, "mine")) << path;
    EXPECT_FALSE(workspace_->move_in(draft(), path)) << path;
    EXPECT_FALSE(workspace_->is_file(path)) << path;
  }
  expect_outside_untouched();
}

// "rm -r feedback; ln -s /some/folder feedback"
TEST_P(WorkspaceTest, ReplacesALinkInsteadOfFollowingIt) {
  fs::remove_all(work("feedback"));
  fs::create_directory_symlink(folder_ / "outside", work("feedback"));
  EXPECT_FALSE(workspace_->is_file("feedback/file"));
  EXPECT_FALSE(workspace_->read("feedback/file", 100));
  EXPECT_TRUE(workspace_->names_in("feedback").empty());
  ASSERT_TRUE(workspace_->move_in(draft(), "feedback/submit_000"));
  EXPECT_FALSE(fs::is_symlink(work("feedback")));
  EXPECT_EQ(read_file(work("feedback/submit_000/summary.json")), "{}");
  expect_outside_untouched();
  fs::remove_all(work("feedback/submit_000"));
  fs::create_directory_symlink(folder_ / "outside/submit_000", work("feedback/submit_000"));
  ASSERT_TRUE(workspace_->write("feedback/submit_000/summary.json", "{}"));
  fs::remove_all(work("feedback/submit_000"));
  fs::create_directory_symlink(folder_ / "outside/submit_000", work("feedback/submit_000"));
  ASSERT_TRUE(workspace_->move_in(draft(), "feedback/submit_000"));
  expect_outside_untouched();
}

// "ln -s FILE AGENTS.md.draft", and every other name that the judge writes first.
TEST_P(WorkspaceTest, WritesThroughNoLinkThatLiesInWait) {
  for (const char* name : {"AGENTS.md", ".AGENTS.md.draft", "AGENTS.md.draft"}) {
    fs::remove(work(name));
    fs::create_symlink(folder_ / "outside/file", work(name));
    ASSERT_TRUE(workspace_->write("AGENTS.md", "rules")) << name;
    EXPECT_EQ(read_file(work("AGENTS.md")), "rules");
    fs::remove(work(name));
    fs::create_hard_link(folder_ / "outside/file", work(name));
    ASSERT_TRUE(workspace_->write("AGENTS.md", "rules")) << name;
    EXPECT_EQ(read_file(work("AGENTS.md")), "rules");
    fs::remove(work(name));
    fs::create_symlink(folder_ / "outside/new", work(name));
    ASSERT_TRUE(workspace_->write("AGENTS.md", "rules")) << name;
  }
  expect_outside_untouched();
}

TEST_P(WorkspaceTest, IsNotHeldUpByWhatIsNoFile) {
  ASSERT_EQ(mkfifo(work("AGENTS.md").c_str(), 0600), 0);
  EXPECT_FALSE(workspace_->read("AGENTS.md", 100));
  EXPECT_FALSE(workspace_->is_file("AGENTS.md"));
  EXPECT_TRUE(workspace_->files(10).empty());
  ASSERT_EQ(mkfifo(work(".AGENTS.md.draft").c_str(), 0600), 0);
  EXPECT_TRUE(workspace_->write("AGENTS.md", "rules"));
  fs::remove_all(work("feedback"));
  ASSERT_EQ(mkfifo(work("feedback").c_str(), 0600), 0);
  EXPECT_TRUE(workspace_->make_folder("feedback"));
  fs::remove_all(work("feedback"));
  write_file(work("feedback"), "a file");
  EXPECT_TRUE(workspace_->move_in(draft(), "feedback/submit_000"));
  EXPECT_TRUE(fs::is_directory(work("feedback/submit_000")));
  fs::remove(work("AGENTS.md"));
  fs::create_directories(work("AGENTS.md/with/content"));
  EXPECT_TRUE(workspace_->write("AGENTS.md", "rules"));
  EXPECT_EQ(read_file(work("AGENTS.md")), "rules");
}

// A tree that is deeper than the judge descends is moved aside.
TEST_P(WorkspaceTest, MovesAsideWhatItCannotRemove) {
  int at = open(work("feedback").c_str(), O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < 400; ++i) {
    mkdirat(at, "d", 0700);
    const int next = openat(at, "d", O_RDONLY | O_DIRECTORY);
    close(at);
    at = next;
  }
  close(at);
  fs::rename(work("feedback/d"), work("feedback/submit_000"));
  ASSERT_TRUE(workspace_->move_in(draft(), "feedback/submit_000"));
  EXPECT_TRUE(workspace_->is_file("feedback/submit_000/summary.json"));
  EXPECT_TRUE(fs::exists(work("feedback/.former-0")));
}

// While the judge publishes, an agent swaps the folder for links to what it wants destroyed, and
// back. Whatever comes of the judge's attempts, nothing outside may change.
TEST_P(WorkspaceTest, LosesNoRaceAgainstLinksThatAreSwapped) {
  fs::create_directory_symlink(folder_ / "outside", work("link"));
  fs::create_symlink(folder_ / "outside/file", work("file_link"));
  std::atomic<bool> stop = false;
  std::atomic<int> swaps = 0;
  std::thread agent([&] {
    const std::string feedback = work("feedback").string();
    const std::string other = work("link").string();
    const std::string inner = work("feedback/submit_000").string();
    while (!stop) {
      // RENAME_EXCHANGE: there is always something at the name.
      renameat2(AT_FDCWD, feedback.c_str(), AT_FDCWD, other.c_str(), 2);
      renameat2(AT_FDCWD, feedback.c_str(), AT_FDCWD, other.c_str(), 2);
      unlink(inner.c_str());
      (void)!symlink((folder_ / "outside/submit_000").c_str(), inner.c_str());
      const std::string draft = work(".AGENTS.md.draft").string();
      unlink(draft.c_str());
      const std::string target = (folder_ / "outside/file").string();
      (void)!(swaps % 2 == 0 ? symlink(target.c_str(), draft.c_str())
                             : ::link(target.c_str(), draft.c_str()));
      (void)!symlink((folder_ / "outside").c_str(), other.c_str());
      ++swaps;
    }
  });
  for (int i = 0; i < 400; ++i) {
    (void)workspace_->move_in(draft(), "feedback/submit_000");
    (void)workspace_->write("feedback/submit_000/summary.json", "changed");
    (void)workspace_->write("AGENTS.md", "changed");
    (void)workspace_->make_folder("feedback/submit_000/episodes");
    const auto text = workspace_->read("feedback/file", 100);
    EXPECT_FALSE(text.has_value()) << *text;
  }
  stop = true;
  agent.join();
  EXPECT_GT(swaps, 10);
  expect_outside_untouched();
}

INSTANTIATE_TEST_SUITE_P(Walks, WorkspaceTest,
                         testing::Values(PathWalk::kKernel, PathWalk::kStepByStep));

}  // namespace
}  // namespace redqueen::arena
