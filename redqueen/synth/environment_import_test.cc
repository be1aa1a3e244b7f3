#include "redqueen/synth/environment_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/testing/folder.h"
#include "redqueen/synth/testing/sandbox.h"

namespace redqueen::synth {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kSorting = "configs/evoenv/seeds/sorting.py";

std::vector<ImportedEnvironment> import(const fs::path& from, const fs::path& pool) {
  auto imported = import_environments(shared_sandbox(), from, pool, {});
  EXPECT_TRUE(imported) << imported.error().message;
  return imported.value_or(std::vector<ImportedEnvironment>());
}

TEST(EnvironmentImport, TakesWhatIsSoundOnce) {
  const TestFolder folder;
  const auto imported = import(kSorting, folder / "pool");
  ASSERT_EQ(imported.size(), 1u);
  EXPECT_EQ(imported[0].folder, folder / "pool" / imported[0].name);
  const auto record = read_environment_folder(imported[0].folder);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->source, seed_source("sorting"));
  EXPECT_EQ(record->provenance["imported"], true);
  EXPECT_FALSE(record->samples.empty());

  const auto again = import(kSorting, folder / "pool");
  ASSERT_EQ(again.size(), 1u);
  EXPECT_TRUE(again[0].folder.empty());
  EXPECT_THAT(again[0].reason, HasSubstr("of this name"));
}

TEST(EnvironmentImport, KeepsWhatACardClaimsAndTestsTheRest) {
  const TestFolder folder;
  const fs::path first = import(kSorting, folder / "pool").at(0).folder;
  auto record = *read_environment_folder(first);
  record.info.task = "A task of others.";
  record.provenance = Json("somebody");
  record.validation = Json::object();
  ASSERT_TRUE(write_environment_folder(folder / "theirs" / "one", record));
  const auto imported = import(folder / "theirs", folder / "mine");
  ASSERT_EQ(imported.size(), 1u);
  const auto taken = read_environment_folder(imported[0].folder);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(taken->info.task, "A task of others.");
  EXPECT_EQ(taken->provenance["claimed"], "somebody");
  EXPECT_FALSE(taken->validation.empty());
}

TEST(EnvironmentImport, RefusesWhatIsFaulty) {
  const TestFolder folder;
  write_file(folder / "broken.py", "x = 1\n");
  const auto refused = import(folder / "broken.py", folder / "pool");
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_TRUE(refused[0].folder.empty());
  EXPECT_EQ(refused[0].name, (folder / "broken.py").string());
  EXPECT_FALSE(refused[0].reason.empty());
  fs::create_directories(folder / "empty");
  for (const char* from : {"nowhere", "empty"}) {
    const auto none = import_environments(shared_sandbox(), folder / from, folder / "pool", {});
    ASSERT_FALSE(none) << from;
    EXPECT_EQ(none.error().kind, ErrorKind::kUsage);
  }
}

// A run is its pool, and hidden folders are none of it.
TEST(EnvironmentImport, FindsTheFoldersOfARun) {
  const TestFolder folder;
  for (const char* name : {"run/pool/b", "run/pool/a", "run/pool/.half", "run/pool/none"})
    fs::create_directories(folder / name);
  for (const char* name : {"run/run.db", "run/pool/b/environment.py", "run/pool/a/environment.py",
                           "run/pool/.half/environment.py"}) {
    write_file(folder / name, "");
  }
  EXPECT_EQ(environment_folders(folder / "run").value(),
            (std::vector<fs::path>{folder / "run/pool/a", folder / "run/pool/b"}));
  EXPECT_EQ(environment_folders(folder / "run/pool/b").value(),
            (std::vector<fs::path>{folder / "run/pool/b"}));
}

}  // namespace
}  // namespace redqueen::synth
