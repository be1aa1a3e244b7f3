// Trainers that work together, each in a thread of its own, do what one trainer does.
#include "redqueen/train/communicator.h"

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <barrier>
#include <cmath>
#include <functional>
#include <thread>

#include "redqueen/train/embedded_trainer.h"
#include "redqueen/train/testing/groups.h"
#include "redqueen/train/testing/policies.h"

namespace redqueen {
namespace {

constexpr int kVocabulary = 16;

// What all threads of a test see.
struct Table {
  explicit Table(int size) : size(size), barrier(size), texts(static_cast<std::size_t>(size)) {}

  int size;
  std::barrier<> barrier;
  std::vector<std::string> texts;
  std::vector<std::vector<at::Tensor>> tensors = std::vector<std::vector<at::Tensor>>(8);
};

// Adds in the order of the ranks.
class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(Table& table, int rank) : table_(table), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return table_.size; }

  Status sum(const std::vector<at::Tensor>& tensors) override {
    const at::NoGradGuard no_grad;
    auto& mine = table_.tensors[rank_];
    mine.clear();
    for (const at::Tensor& tensor : tensors) mine.push_back(tensor.detach().clone());
    table_.barrier.arrive_and_wait();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      at::Tensor total = table_.tensors[0][i].clone();
      for (int r = 1; r < table_.size; ++r) total.add_(table_.tensors[r][i]);
      tensors[i].detach().copy_(total);
    }
    table_.barrier.arrive_and_wait();
    return {};
  }

  Expected<std::vector<std::string>> exchange(const std::string& bytes) override {
    table_.texts[rank_] = bytes;
    table_.barrier.arrive_and_wait();
    std::vector<std::string> all = table_.texts;
    table_.barrier.arrive_and_wait();
    return all;
  }

 private:
  Table& table_;
  int rank_;
};

TrainerOptions smooth_options() {
  TrainerOptions options;
  options.optimizer.epsilon = 1;  // AdamW then moves by about the gradient itself
  options.optimizer.max_gradient_norm = 0;
  options.schedule.peak = 0.5;
  return options;
}

Transformer fresh() { return Transformer::initialise(tiny_config(kVocabulary), 5); }

std::vector<ScoredGroup> some_groups(std::uint64_t seed, std::size_t count = 6,
                                     bool turns = false) {
  Rng rng({.seed = seed, .purpose = hash_name("communicator_test")});
  return random_groups(rng, {.groups = count, .vocab_size = kVocabulary, .turns = turns},
                       AdvantageRule::kGroupNormalised);
}

struct Together {
  std::vector<std::vector<float>> weights;  // of every rank
  std::vector<Expected<StepReport>> reports;
};

// Two steps of `size` trainers on the same groups.
Together train_together(int size, const TrainerOptions& options,
                        const std::vector<std::vector<ScoredGroup>>& batches) {
  Table table(size);
  Together result;
  result.weights.resize(size);
  result.reports.resize(size, StepReport{});
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      const Transformer model = fresh();
      const auto trainer = EmbeddedTrainer::create(model, options).value();
      if (size > 1) trainer->join(std::make_shared<ThreadCommunicator>(table, rank));
      const std::size_t r = rank;
      for (const auto& groups : batches) {
        result.reports[r] = trainer->step(groups);
        if (!result.reports[r]) break;
      }
      result.weights[r] = weights_of(model);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return result;
}

void expect_equal_to_one(int size, const TrainerOptions& options, double tolerance,
                         const std::vector<std::vector<ScoredGroup>>& batches) {
  const Together alone = train_together(1, options, batches);
  const Together together = train_together(size, options, batches);
  ASSERT_TRUE(alone.reports[0].has_value());
  for (std::size_t r = 0; r < together.weights.size(); ++r) {
    ASSERT_TRUE(together.reports[r].has_value()) << together.reports[r].error().message;
    EXPECT_EQ(together.weights[r], together.weights[0]) << "ranks stay together, bit for bit";
    EXPECT_EQ(together.reports[r]->gradient_norm, together.reports[0]->gradient_norm);
  }
  const StepReport &one = *alone.reports[0], &all = *together.reports[0];
  EXPECT_EQ(all.updates, one.updates);
  EXPECT_EQ(all.sums.tokens, one.sums.tokens);
  EXPECT_NEAR(all.loss, one.loss, 1e-6);
  EXPECT_NEAR(all.sums.entropy, one.sums.entropy, 1e-3);
  EXPECT_NEAR(all.sums.max_mismatch, one.sums.max_mismatch, 1e-4);
  double worst = 0, moved = 0;
  const auto start = weights_of(fresh());
  for (std::size_t i = 0; i < start.size(); ++i) {
    worst = std::max<double>(worst, std::abs(together.weights[0][i] - alone.weights[0][i]));
    moved = std::max<double>(moved, std::abs(start[i] - alone.weights[0][i]));
  }
  EXPECT_LE(worst, tolerance);
  EXPECT_GT(moved, 1e-3) << "the comparison would hold for trainers that do nothing";
}

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
