// The loop that every recipe runs in: sample, train, record, save; stop and go on without losing a
// step.
#pragma once

#include <atomic>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/recipes/recipe.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/progress.h"
#include "redqueen/run/run_directory.h"
#include "redqueen/session/learners.h"

namespace redqueen {

// Everything a run works with. The objects outlive the loop.
struct LoopParts {
  run::RunDirectory& directory;
  run::EventStore& store;
  std::vector<Learner> learners;  // at least one
  Recipe& recipe;
  run::Progress& progress;
  // True: finish the step in hand, save and return.
  const std::atomic<bool>& stop;
  // Called after every step that is no last one; null: nothing to do.
  std::function<Status(std::int64_t step)> after_step = nullptr;
  // Called in every step once its responses are drawn; what it returns is recorded with the step.
  // Null: nothing.
  std::function<std::vector<run::MetricValue>()> sampling_metrics = nullptr;
};

struct LoopOutcome {
  std::int64_t step = 0;  // the last that was done
  bool stopped = false;   // by parts.stop, before the last step
};

// Puts trainers and recipe back to the newest checkpoint and forgets what was recorded after it.
// Returns its step; 0 if there is none yet.
Expected<std::int64_t> resume(const LoopParts& parts);

// Steps from `done` + 1 to settings.steps. A checkpoint is made every settings.checkpoint_every
// steps and at the end. When a step fails before any learner has moved on, the one before it is
// saved, and a batch that could not be trained on is left in the run's folder as
// failed-batch-step-N.jsonl (batch_file.h); the error names both.
Expected<LoopOutcome> run_loop(const LoopParts& parts, const RunSettings& settings,
                               std::int64_t done);

}  // namespace redqueen
