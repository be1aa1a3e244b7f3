#include "redqueen/synth/admission/generator_prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redqueen::synth {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kGeneratorPromptFile = "configs/evoenv/prompts/generator.txt";
const std::string kRepairPromptFile = "configs/evoenv/prompts/repair.txt";

TEST(GeneratorPromptTest, ShowsTheExamplesInOrder) {
  const PromptTemplate prompt = PromptTemplate::parse("Look:\n{{examples}}\nNow you.").value();
  EXPECT_EQ(generator_prompt(prompt, {.examples = {"a\n", "b"}}).value(),
            "Look:\nExample 1:\n```python\na\n```\n\nExample 2:\n```python\nb\n```\nNow you.");
  EXPECT_FALSE(generator_prompt(PromptTemplate::parse("no place").value(), {}));
  EXPECT_FALSE(generator_prompt(PromptTemplate::parse("{{examples}} {{other}}").value(), {}));
  EXPECT_FALSE(generator_prompt(prompt, {.topic = "chemistry"})) << "there is no place for it";
}

// Every name that an example may use is explained.
TEST(GeneratorPromptTest, TheShippedPromptShowsTheWholeInterface) {
  const PromptTemplate shipped = PromptTemplate::load(kGeneratorPromptFile).value();
  const std::string text = generator_prompt(shipped, {.examples = {"SOURCE"}}).value();
  for (const char* part :
       {"VerifiableEnvironment", "prompt_template", "_generate", "_process", "_prompt_generate",
        "scorer", "ref_answer", "SOURCE", "bisect", "def reference_text", "def parse_int_rows",
        "def share_reward", "def closeness_reward", "def ratio_reward", "def grow", "Random",
        "levels 0 to 4"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  for (const char* part : {"refused lately", "there already", "about:", "of this kind"})
    EXPECT_THAT(text, Not(HasSubstr(part)));
}

TEST(GeneratorPromptTest, TellsOfThePoolAndOfRefusals) {
  const PromptTemplate shipped = PromptTemplate::load(kGeneratorPromptFile).value();
  GeneratorMaterial material{.examples = {"SOURCE"},
                             .pool = {"Sorting: Sort these"},
                             .failures = {"Coins (too_easy): all solved"},
                             .suggestion = "geometry"};
  const std::string text = generator_prompt(shipped, material).value();
  for (const char* part :
       {"- Sorting: Sort these\n", "- Coins (too_easy): all solved\n", "of this kind: geometry"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  material.topic = "railway timetables";
  const std::string asked = generator_prompt(shipped, material).value();
  EXPECT_THAT(asked, HasSubstr("is about: railway timetables"));
  EXPECT_THAT(asked, Not(HasSubstr("geometry")));
}

TEST(RepairPromptTest, ShowsSourceReasonAndInterface) {
  const PromptTemplate shipped = PromptTemplate::load(kRepairPromptFile).value();
  const std::string text = repair_prompt(shipped, "class A: pass", "L2 raises: line 3").value();
  for (const char* part : {"class A: pass", "L2 raises: line 3", "def parse_int"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(PoolLineTest, NamesTheClassAndItsTask) {
  EXPECT_EQ(pool_line("import re\nclass Helper:\n  pass\nclass Sums(VerifiableEnvironment):\n",
                      "Add\nthese."),
            "Sums: Add these.");
  EXPECT_EQ(pool_line("x = 1", "Add."), "?: Add.");
}

}  // namespace
}  // namespace redqueen::synth
