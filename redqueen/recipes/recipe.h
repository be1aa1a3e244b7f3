// A training method as the loop sees it: one step of sampling and scoring, and a state to keep.
//
// A recipe is plain code over two services, sample (policy) and run (sandbox); the loop records the
// batches that it returns. It does not know who trains on them.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/policy/missing_responses.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/progress.h"
#include "redqueen/train/rollout.h"

namespace redqueen {

// The batch that one step of a recipe made.
struct RecipeBatch {
  std::vector<ScoredGroup> groups;  // to train on; may be empty: then the step makes no update
  std::vector<run::MetricValue> metrics;     // of the sampling
  std::vector<run::RolloutRecord> rollouts;  // a few, for people to read
  std::vector<run::ItemRecord> items;        // what the policy made besides: tasks, environments
  std::int64_t sampled_tokens = 0;           // of all responses, those not trained on included
  MissingResponses missing;  // of the sampling; the loop records them and tells the user
  std::string remark = {};   // on the sampling; the loop tells the user the first one of a run
};

// One run of a training method. One thread at a time calls it; meanwhile the policies may be
// learning in another one, from the batch of the step before.
class Recipe {
 public:
  virtual ~Recipe() = default;

  // The name in RecipeType::name(); checkpoints remember it.
  [[nodiscard]] virtual std::string_view name() const = 0;

  // Makes what must be there before the first step. Called whenever a run has no checkpoint yet; it
  // stores its work as items of step 0 and takes up what a killed process left there. With `stop`
  // set it returns early, and the run ends without a step.
  virtual Status prepare(run::EventStore& /*store*/, run::Progress& /*progress*/,
                         const std::atomic<bool>& /*stop*/) {
    return {};
  }

  // Makes the batch of step 1, 2, …. Everything random is addressed by the step, so that a step can
  // be made again.
  virtual Expected<RecipeBatch> step(std::int64_t step) = 0;

  // Called once after every step(), before anything else of the recipe: the place where curricula
  // move. Whether the policies have learnt from the step's batch by then is left open, so nothing
  // may be asked of them here.
  virtual void end_step() {}

  // The curriculum for the store, after end_step().
  [[nodiscard]] virtual std::vector<run::CurriculumState> curriculum() const { return {}; }

  // The part of a checkpoint that is not the trainers' state.
  [[nodiscard]] virtual Json state() const = 0;
  virtual Status restore(const Json& state) = 0;
};

}  // namespace redqueen
