#include "redqueen/recipes/azr/form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/testing/source_dir.h"

namespace redqueen::azr {
namespace {

using code_tasks::TaskType;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kMost = 4096;
const std::string kProposal = "```python\ndef f(x):\n  return x\n```\n```input\n1\n```";

ResponseForm form_of(std::string_view text, AnswerReading reading = AnswerReading::kStrict) {
  PromptFormat format = PromptFormat::parse(text).value();
  format.reading = reading;
  return ResponseForm::make(std::move(format)).value();
}

// As prompt_format_for() lays out the format "chat" for a policy with a ChatML template.
std::string chat() {
  return "<|im_start|>system\nYou help.<|im_end|>\n<|im_start|>user\n" +
         PromptFormat::parse("boxed")->text + "<|im_end|>\n<|im_start|>assistant\n";
}

TEST(AzrForm, NoProgramStandsInABox) {
  const auto prompts =
      code_tasks::PromptSet::load(source_dir() / "configs" / "azr" / "prompts").value();
  for (const std::string& text : {std::string("boxed"), std::string("chatml"), chat()}) {
    const ResponseForm form = form_of(text);
    EXPECT_FALSE(form.marked());
    EXPECT_THAT(form.proposer_prompt("STATEMENT"), Not(HasSubstr("boxed")));
    for (const TaskType type : code_tasks::kTaskTypes) {
      code_tasks::CodeTask task{.type = type, .program = "def f(x): return x", .input = "1"};
      task.pairs = {{"1", "1"}, {"2", "2"}};
      const std::string prompt = form.solver_prompt(prompts, task);
      EXPECT_THAT(prompt, Not(HasSubstr("boxed")));
      EXPECT_THAT(prompt, HasSubstr("in a block that begins with ```"));
    }
    EXPECT_EQ(form.proposal_in(kProposal, kMost, false), kProposal);
    EXPECT_EQ(form.answer_in(TaskType::kDeduction, "So\n```output\n7\n```", kMost), "7\n");
  }
  EXPECT_THAT(form_of(chat()).proposer_prompt("S"), HasSubstr("You help.<|im_end|>"));
  const auto own =
      ResponseForm::make(PromptFormat::parse("{problem} Put it in \\boxed{}.").value());
  ASSERT_FALSE(own);
  EXPECT_THAT(own.error().message, HasSubstr("fenced blocks"));
}

// A format that asks for marks has them read; seeding and the tolerant reading do without.
TEST(AzrForm, MarksCountWhereTheyAreAskedFor) {
  const ResponseForm think = form_of("think");
  EXPECT_TRUE(think.marked());
  EXPECT_EQ(think.proposal_in("hm</think><answer>a</answer>", kMost, false), "a");
  EXPECT_EQ(think.proposal_in("hm</think>" + kProposal, kMost, false), std::nullopt);
  EXPECT_EQ(think.proposal_in("hm</think>" + kProposal, kMost, true), kProposal);
  EXPECT_EQ(think.answer_in(TaskType::kDeduction, "hm</think>```output\n7\n```", kMost),
            std::nullopt);
  EXPECT_EQ(form_of("think", AnswerReading::kTolerant)
                .answer_in(TaskType::kDeduction, "hm</think>```output\n7\n```", kMost),
            "7\n");
}

// A thought is no answer, and what was cut off before its end is none either.
TEST(AzrForm, ReadsBehindThoughtsAndWithinLimits) {
  const ResponseForm bare = form_of("bare");
  EXPECT_EQ(
      bare.answer_in(TaskType::kDeduction, "```output\n1\n```</think>```output\n2\n```", kMost),
      "2\n");
  EXPECT_EQ(bare.proposal_in(std::string(kMost + 1, 'a'), kMost, true), std::nullopt);
  const ResponseForm terse = form_of("terse");
  EXPECT_EQ(terse.proposal_in("def f(x): return x\nf(1)", kMost, true), std::nullopt);
  EXPECT_EQ(terse.proposal_in("f(1)</answer>", kMost, false), "f(1)");
}

}  // namespace
}  // namespace redqueen::azr
