#include "redqueen/recipes/azr/buffer.h"

#include <gtest/gtest.h>

#include "redqueen/recipes/azr/rewards.h"

namespace redqueen::azr {
namespace {

code_tasks::CodeTask numbered(int i) {
  return {.type = code_tasks::TaskType::kDeduction,
          .program = fmt::format("def f(x):\n    return x + {}", i),
          .input = "1",
          .output = fmt::format("{}", i % 3)};
}

TEST(CodeTask, JsonRoundTripsAndNamesFollowContent) {
  code_tasks::CodeTask induction{.type = code_tasks::TaskType::kInduction,
                                 .imports = "import math",
                                 .program = "def f(x): pass",
                                 .message = "line\n\"quoted\" é"};
  induction.pairs = {{"1", "2"}, {"'a'", "3"}, {"x=1", "4"}};
  for (const code_tasks::CodeTask& task :
       {numbered(1), induction, zero_task(code_tasks::TaskType::kError)}) {
    const auto read = code_tasks::CodeTask::read_json(task.write_json());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, task);
    EXPECT_EQ(read->name(), task.name());
  }
  EXPECT_EQ(induction.shown_pairs().size(), 1U);
  EXPECT_EQ(induction.hidden_pairs().size(), 2U);
  EXPECT_NE(numbered(1).name(), numbered(2).name());
  for (const char* text : {"[]", "{}", R"({"type":"deduction"})", R"({"type":"x","program":""})",
                           R"({"type":"induction","program":"","pairs":[["1","2"]]})",
                           R"({"type":"induction","program":"","pairs":[["1"],["2"]]})",
                           R"({"type":"deduction","program":"","input":1,"output":""})"}) {
    EXPECT_FALSE(code_tasks::CodeTask::read_json(*parse_json(text))) << text;
  }
}

TEST(TaskBuffer, TheOldestLeavesForTheNewest) {
  TaskBuffer buffer(4);
  for (int i = 0; i < 7; ++i) buffer.add(numbered(i));
  ASSERT_EQ(buffer.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(buffer[i], numbered(static_cast<int>(i) + 3));
  EXPECT_FALSE(buffer.contains(numbered(2)));
  EXPECT_TRUE(buffer.contains(numbered(3)));
  EXPECT_DOUBLE_EQ(buffer.output_share("0"), 0.5);  // of 3 and 6
  EXPECT_DOUBLE_EQ(buffer.output_share("7"), 0.0);
}

TEST(TaskBuffer, AnEqualTaskStaysUntilItsLastCopyLeaves) {
  TaskBuffer buffer(2);
  buffer.add(numbered(1));
  buffer.add(numbered(1));
  buffer.add(numbered(2));
  EXPECT_TRUE(buffer.contains(numbered(1)));
  buffer.add(numbered(3));
  EXPECT_FALSE(buffer.contains(numbered(1)));
}

TEST(TaskBuffer, ProgramsAreNewAndOfInductionTheExamplesToo) {
  TaskBuffer buffer(3);
  buffer.add(numbered(1));
  code_tasks::CodeTask other = numbered(1);
  other.input = "2";
  other.output = "3";
  EXPECT_TRUE(buffer.contains(other));
  code_tasks::CodeTask induction{
      .type = code_tasks::TaskType::kInduction, .program = "def f(x): pass", .message = "one"};
  induction.pairs = {{"1", "2"}, {"2", "3"}};
  buffer.add(induction);
  EXPECT_TRUE(buffer.contains(induction));
  induction.pairs[1].input = "5";
  EXPECT_FALSE(buffer.contains(induction));
}

TEST(TaskBuffer, DrawsUniformlyAndWithoutRepetition) {
  TaskBuffer buffer(10);
  for (int i = 0; i < 5; ++i) buffer.add(numbered(i));
  Rng rng({.purpose = hash_name("draws")});
  std::map<std::string, int> seen;
  for (int i = 0; i < 5000; ++i) ++seen[buffer.draw(rng).name()];
  ASSERT_EQ(seen.size(), 5U);
  for (const auto& [name, count] : seen) EXPECT_NEAR(count, 1000, 150);
  const std::vector<code_tasks::CodeTask> sample = buffer.sample(rng, 9);
  ASSERT_EQ(sample.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(sample[i], sample[j]);
  }
  EXPECT_TRUE(TaskBuffer(3).sample(rng, 2).empty());
}

TEST(TaskBuffer, StateRestoresEverything) {
  TaskBuffer buffer(3);
  for (int i = 0; i < 5; ++i) buffer.add(numbered(i));
  TaskBuffer other(3);
  other.add(numbered(9));
  ASSERT_TRUE(other.restore(*parse_json(dump_json(buffer.state()))));
  ASSERT_EQ(other.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(other[i], buffer[i]);
  EXPECT_FALSE(other.contains(numbered(9)));
  EXPECT_EQ(other.output_share("2"), buffer.output_share("2"));
  EXPECT_FALSE(other.restore(Json::object()));
  EXPECT_FALSE(other.restore(Json::array({1})));
  EXPECT_EQ(other.size(), 3U);
}

TEST(Rewards, LearnabilityIsHighestForTasksThatAreJustSolvable) {
  EXPECT_EQ(learnability(0), 0);
  EXPECT_EQ(learnability(1), 0);
  EXPECT_DOUBLE_EQ(learnability(0.125), 0.875);
  EXPECT_DOUBLE_EQ(learnability(0.875), 0.125);
}

TEST(Rewards, FormWrapsThem) {
  EXPECT_EQ(wrap_by_form(0.3, true), 0.3);
  EXPECT_EQ(wrap_by_form(0, true), -0.5);
  EXPECT_EQ(wrap_by_form(0.3, false), -1);
}

TEST(Rewards, AggregationRulesDiffer) {
  const std::vector<double> intrinsic{0.5, 0.2};
  EXPECT_DOUBLE_EQ(aggregate(RewardAggregation::kSum, 0.6, intrinsic), 1.3);
  EXPECT_DOUBLE_EQ(aggregate(RewardAggregation::kProduct, 0.6, intrinsic), 0.06);
  EXPECT_DOUBLE_EQ(aggregate(RewardAggregation::kSumAndProduct, 0.6, intrinsic), 0.7);
  EXPECT_DOUBLE_EQ(aggregate(RewardAggregation::kProductOfSums, 0.6, intrinsic), 0.42);
  for (const auto rule : {RewardAggregation::kSum, RewardAggregation::kProduct,
                          RewardAggregation::kSumAndProduct, RewardAggregation::kProductOfSums}) {
    EXPECT_DOUBLE_EQ(aggregate(rule, 0.6, {}), 0.6);
  }
  EXPECT_DOUBLE_EQ(saturating(10, 10), 0.5);
  EXPECT_EQ(saturating(0, 10), 0);
}

}  // namespace
}  // namespace redqueen::azr
