// Trainers that work together, each in its own thread.
#pragma once

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "redqueen/model/lora.h"
#include "redqueen/train/communicator.h"
#include "redqueen/train/embedded_trainer.h"
#include "redqueen/train/testing/groups.h"
#include "redqueen/train/testing/policies.h"
#include "redqueen/train/testing/smooth_options.h"

namespace redqueen {

inline constexpr int kVocabulary = 16;

// The state that all threads of a test share.
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

  Status scatter_sum(const at::Tensor& rows, const at::Tensor& own) override {
    return take_turns(rows, [&](const std::vector<at::Tensor>& all) {
      own.copy_(all[0].select(0, rank_));
      for (int r = 1; r < table_.size; ++r) own.add_(all[r].select(0, rank_));
    });
  }

  Status gather(const at::Tensor& own, const at::Tensor& rows) override {
    return take_turns(own, [&](const std::vector<at::Tensor>& all) {
      for (int r = 0; r < table_.size; ++r) rows.select(0, r).copy_(all[r]);
    });
  }

  Expected<std::vector<std::string>> exchange(const std::string& bytes) override {
    table_.texts[rank_] = bytes;
    table_.barrier.arrive_and_wait();
    std::vector<std::string> all = table_.texts;
    table_.barrier.arrive_and_wait();
    return all;
  }

 private:
  // Shows everybody `given`, and gives everybody's to `use`.
  Status take_turns(const at::Tensor& given,
                    const std::function<void(const std::vector<at::Tensor>&)>& use) {
    const at::NoGradGuard no_grad;
    table_.tensors[rank_] = {given.detach().clone()};
    table_.barrier.arrive_and_wait();
    std::vector<at::Tensor> all;
    for (int r = 0; r < table_.size; ++r) all.push_back(table_.tensors[r][0]);
    use(all);
    table_.barrier.arrive_and_wait();
    return {};
  }

  Table& table_;
  int rank_;
};

// Runs the work of each of `size` processes in a thread, all at once.
inline void in_threads(int size,
                       const std::function<void(const std::shared_ptr<Communicator>&)>& work) {
  Table table(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] { work(std::make_shared<ThreadCommunicator>(table, rank)); });
  }
  for (std::thread& thread : threads) thread.join();
}

// Uneven: no number of processes divides all of its sizes.
inline Transformer fresh(at::ScalarType type = at::kFloat) {
  ModelConfig config = tiny_config(kVocabulary);
  config.head_dim = 10;
  return Transformer::initialise(config, 5, {.dtype = type});
}

inline std::vector<ScoredGroup> some_groups(std::uint64_t seed, std::size_t count = 6,
                                            bool turns = false) {
  Rng rng({.seed = seed, .purpose = hash_name("communicator_test")});
  return random_groups(rng, {.groups = count, .vocab_size = kVocabulary, .turns = turns},
                       AdvantageRule::kGroupNormalised);
}

struct Together {
  std::vector<std::vector<float>> weights;  // of every rank
  std::vector<Expected<StepReport>> reports;
};

struct Arrangement {
  Sharding sharding = Sharding::kNone;
  std::filesystem::path load = {}, save = {};  // empty: neither
};

// `size` trainers on the same groups.
inline Together train_together(
    int size, const TrainerOptions& options, const std::vector<std::vector<ScoredGroup>>& batches,
    const std::function<Transformer()>& make = [] { return fresh(); },
    const Arrangement& arrangement = {}) {
  Together result;
  result.weights.resize(size);
  result.reports.resize(size, StepReport{});
  in_threads(size, [&](const std::shared_ptr<Communicator>& communicator) {
    const int rank = communicator->rank();
    const std::size_t r = rank;
    const Transformer model = make();
    Sharing sharing{.what = arrangement.sharding, .place = {}};
    if (sharing.what != Sharding::kNone) sharing.place = {rank, size};
    const auto trainer = EmbeddedTrainer::create(model, options, sharing).value();
    if (size > 1) trainer->join(communicator);
    if (!arrangement.load.empty()) {
      EXPECT_TRUE(trainer->load(arrangement.load).has_value());
    }
    for (const auto& groups : batches) {
      result.reports[r] = trainer->step(groups);
      if (!result.reports[r]) break;
    }
    if (!arrangement.save.empty() && (rank == 0 || trainer->is_shared())) {
      const Status saved = trainer->save(arrangement.save);
      EXPECT_TRUE(saved.has_value()) << saved.error().message;
    }
    for (const NamedTensor& trained : trained_parameters(model)) {
      const auto values = values_of(trained.tensor);
      result.weights[r].insert(result.weights[r].end(), values.begin(), values.end());
    }
  });
  return result;
}

inline double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double worst = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    worst = std::max<double>(worst, std::abs(a[i] - b[i]));
  }
  return worst;
}

inline void expect_equal_to_one(int size, const TrainerOptions& options, double tolerance,
                                const std::vector<std::vector<ScoredGroup>>& batches,
                                Sharding sharding = Sharding::kNone) {
  const auto make = [] { return fresh(); };
  const Together alone = train_together(1, options, batches);
  const Together together = train_together(size, options, batches, make, {.sharding = sharding});
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
  EXPECT_LE(largest_difference(together.weights[0], alone.weights[0]), tolerance);
  EXPECT_GT(largest_difference(alone.weights[0], weights_of(fresh())), 1e-3)
      << "the comparison would hold for trainers that do nothing";
}

}  // namespace redqueen
