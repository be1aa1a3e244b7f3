#include "redqueen/core/prompt_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/core/completion.h"

namespace redqueen {
namespace {

// What a policy is taught to write in a format is what the verifier finds in it.
TEST(PromptFormat, FindsTheAnswerOfItsOwnCompletion) {
  for (const std::string text : {"plain", "boxed", "chatml", "think", "terse", "bare",
                                 "Q: {problem}\nA:", "Q: {problem}\nWrite the answer as \\boxed{}.",
                                 "{problem}\n<answer>"}) {
    const auto format = PromptFormat::parse(text);
    ASSERT_TRUE(format.has_value()) << text;
    const std::string response = response_of(completion_for("4 2", *format), *format);
    EXPECT_EQ(extract_answer(response, format->marker), "4 2") << text;
  }
}

TEST(PromptFormat, AsksForABoxWhereTheTemplateShowsOne) {
  EXPECT_EQ(PromptFormat::parse("{problem} \\boxed{}")->marker, MarkerStyle::kBoxed);
  EXPECT_EQ(PromptFormat::parse("{problem} in a box")->marker, MarkerStyle::kAnswerTag);
  EXPECT_EQ(PromptFormat::parse("{problem} \\boxed{}")->render("1 + 1?"), "1 + 1? \\boxed{}");
}

TEST(PromptFormat, SaysWhichFormatsThereAre) {
  const auto unknown = PromptFormat::parse("plaim");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(unknown.error().message,
              testing::HasSubstr("plain, boxed, chatml, think, terse, bare"));
  for (const char* chat : {"chat", "chat:nothink"}) {
    EXPECT_THAT(PromptFormat::parse(chat).error().message, testing::HasSubstr("of a policy"));
  }
}

TEST(PromptFormat, LooksForTheAnswerBehindThoughtsWhereItIsToldTo) {
  const auto part = [](ThoughtReading thoughts, std::string_view response,
                       std::string_view text = "{problem}") {
    const PromptFormat format{.text = std::string(text), .thoughts = thoughts};
    return std::string(format.part_of(response).value_or("nothing"));
  };
  using enum ThoughtReading;
  EXPECT_EQ(part(kWhole, "<think>a"), "<think>a");
  EXPECT_EQ(part(kClosed, "a"), "a");
  EXPECT_EQ(part(kClosed, "<think>a</think>b"), "b");
  EXPECT_EQ(part(kClosed, "a</think>b"), "b");
  EXPECT_EQ(part(kClosed, "<think>a</think>b</think>c"), "c");
  EXPECT_EQ(part(kClosed, "<think>a"), "nothing");
  EXPECT_EQ(part(kClosed, "<think>a</think>b<think>c"), "nothing");
  EXPECT_EQ(part(kClosed, "a", "{problem} <think>\n"), "nothing");
  EXPECT_EQ(part(kClosed, "a</think>b", "{problem} <think>\n"), "b");
  EXPECT_EQ(part(kBehind, "a"), "nothing");
  EXPECT_EQ(part(kBehind, "a</think>b"), "b");
  EXPECT_EQ(part(kBehind, "<think>a</think>"), "");
}

}  // namespace
}  // namespace redqueen
