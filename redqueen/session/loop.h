// The loop that every recipe runs in: sample, train, record, save; stop and go on without losing a
// step. Where the sampler has memory and processors of its own, it samples for the next step while
// this one trains.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/recipes/recipe.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/progress.h"
#include "redqueen/run/run_directory.h"
#include "redqueen/session/drawn_batch.h"
#include "redqueen/session/learners.h"
#include "redqueen/train/overlong.h"

namespace redqueen {

// Lets a batch be drawn while the learners learn from the one before.
struct SamplingAhead {
  // Called when nobody draws and nobody learns: sampling goes on with the weights of now, whatever
  // the learners make of them, until release_weights().
  std::function<Status()> hold_weights;
  std::function<void()> release_weights;
};

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
  // Nothing: a step draws, then learns. Otherwise the batch of step k + 1 is drawn by weights that
  // have learnt k − 1 steps, in a thread of its own; the first one by those that there are.
  std::optional<SamplingAhead> ahead = std::nullopt;
  OverlongOptions overlong = {};  // of what is trained on
};

// Where a run goes on.
struct LoopStart {
  std::int64_t done = 0;                // steps
  std::optional<DrawnBatch> next = {};  // of the step after, if it was drawn ahead
};

struct LoopOutcome {
  std::int64_t step = 0;  // the last that was done
  bool stopped = false;   // by parts.stop, before the last step
};

// Puts trainers and recipe back to the newest checkpoint and forgets what was recorded after it.
// Begins anew if there is none yet.
Expected<LoopStart> resume(const LoopParts& parts);

// Steps from start.done + 1 to settings.steps. A checkpoint is made every settings.checkpoint_every
// steps and at the end. It holds the batch that was drawn ahead, so that a run that goes on is the
// run that did not end.
//
// When a step fails before any learner has moved on, the one before it is saved, and a batch that
// could not be trained on is left in the run's folder as failed-batch-step-N.jsonl (batch_file.h);
// the error names both. A batch that cannot be drawn ahead ends the run once the step in hand is
// learnt and saved; it is then drawn anew, by newer weights.
Expected<LoopOutcome> run_loop(const LoopParts& parts, const RunSettings& settings,
                               LoopStart start);

}  // namespace redqueen
