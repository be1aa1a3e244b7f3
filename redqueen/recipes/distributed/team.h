// All processes of a training run put together, as rank 0 uses them.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "redqueen/core/error.h"
#include "redqueen/policy/embedded_policy.h"
#include "redqueen/recipes/distributed/distributed_policy.h"
#include "redqueen/recipes/distributed/distributed_trainer.h"
#include "redqueen/recipes/distributed/rank_processes.h"
#include "redqueen/train/embedded_trainer.h"

namespace redqueen {

class Team {
 public:
  // Starts the other ranks, which read policy and settings (`toml`) while this process does the same. Call before
  // libtorch has made threads.
  static Expected<std::unique_ptr<Team>> start(int size, const std::string& toml,
                                               std::chrono::seconds timeout);

  // Waits until all are ready and brings them together. Policy and trainer outlive the team.
  Status gather(EmbeddedPolicy& policy, EmbeddedTrainer& trainer);

  // After gather().
  Policy& policy() { return *policy_; }
  Trainer& trainer() { return *trainer_; }

 private:
  explicit Team(std::unique_ptr<RankProcesses> ranks, std::chrono::seconds timeout)
      : ranks_(std::move(ranks)), timeout_(timeout) {}

  std::unique_ptr<RankProcesses> ranks_;
  std::chrono::seconds timeout_;
  std::unique_ptr<DistributedPolicy> policy_;
  std::unique_ptr<DistributedTrainer> trainer_;
};

}  // namespace redqueen
