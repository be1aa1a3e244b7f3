// What a training method is to the loop: one step of sampling and scoring, and a state to keep.
//
// A recipe is plain code over three services: sample (policy), run (sandbox), and what it returns is recorded by the
// loop. It does not know who trains on its batches.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/core/json.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/progress.h"
#include "redqueen/train/rollout.h"

namespace redqueen {

// What one step of a recipe made.
struct RecipeBatch {
  std::vector<ScoredGroup> groups;      // to train on; may be empty: then the step makes no update
  std::vector<MetricValue> metrics;     // of the sampling
  std::vector<RolloutRecord> rollouts;  // a few, for people to read
  std::vector<ItemRecord> items;        // what the policy made besides: tasks, environments
  std::int64_t sampled_tokens = 0;      // of all responses, those not trained on included
};

struct Recipe {
  std::string name;
  // Optional: what must be there before the first step. Called whenever a run has no checkpoint yet;
  // it stores its work as items of step 0 and takes up what a killed process left there. With `stop`
  // set it returns early, and the run ends without a step.
  std::function<Status(EventStore& store, Progress& progress, const std::atomic<bool>& stop)>
      prepare = {};
  // The batch of step 1, 2, …. Everything random is addressed by the step, so that a step can be made again.
  std::function<Expected<RecipeBatch>(std::int64_t step)> step;
  // After the policy was updated on the step's batch: the place where curricula move.
  std::function<void()> after_update;
  // The curriculum for the store, after after_update.
  std::function<std::vector<CurriculumState>()> curriculum;
  // What a checkpoint must hold besides the trainer's state.
  std::function<Json()> state;
  std::function<Status(const Json&)> restore;
};

}  // namespace redqueen
