// Refuses a run that would not fit into memory before anything is read or allocated.
#pragma once

#include "redqueen/core/error.h"
#include "redqueen/policy/model_config.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/train/memory_plan.h"

namespace redqueen {

// What one of so many processes of `train` takes. Prompts are taken to have up to 512 tokens.
MemoryDemand train_memory_demand(const TrainSettings& settings, const ModelConfig& config,
                                 int processes);

// For `train` in so many processes, and for `policy warmstart`. A policy whose config.json cannot be read passes: loading
// it will say why. So does everything with run.check_memory = false.
Status check_train_memory(const TrainSettings& settings, int processes);
Status check_warm_start_memory(const TrainSettings& settings);

}  // namespace redqueen
