#include "redqueen/session/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/suites/testing/echo.h"

namespace redqueen {
namespace {

TEST(Evaluate, CountsPerEnvironmentAndLevel) {
  EchoPolicy two_digits(2);
  const auto records =
      evaluate(two_digits, echo_suite(),
               {.levels = {0, 1, 2, 9}, .problems = 7, .format = *PromptFormat::parse("terse")});
  ASSERT_TRUE(records.has_value());
  ASSERT_EQ(records->size(), 3u) << "level 9 is beyond the highest";
  EXPECT_EQ((*records)[0].solved, 7);
  EXPECT_EQ((*records)[1].mean_reward, 1.0);
  EXPECT_EQ((*records)[2].solved, 0);
  EXPECT_EQ(total_of(*records).problems, 21);
  EXPECT_THAT(evaluation_table(*records), testing::HasSubstr("14/21"));
}

}  // namespace
}  // namespace redqueen
