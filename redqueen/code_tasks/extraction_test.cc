#include "redqueen/code_tasks/extraction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"
#include "redqueen/code_tasks/prompts.h"

namespace redqueen::code_tasks {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kProgram = "def f(x, y=2):\n    return x * y";

// What models write for the program above and the input "3, y=4".
const std::vector<std::string>& pair_forms() {
  static const std::vector<std::string> forms{
      "```python\ndef f(x, y=2):\n    return x * y\n```\n```input\n3, y=4\n```",
      "Here it is:\n\n```python\ndef f(x, y=2):\n    return x * y\n```\nand\n```input\n3, "
      "y=4,\n```\nDone.",
      "```\ndef f(x, y=2):\n    return x * y\n```\n```\n3, y=4\n```",
      "```py\ndef f(x, y=2):\n    return x * y\n```\nInput: 3, y=4",
      "```python\ndef f(x, y=2):\n    return x * y\n```\n```input\nf(3, y=4)\n```",
      "```python\ndef f(x, y=2):\n    return x * y\n\nf(3, y=4)\n```",
      "```python\ndef f(x, y=2):\n    return x * y\n\nprint(f(3, y=4))\n```",
      "def f(x, y=2):\n    return x * y\nf(3, y=4)",
      "def f(x, y=2):\n    return x * y\n>>> f(3, y=4)",
      "~~~python\ndef f(x, y=2):\n    return x * y\n~~~\n~~~input\n`3, y=4`\n~~~",
      "```python\ndef g(x):\n    pass\n```\n```python\ndef f(x, y=2):\n    return x * "
      "y\n```\n```input\n1\n```\n```input\n3, y=4\n```",
      "```Python\r\ndef f(x, y=2):\n    return x * y\r\n```\r\n```Input\r\n3, y=4\r\n```\r\n",
      "```python\ndef f(x, y=2):\n    return x * y\n```\n```input\n3, y=4"};
  return forms;
}

TEST(Extraction, ReadsAProgramAndItsInputFromWhatModelsWrite) {
  for (const std::string& form : pair_forms()) {
    const auto found = extract_program_and_input(form);
    ASSERT_TRUE(found) << form << "\n" << name_of(found.error());
    EXPECT_EQ(found->program, kProgram) << form;
    EXPECT_EQ(found->input, "3, y=4") << form;
  }
}

TEST(Extraction, JoinsAssignmentsToAnArgumentList) {
  const auto found = extract_program_and_input(
      "```python\ndef f(a, b):\n    return a\n```\n```input\na = [1, 2]\nb = 'x=1',\n```");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->input, "a = [1, 2], b = 'x=1'");
}

TEST(Extraction, KeepsImportsOfTheirOwnBlock) {
  const auto found = extract_program_and_input(
      "```python\nimport math\nfrom re import match\n```\n```python\ndef f(x):\n    return "
      "math.pi\n```\n```input\n1\n```");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->imports, "import math\nfrom re import match");
  EXPECT_EQ(found->program, "def f(x):\n    return math.pi");
}

TEST(Extraction, IsNotFooledByBracketsInText) {
  const auto found = extract_program_and_input("def f(s):\n    return s\nf('a)', \"(\", [')'])");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->input, "'a)', \"(\", [')']");
}

