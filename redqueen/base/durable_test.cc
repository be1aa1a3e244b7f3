#include "redqueen/base/durable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/own_process.h"
#include "redqueen/base/testing/source_dir.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define REDQUEEN_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REDQUEEN_SANITIZED 1
#endif

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  const auto entries = list_folder(folder);
  for (const fs::path& entry : *entries) names.push_back(entry.filename());
  return names;
}

// Writes a folder with a file and a deeper one.
Status fill(const fs::path& folder, std::string_view content) {
  write_file(folder / "file", content);
  fs::create_directory(folder / "deep");
  write_file(folder / "deep" / "file", content);
  return {};
}

Status replace(const fs::path& folder, std::string_view content,
               Survives survives = Survives::kPowerLoss) {
  return replace_folder(
      folder, [&](const fs::path& draft) { return fill(draft, content); }, survives);
}

// The id of a process that has ended.
pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(Durable, ReplacesFiles) {
  const TestFolder folder;
  for (const Survives survives : {Survives::kPowerLoss, Survives::kProcessDeath}) {
    for (const char* content : {"first", "second", ""}) {
      ASSERT_TRUE(replace_file(folder / "file", content, survives));
      EXPECT_EQ(read_file(folder / "file"), content);
    }
  }
  EXPECT_THAT(names_in(folder.path()), ElementsAre("file"));
  EXPECT_THAT(replace_file(folder / "none/file", "x").error().message, HasSubstr("none/file"));
  EXPECT_FALSE(replace_file(folder.path(), "x")) << "a folder is there";
  EXPECT_EQ(replace_file(folder / std::string(300, 'x'), "x").error().kind, ErrorKind::kUsage);
  EXPECT_THAT(names_in(folder.path()), ElementsAre("file"));
}

TEST(Durable, ALinkIsReplacedAndNotFollowed) {
  const TestFolder folder;
  write_file(folder / "target", "precious");
  fs::create_symlink("target", folder / "link");
  ASSERT_TRUE(replace_file(folder / "link", "new"));
  EXPECT_FALSE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "target"), "precious");

  ASSERT_TRUE(replace(folder / "model", "precious"));
  fs::create_directory_symlink("model", folder / "current");
  ASSERT_TRUE(replace(folder / "current", "new"));
  EXPECT_EQ(read_file(folder / "current/file"), "new");
  EXPECT_EQ(read_file(folder / "model/deep/file"), "precious");
}

TEST(Durable, ReplacesFolders) {
  const TestFolder folder;
  for (const Survives survives : {Survives::kPowerLoss, Survives::kProcessDeath}) {
    for (const char* content : {"first", "second"}) {
      ASSERT_TRUE(replace((folder / "a/b").string() + "/", content, survives));
      EXPECT_EQ(read_file(folder / "a/b/file"), content);
      EXPECT_EQ(read_file(folder / "a/b/deep/file"), content);
    }
  }
  EXPECT_THAT(names_in(folder / "a"), ElementsAre("b"));
}

TEST(Durable, AFailedWriteLeavesTheOldFolder) {
  const TestFolder folder;
  ASSERT_TRUE(replace(folder / "x", "old"));
  const auto fails = [](const fs::path& draft) -> Status {
    (void)fill(draft, "half");
    return failure("no room");
  };
  EXPECT_EQ(replace_folder(folder / "x", fails).error().message, "no room");
  EXPECT_EQ(replace_folder(folder / "y", fails).error().message, "no room");
  const auto throws = [](const fs::path&) -> Status { throw std::runtime_error("fault"); };
  EXPECT_THROW((void)replace_folder(folder / "x", throws), std::runtime_error);
  EXPECT_EQ(read_file(folder / "x/file"), "old");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("x"));
}

TEST(Durable, RefusesWhatIsNoFolderOfItsOwn) {
  const TestFolder folder;
  write_file(folder / "file", "precious");
  for (const char* name : {"file", "file/x", ".", "..", ""}) {
    const fs::path path = *name == '\0' ? fs::path() : folder / name;
    EXPECT_FALSE(replace(path, "x")) << path;
  }
  EXPECT_FALSE(replace(folder / std::string(300, 'x'), "x"));
  EXPECT_EQ(read_file(folder / "file"), "precious");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("file"));
}

TEST(Durable, RemovesFolders) {
  const TestFolder folder;
  ASSERT_TRUE(replace(folder / "x", "x"));
  EXPECT_TRUE(remove_folder(folder / "x"));
  EXPECT_TRUE(remove_folder(folder / "x")) << "it is gone";
  EXPECT_THAT(names_in(folder.path()), IsEmpty());
}

