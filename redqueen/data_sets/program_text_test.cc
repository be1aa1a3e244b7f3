#include "redqueen/data_sets/program_text.h"

#include <gtest/gtest.h>

#include "redqueen/base/rng.h"

namespace redqueen::data_sets {
namespace {

TEST(ProgramText, IsTheLastBlockThatMayBePython) {
  EXPECT_EQ(program_of("print(1)\n"), "print(1)");
  EXPECT_EQ(program_of("\xEF\xBB\xBFprint(1)"), "print(1)");
  EXPECT_EQ(program_of("```py\nprint(1)\n"), "print(1)\n");
  EXPECT_EQ(program_of("``` ```"), "");
  EXPECT_EQ(
      program_of(
          "A draft:\n```python\nx = 1\ny = 2\nprint(x)\n```\nThe end:\n```\nprint(1)\n```\nDone."),
      "print(1)\n");
  EXPECT_EQ(program_of("```python\nprint(1)\n```\n```text\n$ python x.py\n1\n1\n1\n1\n```"),
            "print(1)\n");
  EXPECT_EQ(program_of("```cpp\nint x;\n```"), "int x;\n");
  EXPECT_EQ(program_of("```Python\nprint(1)\n```\n```python\n```"), "print(1)\n");
}

TEST(ProgramText, IsTheLastBlockThatDefinesTheName) {
  const char* const answer =
      "```python\ndef f(x):\n    return x\n```\nUse it:\n```python\nprint(f(3))\nfoo = 1\n```";
  EXPECT_EQ(program_of(answer, "f"), "def f(x):\n    return x\n");
  EXPECT_EQ(program_of(answer, "g"), "print(f(3))\nfoo = 1\n");
  EXPECT_EQ(program_of("```\nclass Solution:\n    pass\n```\n```\nSolution()\n```", "Solution"),
            "class Solution:\n    pass\n");
  EXPECT_EQ(program_of("```\nf = lambda x: x\n```\n```\nf == 1\nfx = 1\n```", "f"),
            "f = lambda x: x\n");
}

TEST(ProgramText, ReadsFencesAsPeopleWriteThem) {
  EXPECT_EQ(program_of("~~~python\nprint(1)\n~~~"), "print(1)\n");
  EXPECT_EQ(program_of("1. So:\n   ```python\n   if x:\n       y()\n   ```\n"), "if x:\n    y()\n");
  EXPECT_EQ(program_of("```python print(1)```"), "print(1)\n");
  EXPECT_EQ(program_of("````\n```\nx\n```\n````"), "```\nx\n```\n");
  EXPECT_EQ(program_of("~~~\na = '```'\n```\n~~~"), "a = '```'\n```\n");
  // A fence in a docstring ends nothing.
  EXPECT_EQ(
      program_of(
          "```python\ndef f():\n    '''\n    ```\n    f()\n    ```\n    '''\n    return 1\n```"),
      "def f():\n    '''\n    ```\n    f()\n    ```\n    '''\n    return 1\n");
}

TEST(ProgramText, IsNeverLongerThanTheAnswer) {
  Rng rng({.seed = 8, .purpose = hash_name("program_of")});
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (int k = 0; k < 40; ++k)
      text += rng.chance(0.3) ? "```" : rng.chance(0.3) ? "\n" : rng.chance(0.1) ? "~~~" : "a\xff ";
    ASSERT_LE(program_of(text, "a").size(), text.size() + 1);
  }
}

TEST(ProgramText, ComparesOutputByLines) {
  EXPECT_TRUE(same_output("1 \n2\n\n", "1\n2"));
  EXPECT_TRUE(same_output("", "\n"));
  EXPECT_FALSE(same_output("1 2", "1\n2"));
  EXPECT_FALSE(same_output("1\n\n2", "1\n2"));
  EXPECT_FALSE(same_output("3.0", "3"));
}

// Each pair was put to LiveCodeBench's own grader.
TEST(ProgramText, ComparesDecimalsAsLiveCodeBenchDoes) {
  const auto same = [](std::string_view given, std::string_view expected) {
    return same_output(given, expected, OutputCompare::kDecimals);
  };
  EXPECT_TRUE(same("3.0", "3"));
  EXPECT_TRUE(same("0.50\n", "0.5"));
  EXPECT_TRUE(same("1e-05", "0.00001"));
  EXPECT_TRUE(same("  1   2.00", "1 2"));
  EXPECT_TRUE(same("-0.0", "0"));
  EXPECT_TRUE(same("1E+2", "100"));
  EXPECT_TRUE(same("\n\nYES\n", "YES"));
  EXPECT_FALSE(same("50000000000000000", "50000000000000001"));
  EXPECT_FALSE(same("0.3333333", "0.333333"));
  EXPECT_FALSE(same("3.0 x", "3 x"));
  EXPECT_FALSE(same("yes", "YES"));
  EXPECT_FALSE(same("1 2", "1\n2"));
  EXPECT_FALSE(same("1e", "1"));
}

}  // namespace
}  // namespace redqueen::data_sets
