// Refuses a run that would not fit into memory before anything is read or allocated.
#pragma once

#include <span>
#include <string>

#include "redqueen/checkpoint/model_config.h"
#include "redqueen/core/error.h"
#include "redqueen/engine/engine.h"
#include "redqueen/recipes/recipes.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/train/memory_plan.h"

namespace redqueen {

// True if a run of these settings plays episodes of several turns, in training or in evaluations.
// Suites that cannot be loaded have none.
bool takes_turns(const Engine& engine, const TrainSettings& settings);

// Predicts the memory of one learner of `train`, with settings.policy and settings.trainer, in each
// process when `processes` share the work. Assumes prompts of up to 512 tokens, and conversations
// that fill the model's context. conversations: the run takes_turns().
MemoryDemand train_memory_demand(const TrainSettings& settings, const ModelConfig& config,
                                 int processes, bool conversations);

// A forecast of the memory that `train` takes with these learners, a table for people, and whether
// it fits, where each of `processes` has a GPU of device_bytes and the machine host_bytes of main
// memory, if that is known. Nothing has to be there but the policies' config.json.
struct MemoryForecast {
  std::string table;
  Status fits;
};
Expected<MemoryForecast> forecast_memory(const Engine& engine, const TrainSettings& settings,
                                         std::span<const LearnerSettings> learners, int processes,
                                         const MemorySupply& supply);

// Refuse `train` with these learners in `processes`, or `policy warmstart`, if the sum of what they
// take is not there. A policy whose config.json cannot be read passes: loading it will say why. So
// does everything with run.check_memory = false.
Status check_train_memory(const Engine& engine, const TrainSettings& settings,
                          std::span<const LearnerSettings> learners, int processes);
Status check_warm_start_memory(const TrainSettings& settings);

}  // namespace redqueen