// A reader that runs beside replacements sees one of the contents, whole.
TEST(Durable, ReadersSeeTheOldOneOrTheNewOne) {
  const TestFolder folder;
  ASSERT_TRUE(replace(folder / "x", "aaaa"));
  ASSERT_TRUE(replace_file(folder / "file", "aaaa"));
  std::vector<std::thread> writers;
  for (const char* content : {"aaaa", "bbbb"}) {
    writers.emplace_back([&folder, content] {
      for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(replace(folder / "x", content, Survives::kProcessDeath));
        EXPECT_TRUE(replace_file(folder / "file", content, Survives::kProcessDeath));
      }
    });
  }
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(is_folder(folder / "x"));
    const std::string seen = read_file(folder / "file");
    ASSERT_TRUE(seen == "aaaa" || seen == "bbbb") << seen;
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_THAT(names_in(folder.path()), ElementsAre("file", "x"));
}

TEST(Durable, AKilledProcessLeavesALeftoverThatIsSwept) {
  const TestFolder folder;
  ASSERT_TRUE(replace(folder / "x", "old"));
  const pid_t child = ::fork();
  if (child == 0) {
    (void)replace_folder(folder / "x", [&](const fs::path& draft) -> Status {
      (void)fill(draft, "half");
      ::_exit(0);
    });
  }
  ::waitpid(child, nullptr, 0);
  const std::vector<std::string> left = names_in(folder.path());
  ASSERT_EQ(left.size(), 2u);
  EXPECT_TRUE(is_leftover(left[0])) << left[0];
  EXPECT_FALSE(is_leftover("x"));
  EXPECT_TRUE(sweep_leftovers(folder.path()));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("x"));
  EXPECT_EQ(read_file(folder / "x/file"), "old");
  EXPECT_TRUE(sweep_leftovers(folder / "none"));
}

// Replacing a folder sweeps its own leftovers, so that a second attempt needs the room of one.
TEST(Durable, ASecondAttemptSweepsTheFirst) {
  const TestFolder folder;
  const std::string mine = fmt::format(".x.draft-{}.1.0", dead_process());
  const std::string other = fmt::format(".y.draft-{}.1.0", dead_process());
  fs::create_directory(folder / mine);
  fs::create_directory(folder / other);
  ASSERT_TRUE(replace(folder / "x", "new"));
  EXPECT_THAT(names_in(folder.path()), ElementsAre(other, "x"));
}

TEST(Durable, TheLeftoversOfALivingProcessStay) {
  const TestFolder folder;
  ASSERT_TRUE(replace_folder(folder / "x", [&](const fs::path& draft) -> Status {
    RETURN_IF_ERROR(fill(draft, "new"));
    EXPECT_TRUE(sweep_leftovers(folder.path()));
    const pid_t child = ::fork();  // another process looks at this one's
    if (child == 0) ::_exit(sweep_leftovers(folder.path()) ? 0 : 1);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    return {};
  }));
  EXPECT_EQ(read_file(folder / "x/deep/file"), "new");
  // An earlier version's, of a process that is alive: the one that started the tests.
  const std::string name = fmt::format("policy.new-{}", ::getppid());
  fs::create_directory(folder / name);
  EXPECT_TRUE(sweep_leftovers(folder.path()));
  EXPECT_TRUE(is_there(folder / name));
}

// A process id that is in use again is not the process that left something behind.
TEST(Durable, AnIdThatIsInUseAgainKeepsNothing) {
  const TestFolder folder;
  fs::create_directory(folder / fmt::format(".x.draft-{}.1.0", ::getpid()));
  fs::create_directory(folder / fmt::format("x.new-{}", ::getpid()));
  EXPECT_TRUE(sweep_leftovers(folder.path()));
  EXPECT_THAT(names_in(folder.path()), IsEmpty());
}

TEST(Durable, SweepsTheLeftoversOfEarlierVersionsToo) {
  const TestFolder folder;
  const pid_t dead = dead_process();
  for (const std::string& name :
       {fmt::format("policy.new-{}", dead), fmt::format("policy.old-{}", dead),
        std::string(".unfinished-step-00000003"), std::string(".submit_000.partial"),
        std::string(".pairs.draft"), std::string(".pairs.former")}) {
    ASSERT_TRUE(replace_folder(folder / name, [](const fs::path& f) { return fill(f, "x"); }));
  }
  for (const char* name : {"policy", "pairs", "x.partial", "x.new-1y", ".draft", "x.new-"})
    fs::create_directory(folder / name);
  EXPECT_TRUE(sweep_leftovers(folder.path()));
  EXPECT_THAT(names_in(folder.path()),
              ElementsAre(".draft", "pairs", "policy", "x.new-", "x.new-1y", "x.partial"));
}

