#include "redqueen/code_tasks/cruxeval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/oracle.h"
#include "redqueen/code_tasks/solving.h"
#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::code_tasks {
namespace {

using ::testing::HasSubstr;

std::string message_of(std::string_view text) {
  const auto items = parse_cruxeval(text, "some.jsonl");
  EXPECT_FALSE(items);
  return items ? "" : items.error().message;
}

TEST(CruxEval, ReadsItsFormat) {
  const auto items = parse_cruxeval(
      R"({"code":"def f(x):\n    return x","input":"'\u00fc'","output":"'ü'","id":"sample_3","more":[1]})"
      "\r\n\n"
      R"({"output":"3","input":"1, 2","code":"def f(a, b):\n    return a + b\n","id":7})",
      "some.jsonl");
  ASSERT_TRUE(items) << items.error().message;
  ASSERT_EQ(items->size(), 2U);
  EXPECT_EQ((*items)[0].id, "sample_3");
  EXPECT_EQ((*items)[0].input, "'ü'");
  EXPECT_EQ((*items)[0].output, "'ü'");
  EXPECT_EQ((*items)[1].id, "7");
  EXPECT_EQ(cruxeval_task((*items)[1], TaskType::kDeduction).program,
            "def f(a, b):\n    return a + b");
}

TEST(CruxEval, NamesTheLineAndWhatIsWrongWithIt) {
  const std::string good = R"({"code":"def f():\n    return 1","input":"","output":"1"})"
                           "\n";
  EXPECT_THAT(message_of(good + "\n{\"code\":"), HasSubstr("some.jsonl:3: this is not JSON"));
  EXPECT_THAT(message_of(good + "[1]"), HasSubstr("some.jsonl:2: a JSON object is expected"));
  EXPECT_THAT(message_of(R"({"code":"x","input":"1"})"),
              HasSubstr("some.jsonl:1: there is no \"output\""));
  EXPECT_THAT(message_of(R"({"code":"x","input":1,"output":"1"})"),
              HasSubstr("some.jsonl:1: \"input\" is no text"));
  EXPECT_THAT(message_of(R"({"code":" ","input":"","output":"1"})"),
              HasSubstr("\"code\" is empty"));
  EXPECT_THAT(message_of("\n \n"), HasSubstr("some.jsonl: this file is empty"));
  const auto missing = read_cruxeval("no/such/file.jsonl");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("no/such/file.jsonl"));
}

TEST(CruxEval, SurvivesRandomBytes) {
  const std::string good = R"({"code":"def f():\n    return 1","input":"","output":"1"})";
  Rng rng({.seed = 5});
  int faults = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (int change = 0; change < 3; ++change)
      text[rng.below(text.size())] = static_cast<char>(rng.below(256));
    faults += !parse_cruxeval(text, "bytes").has_value();
  }
  EXPECT_GT(faults, 0);
  EXPECT_LT(faults, 3000);
}

TEST(CruxEval, KnowsItsModes) {
  EXPECT_EQ(parse_cruxeval_mode("both"), CruxEvalMode::kBoth);
  const auto wrong = parse_cruxeval_mode("inputs");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::kUsage);
}

// Both questions of every item of the sample are answered by the item itself.
TEST(CruxEval, AsksWhatTheItemsAnswer) {
  const auto items =
      read_cruxeval(source_dir() / "redqueen/code_tasks/testdata/cruxeval_sample.jsonl");
  ASSERT_TRUE(items) << items.error().message;
  std::vector<CodeTask> tasks;
  for (const CruxEvalItem& item : *items) {
    for (const TaskType type : {TaskType::kDeduction, TaskType::kAbduction})
      tasks.push_back(cruxeval_task(item, type));
  }
  std::vector<std::string> answers;
  std::vector<AnswerCheck> checks;
  for (const CodeTask& task : tasks) answers.push_back(task.reference());
  for (std::size_t i = 0; i < tasks.size(); ++i) checks.push_back({&tasks[i], answers[i]});
  const auto verdicts = check_answers(sandbox::shared_sandbox(), checks);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    EXPECT_TRUE(verdicts[i].solved) << tasks[i].program << "\n" << answers[i];
}

TEST(CruxEval, BecomesASuite) {
  const auto items =
      read_cruxeval(source_dir() / "redqueen/code_tasks/testdata/cruxeval_sample.jsonl");
  ASSERT_TRUE(items);
  const auto absent = cruxeval_suite(*items, CruxEvalMode::kBoth, Registry());
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message, HasSubstr("azr/abduction"));
}

}  // namespace
}  // namespace redqueen::code_tasks
