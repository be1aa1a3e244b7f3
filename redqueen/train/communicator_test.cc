// Trainers that work together do what one trainer does.
#include "redqueen/train/communicator.h"

#include <gtest/gtest.h>

#include "redqueen/train/testing/together.h"

namespace redqueen {
namespace {

TEST(Communicator, TrainAsOneDoes) {
  const std::vector<std::vector<ScoredGroup>> batches{some_groups(1), some_groups(2)};
  for (const int size : {2, 3}) {
    TrainerOptions options = smooth_options();
    expect_equal_to_one(size, options, 2e-6, batches);
    options.micro_batch_tokens = 30;
    options.mini_batches = 2;
    options.objective.entropy_coefficient = 0.01;
    expect_equal_to_one(size, options, 2e-6, batches);
    options.epochs = 2;
    options.old_log_probs = OldLogProbs::kRecomputed;
    options.objective.importance_cap = 2;
    expect_equal_to_one(size, options, 5e-6, batches);
  }
}

TEST(Communicator, TrainAsOneDoesOnResponsesOfSeveralTurns) {
  TrainerOptions options = smooth_options();
  options.micro_batch_tokens = 30;
  options.epochs = 2;
  options.old_log_probs = OldLogProbs::kRecomputed;
  expect_equal_to_one(2, options, 5e-6, {some_groups(6, 6, true), some_groups(7, 6, true)});
}

// Two groups, two micro-batches, two processes: a sum of two numbers knows no order.
TEST(Communicator, TrainAsOneDoesToTheBitWhereTheSumIsTheSame) {
  std::vector<ScoredGroup> groups = some_groups(3, 2);
  for (ScoredGroup& group : groups) group.prompt.assign(44, 3);  // two do not fit into one budget
  TrainerOptions options;
  options.micro_batch_tokens = 87;
  options.schedule.peak = 0.01;
  expect_equal_to_one(2, options, 0, {groups, groups});
}

TEST(Communicator, OneBatchForMoreProcessesThanItHasGroups) {
  expect_equal_to_one(4, smooth_options(), 2e-6, {some_groups(4, 1)});
}

TEST(Communicator, AFaultInOneShareStopsAll) {
  auto groups = some_groups(5);
  for (ScoredRollout& rollout : groups[4].rollouts) rollout.completion.log_probs[0] = NAN;
  groups[4].rollouts.resize(1);
  groups[4].rollouts.push_back(groups[4].rollouts[0]);
  groups[4].rollouts[1].reward += 1;
  const Together together = train_together(2, smooth_options(), {groups});
  for (std::size_t r = 0; r < 2; ++r) {
    ASSERT_FALSE(together.reports[r].has_value());
    EXPECT_NE(together.reports[r].error().message.find("of group 4"), std::string::npos);
    EXPECT_EQ(together.reports[r].error().message, together.reports[0].error().message);
    EXPECT_EQ(together.weights[r], weights_of(fresh()));
  }
}

}  // namespace
}  // namespace redqueen
