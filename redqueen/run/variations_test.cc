#include "redqueen/run/variations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redqueen::run {
namespace {

using testing::HasSubstr;

std::vector<std::string> labels(const std::vector<Variation>& variations) {
  std::vector<std::string> labels;
  for (const Variation& one : variations) labels.push_back(one.label);
  return labels;
}

TEST(Variations, AreSplitAtCommasOutsideOfQuotesAndBrackets) {
  const auto suites = parse_vary(R"(curriculum.suite="Sorting,Division",c4)");
  ASSERT_TRUE(suites);
  EXPECT_EQ(*suites, (std::vector<Variation>{
                         {"Sorting-Division", {R"(curriculum.suite="Sorting,Division")"}},
                         {"c4", {"curriculum.suite=c4"}}}));
  EXPECT_EQ(labels(*parse_vary("evoenv.levels=[0,1],[0,1,2]")),
            (std::vector<std::string>{"0-1", "0-1-2"}));
  EXPECT_EQ(labels(*parse_vary("train.learning_rate=1e-4,3e-4")),
            (std::vector<std::string>{"1e-4", "3e-4"}));
}

TEST(Variations, SayWhatIsWrong) {
  EXPECT_THAT(parse_vary("c4,c16").error().message, HasSubstr("KEY=VALUE"));
  EXPECT_THAT(parse_vary("=1,2").error().message, HasSubstr("KEY=VALUE"));
  EXPECT_THAT(parse_vary("run.seed=1,").error().message, HasSubstr("empty"));
  EXPECT_THAT(parse_vary("policy.path=a/b,a-b").error().message, HasSubstr("called a-b"));
  EXPECT_THAT(parse_vary("policy.path=..,/").error().message, HasSubstr("empty"));
  EXPECT_THAT(parse_variant("no colon").error().message, HasSubstr("LABEL:"));
  EXPECT_THAT(parse_variant("x: a").error().message, HasSubstr("a is no KEY=VALUE"));
}

TEST(Variations, CombineAndTakeSeeds) {
  const auto all = combinations({*parse_vary("a.x=1,2"), *parse_vary("b.y=3,4")});
  EXPECT_EQ(labels(all), (std::vector<std::string>{"1-3", "1-4", "2-3", "2-4"}));
  EXPECT_EQ(all[1].assignments, (std::vector<std::string>{"a.x=1", "b.y=4"}));
  const auto variant = parse_variant("two keys:  a.x=1  b.y=2 ");
  ASSERT_TRUE(variant);
  EXPECT_EQ(*variant, (Variation{"two-keys", {"a.x=1", "b.y=2"}}));
  const auto seeds = with_seeds(*variant, 7, 2);
  EXPECT_EQ(labels(seeds), (std::vector<std::string>{"two-keys-seed-7", "two-keys-seed-8"}));
  EXPECT_EQ(seeds[1].assignments.back(), "run.seed=8");
  EXPECT_EQ(with_seeds(*variant, 7, 1)[0].label, "two-keys");
}

}  // namespace
}  // namespace redqueen::run
