#include "redqueen/synth/admission/generator_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redqueen::synth {
namespace {

using testing::HasSubstr;

const std::string kGeneratorPromptFile = "configs/evoenv/prompts/generator.txt";

TEST(GeneratorPromptTest, ShowsTheExamplesInOrder) {
  const PromptTemplate prompt = PromptTemplate::parse("Look:\n{{examples}}\nNow you.").value();
  EXPECT_EQ(generator_prompt(prompt, std::vector<std::string>{"a\n", "b"}).value(),
            "Look:\nExample 1:\n```python\na\n```\n\nExample 2:\n```python\nb\n```\nNow you.");
  EXPECT_FALSE(generator_prompt(PromptTemplate::parse("no place").value(), {}));
}

TEST(GeneratorPromptTest, TheShippedPromptNamesTheInterface) {
  const PromptTemplate shipped = PromptTemplate::load(kGeneratorPromptFile).value();
  const std::string text = generator_prompt(shipped, std::vector<std::string>{"SOURCE"}).value();
  for (const char* part : {"VerifiableEnvironment", "prompt_template", "_generate", "_process",
                           "_prompt_generate", "scorer", "ref_answer", "SOURCE", "bisect"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

}  // namespace
}  // namespace redqueen::synth