// Forms that lose nothing: each says plainly which program and which input are meant.
TEST(Extraction, ReadsWhatTheHeadingsAndTheEndSay) {
  const std::string block = "```python\ndef f(x, y=2):\n    return x * y\n```\n";
  for (const std::string& form : std::vector<std::string>{
           block + "**Input:** 3, y=4", block + "### Input\n```\n3, y=4\n```",
           block + "**Input**:\n\n```python\n3, y=4\n```", block + "Input: ```3, y=4```",
           block + "Then `f(3, y=4)` is the call.", block + "```text\n3, y=4\n```",
           block + "Input:\n```\n3, y=4\n```\nOutput:\n```\n12\n```",
           block + "Input: two numbers\n```python\nresult = f(3, y=4)\nprint(result)\n```",
           std::string("```python\ndef f(x, y=2):\n    return x * y\n\nresult = f(3, y=4)\n```"),
           std::string("```python\ndef f(x, y=2):\n    return x * y\n\nif __name__ == '__main__':\n"
                       "    print(f(3, y=4))\n```"),
           std::string("1. Program:\n   ```python\n   def f(x, y=2):\n       return x * y\n   ```\n"
                       "   ```input\n   3, y=4\n   ```"),
           std::string("Here:\n\n    def f(x, y=2):\n        return x * y\n\nInput: 3, y=4"),
           std::string(
               "```python\ndef scale(x, y=2):\n    return x * y\n```\n```input\n3, y=4\n```"),
           std::string("```python\ndef scale(x, y=2):\n    return x * y\n\nscale(3, y=4)\n```")}) {
    const auto found = extract_program_and_input(form);
    ASSERT_TRUE(found) << form << "\n" << name_of(found.error());
    EXPECT_EQ(found->program, kProgram) << form;
    EXPECT_EQ(found->input, "3, y=4") << form;
  }
}

TEST(Extraction, PutsValuesInThePlaceOfTheirNames) {
  const auto found = extract_program_and_input(
      "```python\ndef merge(a, b):\n    return a + b\n\nleft = [1,\n        2]\nright = [3]\n"
      "print(merge(left, right))\n```");
  ASSERT_TRUE(found) << name_of(found.error());
  EXPECT_EQ(found->input, "[1,\n        2], [3]");
}

// The entry is the function that is called, else the last one; text and attributes keep its name.
TEST(Extraction, RenamesTheEntry) {
  const auto found = extract_program_and_input(
      "```python\ndef half(n):\n    return n // 2\n\ndef walk(n):\n    # walk on\n"
      "    return [n, 'walk'] + (walk(half(n)) if n else m.walk)\n```\n```input\n9\n```");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->program,
            "def half(n):\n    return n // 2\n\ndef f(n):\n    # walk on\n"
            "    return [n, 'walk'] + (f(half(n)) if n else m.walk)");
  const auto called = extract_program_and_input(
      "```python\ndef first(n):\n    return n\n\ndef second(n):\n    return n\n\nfirst(4)\n```");
  ASSERT_TRUE(called);
  EXPECT_THAT(called->program, testing::StartsWith("def f(n)"));
}

TEST(Extraction, CountsWhyThereIsNoProposal) {
  const auto reason = [](std::string_view text) {
    const auto found = extract_program_and_input(text);
    return found ? Reason::kValid : found.error();
  };
  EXPECT_EQ(reason(""), Reason::kNoProgram);
  EXPECT_EQ(reason("I would rather not."), Reason::kNoProgram);
  EXPECT_EQ(reason("```python\ng = lambda x: x\n```\n```input\n1\n```"), Reason::kNoProgram);
  EXPECT_EQ(reason("```javascript\ndef f(x): return x\n```\n```input\n1\n```"), Reason::kNoProgram);
  EXPECT_EQ(reason("```python\ndef f(x):\n    return x\n```"), Reason::kNoInput);
  EXPECT_EQ(reason("def f(x):\n    return x"), Reason::kNoInput);
  EXPECT_EQ(reason("def f(x):\n    return x\nf("), Reason::kNoInput);
}

TEST(Extraction, ReadsInputsAndMessage) {
  const auto fenced = extract_inputs_and_message(
      "```input\n1\n```\n```input\n2, "
      "'a'\n```\n```input\n1\n```\n```input\nf(4)\n```\n```message\nAdd up.\n```",
      3);
  ASSERT_TRUE(fenced);
  EXPECT_THAT(fenced->inputs, ElementsAre("1", "2, 'a'", "4"));
  EXPECT_EQ(fenced->message, "Add up.");

  const auto bare = extract_inputs_and_message("# add\n# up\nf(1)\nf(2)\nf(3)", 2);
  ASSERT_TRUE(bare);
  EXPECT_THAT(bare->inputs, ElementsAre("1", "2"));
  EXPECT_EQ(bare->message, "add\nup");

  const auto block = extract_inputs_and_message("```input\nf(1)\nf(2)\n```\nMessage: go", 2);
  ASSERT_TRUE(block);
  EXPECT_EQ(block->message, "go");
}

