#include "redqueen/synth/validation/extraction.h"

#include <gtest/gtest.h>

#include "redqueen/base/rng.h"

namespace redqueen::synth {
namespace {

TEST(Extraction, TakesTheLongestPythonBlock) {
  EXPECT_EQ(longest_python_block("First:\n```python\na = 1\n```\nthen\n```\nb = 22222\n```\n"),
            "b = 22222\n");
  EXPECT_EQ(longest_python_block("```python\nlonger = 1\n```\n```python\nb\n```"), "longer = 1\n");
  EXPECT_EQ(longest_python_block("```py\nx\n```\n```Python3 title=\"t\"\ny\n```"), "y\n");
}

TEST(Extraction, IgnoresOtherLanguages) {
  EXPECT_EQ(
      longest_python_block("```json\n{\"much\": \"longer than the rest\"}\n```\n```py\nx\n```"),
      "x\n");
  EXPECT_EQ(longest_python_block("```cpp\nint x;\n```"), std::nullopt);
  EXPECT_EQ(longest_python_block("no fence at all"), std::nullopt);
  EXPECT_EQ(longest_python_block(""), std::nullopt);
}

TEST(Extraction, FencesCloseOnlyTheirOwnKind) {
  EXPECT_EQ(longest_python_block("````python\ns = '''\n```\n'''\n````\n"), "s = '''\n```\n'''\n");
  EXPECT_EQ(longest_python_block("~~~python\na\n```\nb\n~~~\n"), "a\n```\nb\n");
  EXPECT_EQ(longest_python_block("```python\r\na = 1\r\n```\r\n"), "a = 1\r\n");
  EXPECT_EQ(longest_python_block("Use ```inline``` code.\n```python\na\n```"), "a\n");
}

TEST(Extraction, ACutOffBlockCountsOnlyAlone) {
  EXPECT_EQ(longest_python_block("```python\ndef f(:\n    retu"), "def f(:\n    retu");
  EXPECT_EQ(longest_python_block("```python\na\n```\n```python\nmuch longer but cut of"), "a\n");
}

// Whatever block comes out is text of the response.
TEST(Extraction, MeetsRandomBytes) {
  Rng rng(RandomAddress{.purpose = hash_name("extraction test")});
  const std::string_view pieces[] = {"```", "~~~", "python", "\n",   "\r\n",
                                     " ",   "a",   "`",      "````", "\xff"};
  for (int round = 0; round < 20000; ++round) {
    std::string response;
    for (std::uint64_t i = rng.below(30); i > 0; --i)
      response += pieces[rng.below(std::size(pieces))];
    const auto block = longest_python_block(response);
    if (block) {
      EXPECT_NE(response.find(*block), std::string::npos) << response;
    }
  }
}

}  // namespace
}  // namespace redqueen::synth
