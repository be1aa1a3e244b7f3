// One trainer in several processes, each of which works out a part of every gradient.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "redqueen/session/distributed/workers.h"
#include "redqueen/train/embedded_trainer.h"

namespace redqueen {

// In rank 0, whose trainer has joined those of the other ranks. Saves are rank 0's, unless the
// ranks share the optimizer's state: then each writes its own. After load() all ranks have what was
// loaded.
class DistributedTrainer final : public Trainer {
 public:
  // The trainer of the learner of this role; `own` and `workers` outlive it.
  DistributedTrainer(std::string role, EmbeddedTrainer& own, Workers& workers)
      : role_(std::move(role)), own_(own), workers_(workers) {}

  Expected<StepReport> step(std::span<const ScoredGroup> groups) override;
  std::int64_t steps() const override { return own_.steps(); }
  Status save(const std::filesystem::path& folder) const override;
  Status load(const std::filesystem::path& folder) override;

 private:
  Status together(const char* what, const std::filesystem::path& folder,
                  const std::function<Status()>& own) const;

  std::string role_;
  EmbeddedTrainer& own_;
  Workers& workers_;
};

}  // namespace redqueen