// Killed between the two steps of a file system that cannot exchange, or of an earlier version.
TEST(Durable, PutsTheFormerFolderBackWhereThereIsNone) {
  const TestFolder folder;
  const pid_t dead = dead_process();
  for (const std::string& name :
       {fmt::format("policy.old-{}", dead), fmt::format(".best.former-{}.1.0", dead)}) {
    fs::create_directory(folder / name);
    write_file(folder / name / "file", "old");
  }
  fs::create_directory(folder / fmt::format("policy.new-{}", dead));
  EXPECT_TRUE(sweep_leftovers(folder.path()));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("best", "policy"));
  EXPECT_EQ(read_file(folder / "policy/file"), "old");
  EXPECT_EQ(read_file(folder / "best/file"), "old");
}

// Changes the folder DURABLE_FOLDER in a process of its own, in which file_calls.cc is preloaded.
TEST(Durable, DISABLED_ReplacesInAnotherProcess) {
  const fs::path folder = std::getenv("DURABLE_FOLDER");
  ASSERT_TRUE(sweep_leftovers(folder));
  ASSERT_TRUE(replace(folder / "x", "new"));
  ASSERT_TRUE(replace_file(folder / "file", "new"));
  ASSERT_TRUE(remove_folder(folder / "gone"));
}

// Runs the above with the orders of file_calls.cc; says whether it was killed.
bool is_killed(const fs::path& folder, const std::string& kill_at, bool exchanges) {
  const pid_t child = ::fork();
  if (child == 0) {
    const fs::path library =
        fs::path(redqueen_binary()).parent_path() / "libredqueen_file_calls.so";
    ::setenv("LD_PRELOAD", library.c_str(), 1);
    ::setenv("FILE_CALLS_BELOW", folder.c_str(), 1);
    ::setenv("FILE_CALLS_KILL_AT", kill_at.c_str(), 1);
    ::setenv("FILE_CALLS_NO_EXCHANGE", exchanges ? "" : "1", 1);
    ::setenv("DURABLE_FOLDER", folder.c_str(), 1);
    become_tests("Durable.DISABLED_ReplacesInAnotherProcess");
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSIGNALED(status)) EXPECT_EQ(status, 0) << "it failed by itself";
  return WIFSIGNALED(status);
}

bool is_whole(const fs::path& folder) {
  const std::string content = read_file(folder / "file");
  return (content == "old" || content == "new") && read_file(folder / "deep/file") == content;
}

// Killed before every call by which it changes something, the process leaves the old one or the new
// one, and the next process nothing else.
TEST(Durable, AProcessMayDieBetweenAnyTwoSystemCalls) {
#if REDQUEEN_SANITIZED
  GTEST_SKIP() << "a sanitizer wants to be the first library";
#endif
  for (const bool exchanges : {true, false}) {
    int missing = 0;
    for (int call = 1;; ++call) {
      const TestFolder folder;
      for (const char* name : {"x", "gone"}) ASSERT_TRUE(replace(folder / name, "old"));
      ASSERT_TRUE(replace_file(folder / "file", "old"));
      const bool killed = is_killed(folder.path(), std::to_string(call), exchanges);
      if (!killed) {
        EXPECT_EQ(read_file(folder / "x/file"), "new");
        EXPECT_THAT(names_in(folder.path()), ElementsAre("file", "x"));
        EXPECT_GT(call, 20) << "not all calls were seen";
        break;
      }
      const bool is_missing = !is_there(folder / "x");
      missing += is_missing;
      EXPECT_TRUE(is_missing || is_whole(folder / "x")) << call;
      EXPECT_TRUE(!is_there(folder / "gone") || is_whole(folder / "gone")) << call;
      EXPECT_TRUE(read_file(folder / "file") == "old" || read_file(folder / "file") == "new");
      ASSERT_TRUE(sweep_leftovers(folder.path()));
      EXPECT_TRUE(is_whole(folder / "x")) << call;
      for (const std::string& name : names_in(folder.path()))
        EXPECT_TRUE(name == "x" || name == "file" || name == "gone") << name << " " << call;
      ASSERT_FALSE(is_killed(folder.path(), "", exchanges));
      EXPECT_EQ(read_file(folder / "x/deep/file"), "new") << call;
      EXPECT_THAT(names_in(folder.path()), ElementsAre("file", "x")) << call;
    }
    EXPECT_EQ(missing, exchanges ? 0 : 1) << "one call stands between the two renames";
  }
}

}  // namespace
}  // namespace redqueen
