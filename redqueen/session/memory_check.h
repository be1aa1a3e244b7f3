// Refuses a run that would not fit into memory before anything is read or allocated.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/checkpoint/model_config.h"
#include "redqueen/engine/engine.h"
#include "redqueen/recipes/recipe_entry.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/train/memory_plan.h"

namespace redqueen {

// True if a run of these settings plays episodes of several turns, in training or in evaluations.
// Suites that cannot be loaded have none.
bool takes_turns(const Engine& engine, const TrainSettings& settings);

// The sampling of a run, besides what its recipe says (RecipeType::calls).
struct PlannedWork {
  bool conversations = false;              // takes_turns()
  std::int64_t problem_tokens = 512;       // of the longest problem that is trained on
  std::vector<SamplingDemand> evaluation;  // a call for each suite; none: nothing is evaluated
};

// Looks at the suites of a run: generates some problems of each environment at the highest level
// that an evaluation asks, or that training is known to reach (an adaptive curriculum: the upper
// level that it begins with, curriculum.width), and takes the longest, by the policy's tokenizer if
// it has one yet. With sampling.max_prompt_tokens that number is taken instead. A prompt has 512
// tokens at least. Environments in Python are not asked.
PlannedWork planned_work(const Engine& engine, const TrainSettings& settings);

// Predicts the memory of one learner of `train`, with settings.policy and settings.trainer, in each
// process when `processes` share the work. Conversations are taken to fill the model's context.
// calls: LearnerSettings::calls; none: one of batch.sampled_prompts prompts.
MemoryDemand train_memory_demand(const TrainSettings& settings, const ModelConfig& config,
                                 int processes, const PlannedWork& work = {},
                                 std::vector<SamplingDemand> calls = {});

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
