#include "redqueen/code_tasks/prompts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>

#include "redqueen/base/testing/source_dir.h"

namespace redqueen::code_tasks {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// A copy of the standard templates that a test may spoil.
class TemplateFolder {
 public:
  explicit TemplateFolder(const std::string& name)
      : path_(fs::temp_directory_path() / fmt::format("redqueen-{}-{}", name, ::getpid())) {
    fs::remove_all(path_);
    fs::copy(source_dir() / "configs" / "azr" / "prompts", path_, fs::copy_options::recursive);
  }
  ~TemplateFolder() { fs::remove_all(path_); }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(path_ / file) << text;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

CodeTask sample_task(TaskType type) {
  CodeTask task{.type = type,
                .program = "def f(x):\n    return {{x}}",
                .input = "'{{program}}'",
                .output = "OUTPUT",
                .message = "MESSAGE"};
  task.pairs = {{"1", "SHOWN"}, {"2", "HIDDEN"}};
  return task;
}

TEST(Prompts, BothSetsAreSound) {
  for (const char* name : {"prompts", "prompts-terse"}) {
    const auto set = PromptSet::load(source_dir() / "configs" / "azr" / name);
    ASSERT_TRUE(set) << set.error().message;
    EXPECT_EQ(set->style(),
              std::string(name) == "prompts" ? ResponseStyle::kFenced : ResponseStyle::kBare);
  }
}

// The solver must not see what is asked of it, and the hidden pairs least of all.
TEST(Prompts, ShowOnlyWhatIsGiven) {
  for (const char* name : {"prompts", "prompts-terse"}) {
    const auto set = PromptSet::load(source_dir() / "configs" / "azr" / name);
    ASSERT_TRUE(set);
    const std::string deduction = set->solve(sample_task(TaskType::kDeduction));
    EXPECT_THAT(deduction, HasSubstr("return {{x}}"));
    EXPECT_THAT(deduction, HasSubstr("'{{program}}'"));
    EXPECT_THAT(deduction, Not(HasSubstr("OUTPUT")));
    const std::string abduction = set->solve(sample_task(TaskType::kAbduction));
    EXPECT_THAT(abduction, HasSubstr("OUTPUT"));
    EXPECT_THAT(abduction, Not(HasSubstr("'{{program}}'")));
    const std::string induction = set->solve(sample_task(TaskType::kInduction));
    EXPECT_THAT(induction, HasSubstr("MESSAGE"));
    EXPECT_THAT(induction, HasSubstr("SHOWN"));
    EXPECT_THAT(induction, Not(HasSubstr("HIDDEN")));
    EXPECT_THAT(induction, Not(HasSubstr("return {{x}}")));
    EXPECT_THAT(set->solve(sample_task(TaskType::kError)), Not(HasSubstr("OUTPUT")));
  }
}

TEST(Prompts, ProposersSeeReferencesAndComponents) {
  const auto set = PromptSet::load(source_dir() / "configs" / "azr" / "prompts");
  ASSERT_TRUE(set);
  const std::vector<CodeTask> references{zero_task(TaskType::kDeduction),
                                         sample_task(TaskType::kDeduction)};
  const std::string plain = set->propose(TaskType::kDeduction, references);
  EXPECT_THAT(plain, HasSubstr("'Good morning'"));
  EXPECT_THAT(plain, HasSubstr("OUTPUT"));
  // Names of modules invite their import, and an example of the form is copied.
  EXPECT_THAT(plain, Not(HasSubstr("subprocess")));
  EXPECT_THAT(plain, Not(HasSubstr("...")));
  EXPECT_THAT(plain, Not(HasSubstr("g_0")));
  const std::vector<std::string> components{"def g_0(x):\n    return 5"};
  EXPECT_THAT(set->propose(TaskType::kAbduction, references, components), HasSubstr(components[0]));
  EXPECT_THAT(set->propose_induction(references[0], 7), HasSubstr("7 lists"));
}

// The only programs and inputs in a proposer's prompt are those that it is shown.
TEST(Prompts, ProposersAreGivenNoFormToCopy) {
  const auto set = PromptSet::load(source_dir() / "configs" / "azr" / "prompts");
  ASSERT_TRUE(set);
  const auto fences = [](std::string_view text) {
    int count = 0;
    for (std::size_t at = text.find("\n```"); at != std::string_view::npos;
         at = text.find("\n```", at + 1))
      ++count;
    return count;
  };
  const std::vector<CodeTask> references{zero_task(TaskType::kDeduction)};
  for (const TaskType type : {TaskType::kDeduction, TaskType::kAbduction, TaskType::kError})
    EXPECT_EQ(fences(set->propose(type, references)), 6) << name_of(type);
  EXPECT_EQ(fences(set->propose_induction(references[0], 7)), 2);
}

TEST(Prompts, FaultsOfATemplateAreNamed) {
  const TemplateFolder folder("prompts");
  folder.write("pair.txt", "{{input}} -> {{result}}");
  auto set = PromptSet::load(folder.path());
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().message, HasSubstr("pair.txt"));
  EXPECT_THAT(set.error().message, HasSubstr("{{result}}"));
  folder.write("pair.txt", "{{input}}");
  set = PromptSet::load(folder.path());
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().message, HasSubstr("{{output}}"));
  fs::remove(folder.path() / "pair.txt");
  EXPECT_FALSE(PromptSet::load(folder.path()));
  folder.write("pair.txt", "{{input}}{{output}}");
  EXPECT_TRUE(PromptSet::load(folder.path()));
}

}  // namespace
}  // namespace redqueen::code_tasks