TEST(Extraction, ReadsMessagesHoweverTheyAreMarked) {
  const std::string inputs = "```input\n1\n```\n```input\n2\n```\n";
  for (const std::string& form : std::vector<std::string>{
           inputs + "<message>Add up.</message>", inputs + "**Message:** Add up.",
           inputs + "### Message\nAdd up.", inputs + "Message:\n```\nAdd up.\n```",
           std::string("1. `f(1)`\n2. `f(2)`\n\nMessage: Add up."),
           std::string("- Input 1: 1\n- Input 2: 2\n\n**Message**: Add up."),
           std::string("```input\n1\n2\n```\nHint: Add up.")}) {
    const auto found = extract_inputs_and_message(form, 2);
    ASSERT_TRUE(found) << form << "\n" << name_of(found.error());
    EXPECT_THAT(found->inputs, ElementsAre("1", "2")) << form;
    EXPECT_EQ(found->message, "Add up.") << form;
  }
}

// Repeated inputs do not spoil a task, and never show what is hidden.
TEST(Extraction, RepeatedInputsFillTheShownHalf) {
  const auto found = extract_inputs_and_message("# m\nf(1)\nf(1)\nf(2)\nf(3)\nf(3)\nf(4)", 6);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->inputs, ElementsAre("1", "1", "1", "2", "3", "4"));
  const auto spoilt = extract_inputs_and_message("# m\nf(1)\nf(2)\nf(3)\nf(3)\nf(3)\nf(3)", 6);
  EXPECT_EQ(spoilt.error(), Reason::kTooFewInputs);
}

TEST(Extraction, ReadsStatedValues) {
  for (const std::string_view text :
       {"**'abc'**", "f(3) = 'abc'", "f(3, [1]) returns 'abc'", "`f(3)` → 'abc'", "Output: `'abc'`",
        "**Output:** 'abc'", "'abc'.", "f(3) == 'abc'"})
    EXPECT_EQ(extract_value(text), "'abc'") << text;
  EXPECT_EQ(extract_value("3.5"), "3.5");
  EXPECT_EQ(extract_value("'f(3) = 4'"), "'f(3) = 4'");
}

// Where no mark was asked for, one answer is read out of a whole response: the last that is stated.
TEST(Extraction, ReadsUnmarkedAnswers) {
  const auto value = [](std::string_view text) {
    return unmarked_answer(TaskType::kDeduction, text).value_or("nothing");
  };
  EXPECT_EQ(value("First x is 3.\n```output\n[3]\n```\nThat is all."), "[3]\n");
  EXPECT_EQ(value("```python\nx = 3\n```\nSo\nOutput: 4"), "4");
  EXPECT_EQ(value("```output\n1\n```\nno,\n```output\n2\n```"), "2\n");
  EXPECT_EQ(value("The result is \\boxed{7}\nindeed."), "7");
  EXPECT_EQ(value("[1, 2]"), "[1, 2]");
  EXPECT_EQ(value("I do not know.\nReally."), "nothing");
  EXPECT_EQ(unmarked_answer(TaskType::kAbduction, "So\n```input\n5, 'a'\n```"), "5, 'a'\n");
  EXPECT_EQ(unmarked_answer(TaskType::kError, "It fails.\n**Answer:** KeyError"), "KeyError");
}

TEST(Extraction, CountsWhyThereIsNoInductionTask) {
  const auto reason = [](std::string_view text, int count) {
    const auto found = extract_inputs_and_message(text, count);
    return found ? Reason::kValid : found.error();
  };
  EXPECT_EQ(reason("# m\nf(1)\nf(1)", 2), Reason::kTooFewInputs);
  EXPECT_EQ(reason("f(1)\nf(2)", 2), Reason::kNoMessage);
  EXPECT_EQ(reason("", 2), Reason::kTooFewInputs);
}

