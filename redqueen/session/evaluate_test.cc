#include "redqueen/session/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/suites/testing/echo.h"

namespace redqueen {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Evaluate, CountsPerEnvironmentAndLevel) {
  EchoPolicy two_digits(2);
  const auto result =
      evaluate(two_digits, echo_suite(),
               {.levels = {0, 1, 2, 9}, .problems = 7, .format = *PromptFormat::parse("terse")});
  ASSERT_TRUE(result.has_value());
  const auto& records = result->records;
  ASSERT_EQ(records.size(), 3u) << "level 9 is beyond the highest";
  EXPECT_EQ(records[0].solved, 7);
  EXPECT_EQ(records[1].mean_reward, 1.0);
  EXPECT_EQ(records[2].solved, 0);
  EXPECT_EQ(total_of(records).problems, 21);
  EXPECT_THAT(evaluation_table(records), HasSubstr("14/21"));
  EXPECT_THAT(result->warnings(), IsEmpty());
}

TEST(Evaluate, RefusesLevelsThatNobodyHas) {
  EchoPolicy two_digits(2);
  const auto result = evaluate(two_digits, echo_suite(), {.levels = {9, 12}});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(result.error().message, HasSubstr("level 9, 12; its highest level is 5"));
}

// A policy that is asked in a format that it was not taught solves nothing, and nobody would know
// why.
TEST(Evaluate, SaysWhenNoAnswerCanBeRead) {
  EchoPolicy two_digits(2);
  const auto result =
      evaluate(two_digits, echo_suite(),
               {.levels = {0}, .problems = 7, .format = *PromptFormat::parse("boxed")});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->malformed, 7);
  EXPECT_THAT(result->warnings(), ElementsAre(HasSubstr("none of 7 answers has the form")));
}

TEST(Evaluate, TakesLevelsAndProblemsFromSettingsBeforeTheSuite) {
  TrainSettings settings;
  Suite suite = echo_suite();
  suite.levels.clear();
  suite.problems = 0;
  EXPECT_EQ(evaluation_options(settings, suite)->problems, 50);
  EXPECT_THAT(evaluation_options(settings, suite)->levels, ElementsAre(0, 1, 2, 3, 4));
  suite.levels = {1, 2};
  suite.problems = 30;
  EXPECT_EQ(evaluation_options(settings, suite)->problems, 15);
  EXPECT_THAT(evaluation_options(settings, suite)->levels, ElementsAre(1, 2));
  settings.evaluation.levels = {0};
  settings.evaluation.problems = 4;
  EXPECT_EQ(evaluation_options(settings, suite)->problems, 4);
  EXPECT_THAT(evaluation_options(settings, suite)->levels, ElementsAre(0));
}

}  // namespace
}  // namespace redqueen
