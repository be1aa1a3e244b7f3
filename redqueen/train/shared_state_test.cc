// Each process owns a slice of the optimizer's state (sharding.h).
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include "redqueen/base/testing/folder.h"
#include "redqueen/checkpoint/safetensors.h"
#include "redqueen/train/optimizer_file.h"
#include "redqueen/train/slices.h"
#include "redqueen/train/testing/together.h"
#include "redqueen/train/update_memory.h"

namespace redqueen {
namespace {

const std::vector<std::int64_t> kSizes{5, 1, 33, 2, 12};  // of the tensors below

// Small numbers that differ by process, whose sums are exact.
std::vector<at::Tensor> numbers_of(int rank) {
  std::vector<at::Tensor> tensors;
  for (const std::int64_t size : kSizes)
    tensors.push_back(at::arange(size, at::kFloat).mul_(rank + 2).add_(size));
  return tensors;
}

// Messages may cut a tensor anywhere, and some slices are empty.
TEST(Slices, AreAddedAndBroughtTogetherWhateverAMessageHolds) {
  for (const int size : {1, 2, 3, 4, 7}) {
    std::vector<at::Tensor> sums = numbers_of(0);
    for (int rank = 1; rank < size; ++rank) {
      const std::vector<at::Tensor> more = numbers_of(rank);
      for (std::size_t i = 0; i + 1 < sums.size(); ++i) sums[i].add_(more[i]);
    }
    for (const std::int64_t at_once : {1, 7, 20, 1000}) {
      in_threads(size, [&](const std::shared_ptr<Communicator>& communicator) {
        const Share share{communicator->rank(), size};
        std::vector<at::Tensor> parts = numbers_of(share.rank), own;
        const std::vector<at::Tensor> like = numbers_of(share.rank);
        if (share.rank > 0) parts.back() = at::Tensor();  // counts as zeros
        for (const std::int64_t numbers : kSizes)
          own.push_back(at::full({slice_of(numbers, share).count}, 0.5, at::kFloat));
        ASSERT_TRUE(add_slices(*communicator, parts, like, own, at_once));
        for (std::size_t i = 0; i < own.size(); ++i) {
          const at::Tensor expected = slice_tensor(sums[i], slice_of(kSizes[i], share)) + 0.5;
          EXPECT_TRUE(at::equal(own[i], expected)) << i << " of " << size << ", " << at_once;
        }
        ASSERT_TRUE(spread_slices(*communicator, own, like, at_once));
        for (std::size_t i = 0; i < own.size(); ++i)
          EXPECT_TRUE(at::equal(like[i], sums[i] + 0.5)) << i << " of " << size << ", " << at_once;
      });
    }
  }
}

TEST(SharedState, TrainsAsOneProcessDoes) {
  const std::vector<std::vector<ScoredGroup>> batches{some_groups(1), some_groups(2)};
  for (const Sharding sharding : {Sharding::kOptimizer, Sharding::kGradients}) {
    for (const int size : {2, 3, 4}) {
      TrainerOptions options = smooth_options();
      options.micro_batch_tokens = 30;  // not the same number of micro-batches for all
      options.mini_batches = 2;
      options.optimizer.max_gradient_norm = 0.05;  // a norm over all slices
      options.optimizer.offload = size == 3;
      expect_equal_to_one(size, options, 2e-6, batches, sharding);
    }
  }
}

// bfloat16 parameters with float32 masters: the last bit may fall to either side.
TEST(SharedState, TrainsAsOneProcessDoesInBfloat16) {
  const std::vector<std::vector<ScoredGroup>> batches{some_groups(1), some_groups(2)};
  const auto make = [] { return fresh(at::kBFloat16); };
  TrainerOptions options = smooth_options();
  options.micro_batch_tokens = 30;
  const Together alone = train_together(1, options, batches, make);
  for (const Sharding sharding : {Sharding::kOptimizer, Sharding::kGradients}) {
    const Together together = train_together(3, options, batches, make, {.sharding = sharding});
    EXPECT_EQ(together.weights[1], together.weights[0]);
    EXPECT_LT(largest_difference(together.weights[0], alone.weights[0]), 0.02);
    EXPECT_GT(largest_difference(together.weights[0], weights_of(make())), 0.01);
  }
}

TEST(SharedState, TrainsAdaptersAsOneProcessDoes) {
  const std::vector<std::vector<ScoredGroup>> batches{some_groups(1), some_groups(2)};
  const auto make = [] {
    const Transformer model = fresh();
    LoraConfig lora;
    lora.rank = 3;
    EXPECT_TRUE(add_adapters(model, lora, 1));
    return model;
  };
  TrainerOptions options = smooth_options();
  options.micro_batch_tokens = 30;
  const Together alone = train_together(1, options, batches, make);
  const Together together =
      train_together(3, options, batches, make, {.sharding = Sharding::kGradients});
  EXPECT_EQ(together.weights[2], together.weights[0]);
  EXPECT_LT(largest_difference(together.weights[0], alone.weights[0]), 2e-6);
  const Together untrained = train_together(1, options, {}, make);
  EXPECT_GT(largest_difference(alone.weights[0], untrained.weights[0]), 1e-3);
}

// Saved by four, gone on with by two, by one, and by three who share nothing.
TEST(SharedState, IsReadByAnyNumberOfProcesses) {
  const TestFolder folder;
  const std::vector<std::vector<ScoredGroup>> first{some_groups(1)}, then{some_groups(2)};
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    const auto make = [type] { return fresh(type); };
    const double tolerance = type == at::kFloat ? 1e-5 : 0.02;
    TrainerOptions options = smooth_options();
    options.optimizer.epsilon = 1e-8;  // moments count
    options.schedule.peak = 1e-3;
    const Together whole = train_together(1, options, {first[0], then[0]}, make);
    constexpr Sharding kShared = Sharding::kGradients;
    train_together(4, options, first, make, {.sharding = kShared, .save = folder / "four"});
    EXPECT_TRUE(std::filesystem::exists(folder / "four" / "trainer-00003-of-00004.safetensors"));
    for (const int size : {4, 2, 1}) {
      const Together on =
          train_together(size, options, then, make,
                         {.sharding = kShared, .load = folder / "four", .save = folder / "again"});
      EXPECT_LT(largest_difference(on.weights[0], whole.weights[0]), tolerance) << size;
      EXPECT_EQ(on.weights.back(), on.weights[0]);
    }
    // The last one wrote one file, and nothing is left of the two before it.
    EXPECT_TRUE(std::filesystem::exists(folder / "again" / "trainer.safetensors"));
    EXPECT_FALSE(std::filesystem::exists(folder / "again" / "trainer-00000-of-00002.safetensors"));
    const Together on = train_together(3, options, then, make, {.load = folder / "four"});
    EXPECT_LT(largest_difference(on.weights[0], whole.weights[0]), tolerance);
  }
}

// In memory and on disk every process has its slices and nothing more.
TEST(SharedState, HasAsManyBytesAsItsSlices) {
  const TestFolder folder;
  TrainerOptions options = smooth_options();
  const auto make = [] { return fresh(at::kBFloat16); };
  train_together(4, options, {some_groups(1)}, make,
                 {.sharding = Sharding::kOptimizer, .save = folder / "four"});
  const std::vector<NamedTensor> parameters = trained_parameters(make());
  std::int64_t numbers = 0, written = 0;
  for (int rank = 0; rank < 4; ++rank) {
    std::int64_t owned = 0;
    for (const NamedTensor& parameter : parameters)
      owned += slice_of(parameter.tensor.numel(), {rank, 4}).count;
    numbers += owned;
    AdamW optimizer(parameters, {}, {rank, 4});
    std::int64_t held = 0;
    for (const NamedTensor& entry : optimizer.state())
      held += static_cast<std::int64_t>(entry.tensor.nbytes());
    EXPECT_EQ(held, 12 * owned) << "two moments and a master";
    held = 0;
    for (const at::Tensor& gradient : optimizer.gradients())
      held += static_cast<std::int64_t>(gradient.nbytes());
    EXPECT_EQ(held, 4 * owned);
    const auto file = SafetensorsFile::open(
        folder / "four" / fmt::format("trainer-{:05}-of-00004.safetensors", rank));
    ASSERT_TRUE(file.has_value());
    std::int64_t stored = 0;
    for (const auto& [name, tensor] : file->tensors())
      stored += static_cast<std::int64_t>(tensor.bytes.size());
    EXPECT_EQ(stored, 12 * owned);
    written += stored;
  }
  std::int64_t all = 0;
  for (const NamedTensor& parameter : parameters) all += parameter.tensor.numel();
  EXPECT_EQ(numbers, all);
  EXPECT_EQ(written, 12 * all);
  // The plan counts as many, but for what rounding up adds to each tensor.
  const UpdateBytes planned = update_bytes(
      {.parameters = all, .weight_bytes = 2, .sharding = Sharding::kOptimizer, .processes = 4});
  EXPECT_NEAR(static_cast<double>(planned.masters + planned.moments),
              static_cast<double>(written) / 4, 12.0 * static_cast<double>(parameters.size()));
}

TEST(SharedState, ASliceThatIsMissingIsNamed) {
  const TestFolder folder;
  const TrainerOptions options = smooth_options();
  const auto make = [] { return fresh(); };
  train_together(2, options, {some_groups(1)}, make,
                 {.sharding = Sharding::kOptimizer, .save = folder / "two"});
  std::filesystem::remove(folder / "two" / "trainer-00001-of-00002.safetensors");
  const auto trainer = EmbeddedTrainer::create(fresh(), options).value();
  const Status loaded = trainer->load(folder / "two");
  ASSERT_FALSE(loaded.has_value());
  EXPECT_NE(loaded.error().message.find("trainer-00001-of-00002"), std::string::npos);
}

// Those who read share the work of comparing checksums: each file is compared by one of them.
TEST(SharedState, ADamagedSliceIsNoticedByOneOfThoseWhoRead) {
  const TestFolder folder;
  const auto make = [] { return fresh(); };
  train_together(3, smooth_options(), {some_groups(1)}, make,
                 {.sharding = Sharding::kGradients, .save = folder / "three"});
  const auto file = folder / "three" / "trainer-00002-of-00003.safetensors";
  std::string bytes = read_file(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file(file, bytes);
  int noticed = 0;
  for (int rank = 0; rank < 2; ++rank) {
    const AdamW optimizer(trained_parameters(make()), {}, {rank, 2});
    const auto read = read_optimizer(folder / "three", optimizer, {rank, 2});
    if (read) continue;
    ++noticed;
    EXPECT_NE(read.error().message.find("00002-of-00003"), std::string::npos);
  }
  EXPECT_EQ(noticed, 1);
}

// Nobody waits for a process that cannot save.
TEST(SharedState, ASaveThatFailsFailsEverywhere) {
  const TestFolder folder;
  write_file(folder / "file", "in the way");
  in_threads(3, [&](const std::shared_ptr<Communicator>& communicator) {
    const Sharing sharing{Sharding::kGradients, {communicator->rank(), 3}};
    const auto trainer = EmbeddedTrainer::create(fresh(), smooth_options(), sharing).value();
    trainer->join(communicator);
    EXPECT_FALSE(trainer->save(folder / "file" / "trainer"));
  });
}

TEST(SharedState, WithoutTheOthersThereIsNoStep) {
  const Sharing sharing{Sharding::kOptimizer, {1, 2}};
  const auto trainer = EmbeddedTrainer::create(fresh(), smooth_options(), sharing).value();
  const auto report = trainer->step(some_groups(1));
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(report.error().message.find("process 1 of 2"), std::string::npos);
}

TEST(SharedState, AFaultInOneShareStopsAll) {
  auto groups = some_groups(5);
  for (ScoredRollout& rollout : groups[4].rollouts) rollout.completion.log_probs[0] = NAN;
  groups[4].rollouts.resize(1);
  groups[4].rollouts.push_back(groups[4].rollouts[0]);
  groups[4].rollouts[1].reward += 1;
  TrainerOptions options = smooth_options();
  options.micro_batch_tokens = 30;
  const auto make = [] { return fresh(); };
  const Together together =
      train_together(3, options, {groups}, make, {.sharding = Sharding::kGradients});
  for (std::size_t r = 0; r < 3; ++r) {
    ASSERT_FALSE(together.reports[r].has_value());
    EXPECT_EQ(together.reports[r].error().message, together.reports[0].error().message);
    EXPECT_EQ(together.weights[r], weights_of(fresh()));
  }
}

}  // namespace
}  // namespace redqueen