TEST(Extraction, ReadsAnswers) {
  EXPECT_EQ(extract_value("[1, 2]"), "[1, 2]");
  EXPECT_EQ(extract_value(" `'a'` "), "'a'");
  EXPECT_EQ(extract_value("```python\n{'a': 1}\n```"), "{'a': 1}");
  EXPECT_EQ(extract_value("Output: 7"), "7");
  EXPECT_EQ(extract_value("  "), tl::make_unexpected(Reason::kNoAnswer));
  EXPECT_EQ(extract_arguments("f([1], k='b')"), "[1], k='b'");
  EXPECT_EQ(extract_arguments("```input\n1, 2,\n```"), "1, 2");
  EXPECT_EQ(extract_arguments("input = 5"), "5");
  EXPECT_EQ(extract_arguments(""), tl::make_unexpected(Reason::kNoInput));
  EXPECT_EQ(extract_exception("`ValueError: no`"), "ValueError");
  EXPECT_EQ(extract_exception("builtins.KeyError"), "KeyError");
  EXPECT_EQ(extract_exception("42"), tl::make_unexpected(Reason::kNoAnswer));
  EXPECT_EQ(extract_program("x = 1"), tl::make_unexpected(Reason::kNoProgram));
  EXPECT_EQ(extract_program("```python\ndef f(x):\n  return 1\n```\nBetter:\n```python\ndef "
                            "f(x):\n  return 2\n```")
                ->program,
            "def f(x):\n  return 2");
  EXPECT_EQ(extract_program("text\n```python\ndef f(x):\n  return 1\n```\ntext")->program,
            "def f(x):\n  return 1");
}

TEST(Extraction, TakesAnyBytes) {
  const std::vector<std::string_view> pieces{"```",  "python\n", "input\n", "def f(", "x", ")", ":",
                                             "\n",   "f(",       "'",       "\"\"\"", "#", "=", ",",
                                             "\xff", "\\",       "[",       "}",      "`", " "};
  Rng rng({.purpose = hash_name("hostile responses")});
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::uint64_t k = rng.below(40); k > 0; --k) text += rng.choice(pieces);
    if (const auto found = extract_program_and_input(text)) {
      EXPECT_FALSE(found->input.empty()) << text;
      EXPECT_NE(text.find("def"), std::string::npos);
    }
    if (const auto found = extract_inputs_and_message(text, 2)) {
      EXPECT_EQ(found->inputs.size(), 2U);
    }
    if (const auto found = extract_program(text)) {
      EXPECT_FALSE(found->program.empty());
    }
    if (const auto found = extract_value(text)) {
      EXPECT_FALSE(found->empty());
    }
    if (const auto found = extract_arguments(text)) {
      EXPECT_FALSE(found->empty());
    }
    if (const auto found = extract_exception(text)) {
      EXPECT_FALSE(found->empty());
    }
  }
}

// What the warm start teaches is read back as it was meant.
TEST(Extraction, ReadsTheResponseFormats) {
  const CodeTask pair{.program = "import math\n\ndef f(x):\n    return x", .input = "1, [2], 'a'"};
  CodeTask induction{.type = TaskType::kInduction, .message = "two\nlines"};
  induction.pairs = {{"1", "1"}, {"'b', 2", "3"}};
  for (const ResponseStyle style : {ResponseStyle::kFenced, ResponseStyle::kBare}) {
    const auto found = extract_program_and_input(format_proposal(pair, style));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->program, pair.program);
    EXPECT_EQ(found->input, pair.input);
    const auto inputs = extract_inputs_and_message(format_proposal(induction, style), 2);
    ASSERT_TRUE(inputs);
    EXPECT_EQ(inputs->message, induction.message);
    EXPECT_THAT(inputs->inputs, ElementsAre("1", "'b', 2"));
    EXPECT_EQ(extract_program(format_solution(TaskType::kInduction, pair.program, style))->program,
              pair.program);
    EXPECT_EQ(extract_value(format_solution(TaskType::kDeduction, "'x'", style)), "'x'");
    EXPECT_EQ(extract_arguments(format_solution(TaskType::kAbduction, "1, b=2", style)), "1, b=2");
  }
}

}  // namespace
}  // namespace redqueen::code_tasks
