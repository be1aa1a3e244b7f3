#include "redqueen/session/drawn_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "redqueen/base/testing/folder.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

DrawnBatch batch_of_everything() {
  ScoredGroup group{
      .role = "solver", .task = "sorting", .rule = AdvantageRule::kRoleTaskNormalised};
  group.loss_weight = 0.1;
  group.prompt = {1, 2, 151'643};
  ScoredRollout rollout{
      .reward = -kInfinity, .solved = true, .well_formed = true, .given = {{1, 2}}};
  rollout.completion = {.text = "cut within \xE2\x80",
                        .tokens = {3, 4},
                        .log_probs = {-0.1F, std::nextafter(-1.F, 0.F)},
                        .finish = FinishReason::kLength};
  group.rollouts = {rollout, {.completion = {.tokens = {5}, .log_probs = {-2}}}};
  DrawnBatch batch{.step = 7};
  batch.made.groups = {group, {.role = "proposer", .prompt = {9}}};
  batch.made.metrics = {{"reward", 0.1}, {"solved", std::nan("")}, {"tokens", 1e300}};
  batch.made.rollouts = {{.group = 3,
                          .environment = "Sorting",
                          .level = 2,
                          .problem_address = "Sorting/1@2:3",
                          .prompt = "any \xFF byte",
                          .response = "3 1 2",
                          .reward = 0.25,
                          .solved = true,
                          .well_formed = true,
                          .tokens = 12,
                          .turns = Json::array({{{"role", "user"}, {"text", "and?"}}})},
                         {.group = 4}};
  batch.made.items = {{.kind = "task",
                       .name = "a",
                       .fate = "valid",
                       .data = {{"big", *parse_json("123456789012345678901234567890")},
                                {"text", "\xFF"},
                                {"list", {1, -2, 0.1}}}},
                      {.kind = "task"}};
  batch.made.sampled_tokens = 1'000'000'007;
  batch.made.missing = {.asked = 9, .too_long = 2, .failed = 1, .reason = "far too long"};
  batch.made.remark = "a turn was rewritten";
  batch.curriculum = {{"Sorting", 1, 4, 20, 15}, {"CRT", 0, 0, 1, 0}};
  batch.sampling_seconds = 1.0 / 3;
  batch.waiting_seconds = 1e-9;
  return batch;
}

template <typename Number>
void expect_same_bits(const Number& a, const Number& b) {
  EXPECT_EQ(std::memcmp(&a, &b, sizeof(a)), 0) << a << " and " << b;
}

TEST(DrawnBatchFile, KeepsEveryBit) {
  const TestFolder folder;
  const DrawnBatch batch = batch_of_everything();
  ASSERT_TRUE(save_drawn_batch(folder / "batch", batch));
  const auto read = load_drawn_batch(folder / "batch");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->step, batch.step);
  ASSERT_EQ(read->made.groups.size(), batch.made.groups.size());
  for (std::size_t g = 0; g < batch.made.groups.size(); ++g) {
    const ScoredGroup& a = batch.made.groups[g];
    const ScoredGroup& b = read->made.groups[g];
    EXPECT_EQ(b.role, a.role);
    EXPECT_EQ(b.task, a.task);
    EXPECT_EQ(b.rule, a.rule);
    expect_same_bits(b.loss_weight, a.loss_weight);
    EXPECT_EQ(b.prompt, a.prompt);
    ASSERT_EQ(b.rollouts.size(), a.rollouts.size());
    for (std::size_t r = 0; r < a.rollouts.size(); ++r) {
      EXPECT_EQ(b.rollouts[r].completion.text, a.rollouts[r].completion.text);
      EXPECT_EQ(b.rollouts[r].completion.tokens, a.rollouts[r].completion.tokens);
      EXPECT_EQ(b.rollouts[r].completion.log_probs, a.rollouts[r].completion.log_probs);
      EXPECT_EQ(b.rollouts[r].completion.finish, a.rollouts[r].completion.finish);
      EXPECT_EQ(b.rollouts[r].given, a.rollouts[r].given);
      expect_same_bits(b.rollouts[r].reward, a.rollouts[r].reward);
      EXPECT_EQ(b.rollouts[r].solved, a.rollouts[r].solved);
      EXPECT_EQ(b.rollouts[r].well_formed, a.rollouts[r].well_formed);
    }
  }
  ASSERT_EQ(read->made.metrics.size(), batch.made.metrics.size());
  for (std::size_t m = 0; m < batch.made.metrics.size(); ++m) {
    const run::MetricValue& a = batch.made.metrics[m];
    const run::MetricValue& b = read->made.metrics[m];
    EXPECT_EQ(b.name, a.name);
    EXPECT_TRUE(b.value == a.value || (std::isnan(b.value) && std::isnan(a.value))) << a.name;
  }
  EXPECT_EQ(read->made.rollouts, batch.made.rollouts);
  EXPECT_EQ(read->made.items, batch.made.items);
  EXPECT_EQ(read->made.sampled_tokens, batch.made.sampled_tokens);
  EXPECT_EQ(read->made.missing.asked, batch.made.missing.asked);
  EXPECT_EQ(read->made.missing.too_long, batch.made.missing.too_long);
  EXPECT_EQ(read->made.missing.failed, batch.made.missing.failed);
  EXPECT_EQ(read->made.missing.reason, batch.made.missing.reason);
  EXPECT_EQ(read->made.remark, batch.made.remark);
  EXPECT_EQ(read->curriculum, batch.curriculum);
  expect_same_bits(read->sampling_seconds, batch.sampling_seconds);
  expect_same_bits(read->waiting_seconds, batch.waiting_seconds);
}

TEST(DrawnBatchFile, RefusesWhatIsNone) {
  const TestFolder folder;
  ASSERT_TRUE(save_drawn_batch(folder / "batch", batch_of_everything()));
  const std::string bytes = read_file(folder / "batch");
  for (const std::string& content :
       {std::string(), bytes.substr(0, bytes.size() / 2), bytes + "x", std::string("\xA0", 1)}) {
    write_file(folder / "other", content);
    const auto read = load_drawn_batch(folder / "other");
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr((folder / "other").string()));
  }
  EXPECT_FALSE(load_drawn_batch(folder / "nothing"));
  EXPECT_FALSE(save_drawn_batch(folder / "no" / "folder", batch_of_everything()));
}

}  // namespace
}  // namespace redqueen
