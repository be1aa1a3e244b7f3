// One trainer in several processes, each of which works out a part of every gradient.
#pragma once

#include "redqueen/recipes/distributed/rank_processes.h"
#include "redqueen/train/embedded_trainer.h"

namespace redqueen {

// In rank 0, whose trainer has joined those of the other ranks. Saves are rank 0's; after load() all ranks have what was
// loaded.
class DistributedTrainer final : public Trainer {
 public:
  // Both outlive this trainer.
  DistributedTrainer(EmbeddedTrainer& own, RankProcesses& ranks) : own_(own), ranks_(ranks) {}

  Expected<StepReport> step(std::span<const ScoredGroup> groups) override;
  std::int64_t steps() const override { return own_.steps(); }
  Status save(const std::filesystem::path& folder) const override { return own_.save(folder); }
  Status load(const std::filesystem::path& folder) override;

 private:
  EmbeddedTrainer& own_;
  RankProcesses& ranks_;
};

}  // namespace redqueen
