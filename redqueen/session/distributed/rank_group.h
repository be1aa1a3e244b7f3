// All processes of a training run put together, as rank 0 uses them.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/session/distributed/distributed_policy.h"
#include "redqueen/session/distributed/distributed_trainer.h"
#include "redqueen/session/distributed/local_learner.h"
#include "redqueen/session/distributed/workers.h"

namespace redqueen {

struct RankGroupOptions {
  int size = 1;
  std::string toml;                    // the run's configuration, from which every rank loads
  std::chrono::seconds timeout{1800};  // how long a rank may let the others wait
  std::vector<std::string> command = train_command();  // that starts a rank
};

class RankGroup {
 public:
  // Starts the other ranks, which load their learners while this process loads its own. Call before
  // libtorch has made threads.
  static Expected<std::unique_ptr<RankGroup>> start(const RankGroupOptions& options);

  // Waits until all ranks have loaded and brings the trainers of every role together. Fails if a
  // rank could not load, or has other learners than these. The learners outlive the group.
  Status gather(std::span<const LocalLearner> learners);

  // After gather(): the policy and the trainer of learners[index], of all ranks together.
  Policy& policy(std::size_t index) { return *policies_[index]; }
  Trainer& trainer(std::size_t index) { return *trainers_[index]; }

 private:
  RankGroup(std::unique_ptr<Workers> workers, std::chrono::seconds timeout)
      : workers_(std::move(workers)), timeout_(timeout) {}

  Status compare_learners(std::span<const LocalLearner> learners);

  std::unique_ptr<Workers> workers_;
  std::chrono::seconds timeout_;
  std::vector<std::unique_ptr<DistributedPolicy>> policies_;
  std::vector<std::unique_ptr<DistributedTrainer>> trainers_;
};

}  // namespace redqueen
