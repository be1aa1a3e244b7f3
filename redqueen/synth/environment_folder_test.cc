#include "redqueen/synth/environment_folder.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include "redqueen/synth/testing/sandbox.h"

namespace redqueen::synth {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class EnvironmentFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "redqueen_folder_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    pool_ = pattern;
  }
  void TearDown() override { fs::remove_all(pool_); }

  static EnvironmentRecord record_of(const std::string& seed) {
    const std::string source = seed_source(seed);
    EnvironmentRecord record = make_record(source, validate(shared_sandbox(), source));
    record.info.task = "A task.";
    record.tags = {"arrays", "sorting"};
    record.calibration = {{"accuracy", 0.25}};
    record.provenance = {{"step", 3}};
    return record;
  }

  static void replace(const fs::path& path, const std::string& old, const std::string& text) {
    std::string content = read_source(path);
    const std::size_t at = content.find(old);
    ASSERT_NE(at, std::string::npos) << content;
    content.replace(at, old.size(), text);
    std::ofstream(path, std::ios::binary) << content;
  }

  fs::path pool_;
};

TEST_F(EnvironmentFolder, ComesBackAsItWasWritten) {
  const EnvironmentRecord record = record_of("sorting");
  const fs::path folder = pool_ / folder_name(record);
  ASSERT_TRUE(write_environment_folder(folder, record).has_value());
  const auto back = read_environment_folder(folder);
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(back->source, record.source);
  EXPECT_EQ(back->info.name, record.info.name);
  EXPECT_EQ(back->info.version, record.info.version);
  EXPECT_EQ(back->info.task, record.info.task);
  EXPECT_EQ(back->tags, record.tags);
  EXPECT_EQ(back->validation, record.validation);
  EXPECT_EQ(back->calibration, record.calibration);
  EXPECT_EQ(back->provenance, record.provenance);
  EXPECT_EQ(back->samples, record.samples);
  EXPECT_EQ(back->samples.size(), 6U);
  const PythonEnvironment environment(back->source, shared_sandbox(), back->info);
  for (const Json& sample : back->samples) {
    const auto problem = environment.restore(sample);
    ASSERT_TRUE(problem.has_value()) << problem.error().message;
    EXPECT_TRUE((*problem)->score((*problem)->reference()).solved);
  }
}

TEST_F(EnvironmentFolder, WritingAgainReplacesIt) {
  EnvironmentRecord record = record_of("fibonacci");
  const fs::path folder = pool_ / "one";
  ASSERT_TRUE(write_environment_folder(folder, record).has_value());
  record.tags = {"other"};
  ASSERT_TRUE(write_environment_folder(folder, record).has_value());
  EXPECT_EQ(read_environment_folder(folder)->tags, record.tags);
  EXPECT_EQ(std::distance(fs::directory_iterator(pool_), fs::directory_iterator()), 1);
}

TEST_F(EnvironmentFolder, LoadsAFileAFolderAndAPool) {
  for (const char* seed : {"sorting", "bridge"}) {
    const EnvironmentRecord record = record_of(seed);
    ASSERT_TRUE(write_environment_folder(pool_ / folder_name(record), record).has_value());
  }
  const auto pool = load_python_environments(pool_, shared_sandbox());
  ASSERT_TRUE(pool.has_value()) << pool.error().message;
  ASSERT_EQ(pool->size(), 2U);
  EXPECT_THAT(std::string(pool->front()->name()), HasSubstr("evo/bridge-"));
  const auto problem = pool->front()->generate(1, 5);
  ASSERT_TRUE(problem.has_value()) << problem.error().message;
  EXPECT_TRUE((*problem)->score((*problem)->reference()).solved);

  const auto one =
      load_python_environments(pool_ / folder_name(record_of("sorting")), shared_sandbox());
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->size(), 1U);
  const auto file = load_python_environments("configs/evoenv/seeds/sorting.py", shared_sandbox());
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->front()->name(), one->front()->name());
}

TEST_F(EnvironmentFolder, FaultsNameTheirPlace) {
  const EnvironmentRecord record = record_of("sorting");
  const fs::path folder = pool_ / "one";
  const auto rewrite = [&] { ASSERT_TRUE(write_environment_folder(folder, record).has_value()); };

  rewrite();
  replace(folder / "environment.py", "ascending", "descending");
  EXPECT_THAT(read_environment_folder(folder).error().message, HasSubstr("another environment.py"));
  rewrite();
  replace(folder / "card.json", "\"tags\"", "\"labels\"");
  EXPECT_THAT(read_environment_folder(folder).error().message, HasSubstr("\"tags\""));
  rewrite();
  replace(folder / "card.json", "{", "");
  EXPECT_FALSE(read_environment_folder(folder).has_value());
  rewrite();
  fs::remove(folder / "samples.jsonl");
  EXPECT_THAT(read_environment_folder(folder).error().message, HasSubstr("samples.jsonl"));
}

TEST_F(EnvironmentFolder, LoadingNothingIsWrongUsage) {
  for (const fs::path& path : {pool_, pool_ / "absent", fs::path("configs/absent.py")}) {
    const auto loaded = load_python_environments(path, shared_sandbox());
    ASSERT_FALSE(loaded.has_value());
    EXPECT_EQ(loaded.error().kind, ErrorKind::kUsage) << loaded.error().message;
  }
}

TEST_F(EnvironmentFolder, NamesInAPoolDiffer) {
  const EnvironmentRecord record = record_of("sorting");
  ASSERT_TRUE(write_environment_folder(pool_ / "one", record).has_value());
  ASSERT_TRUE(write_environment_folder(pool_ / "two", record).has_value());
  EXPECT_THAT(load_python_environments(pool_, shared_sandbox()).error().message,
              HasSubstr(record.info.name));
}

}  // namespace
}  // namespace redqueen::synth
