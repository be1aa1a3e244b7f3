#include "redqueen/suites/reference_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/core/batch.h"
#include "redqueen/core/completion.h"
#include "redqueen/suites/testing/echo.h"

namespace redqueen {
namespace {

TEST(Scoring, CompletesEveryFormat) {
  const auto problem = kEcho.restore(Json{{"x", 42}});
  for (const char* name : {"plain", "boxed", "chatml", "think", "terse", "bare"}) {
    const auto format = PromptFormat::parse(name);
    ASSERT_TRUE(format.has_value());
    EXPECT_TRUE(score_completion(**problem, completion_for("42", *format), *format).solved) << name;
    EXPECT_FALSE(score_completion(**problem, completion_for("43", *format), *format).solved)
        << name;
    EXPECT_THAT(format->render("STATEMENT"), testing::HasSubstr("STATEMENT"));
  }
  EXPECT_FALSE(PromptFormat::parse("unknown").has_value());
  EXPECT_EQ(PromptFormat::parse("Q: {problem} A:")->render("x"), "Q: x A:");
}

TEST(WarmStart, TeachesReferenceAnswers) {
  const auto format = *PromptFormat::parse("terse");
  const auto pairs = reference_corpus(echo_suite(), {.levels = {0, 1}, .problems = 5}, format);
  ASSERT_EQ(pairs.size(), 10u);
  for (const TextPair& pair : pairs)
    EXPECT_EQ(pair.prompt, "Repeat " + pair.target.substr(0, pair.target.find('<')) + "\n<answer>");
  const auto more =
      reference_corpus(echo_suite(), {.levels = {1}, .problems = 5, .first = 5}, format);
  EXPECT_NE(more.front().prompt, pairs[5].prompt);
}

TEST(Suite, ReadsPublishedCollectionsAndNamesWhatIsMissing) {
  const Registry empty;
  const SuiteSources sources{empty, {"configs/suites"}, nullptr};
  const auto unknown = load_suite("c5", sources);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(unknown.error().message, testing::HasSubstr("c256"));
  const auto none = load_suite("c16", sources);  // this test links no native environment
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().message, testing::HasSubstr("16"));
}

}  // namespace
}  // namespace redqueen
