#include "redqueen/synth/admission/prompt_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"

namespace redqueen::synth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PromptTemplateTest, FillsEveryPlace) {
  const PromptTemplate prompt = PromptTemplate::parse("{a} {{b}}{{c_2}} {{b}}!").value();
  EXPECT_THAT(prompt.names(), ElementsAre("b", "c_2"));
  EXPECT_EQ(prompt.fill({{"b", "x"}, {"c_2", ""}}).value(), "{a} x x!");
  EXPECT_EQ(PromptTemplate::parse("").value().fill({}).value(), "");
}

TEST(PromptTemplateTest, LeavesValuesAlone) {
  const PromptTemplate prompt = PromptTemplate::parse("{{a}}{{b}}").value();
  EXPECT_EQ(prompt.fill({{"a", "{{b}}"}, {"b", "{{a}} {{"}}).value(), "{{b}}{{a}} {{");
}

TEST(PromptTemplateTest, RefusesMissingAndUnknownNames) {
  const PromptTemplate prompt = PromptTemplate::parse("{{a}}").value();
  EXPECT_THAT(prompt.fill({}).error().message, HasSubstr("{{a}}"));
  EXPECT_THAT(prompt.fill({{"a", ""}, {"other", ""}}).error().message, HasSubstr("{{other}}"));
}

TEST(PromptTemplateTest, RefusesBracesThatOpenNoPlace) {
  for (const char* text : {"\n{{", "\n{{}}", "\n{{ a }}", "\n{{A}}", "\n{{a}", "\n{{{a}}}"}) {
    const auto prompt = PromptTemplate::parse(text);
    ASSERT_FALSE(prompt) << text;
    EXPECT_THAT(prompt.error().message, HasSubstr("line 2"));
  }
  EXPECT_THAT(PromptTemplate::load("no/such/file.txt").error().message, HasSubstr("file.txt"));
}

TEST(PromptTemplateTest, SurvivesAnyText) {
  for (std::uint64_t i = 0; i < 2000; ++i) {
    Rng rng({.seed = 5, .purpose = hash_name("template"), .index = i});
    std::string text;
    for (std::int64_t left = rng.integer(0, 20); left > 0; --left)
      text += "{}a{}_\n x"[rng.below(9)];
    const auto prompt = PromptTemplate::parse(text);
    if (!prompt) continue;
    std::map<std::string, std::string> places;
    for (const std::string& name : prompt->names()) places[name] = "{{" + name + "}}";
    EXPECT_EQ(prompt->fill(places).value(), text);
  }
}

TEST(FencedTest, CannotBeLeft) {
  EXPECT_EQ(fenced("x = 1\n", "python"), "```python\nx = 1\n```");
  EXPECT_EQ(fenced("a\n```\nb"), "````\na\n```\nb\n````");
  EXPECT_EQ(fenced("`````"), "``````\n`````\n``````");
}

TEST(ShortenedTest, CutsBetweenCharacters) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "abc … (1 more bytes)");
  EXPECT_EQ(shortened("aéé", 2), "a … (4 more bytes)");
  EXPECT_EQ(shortened("\x80\x80\x80", 1), " … (3 more bytes)");
}

}  // namespace
}  // namespace redqueen::synth
