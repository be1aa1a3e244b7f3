// Predicts how much memory training and sampling take, before anything is allocated.
//
// The prediction follows what the code allocates, tensor by tensor; what libtorch's kernels take
// for themselves and what the allocator wastes is not in it. The bytes of tensors that are counted
// in a run are those of weights, masters and moments exactly, and between 0.85 and 1 of what an
// update is predicted to take (memory_count_test.cc); the resident size of a process lies within a
// factor of 1.5 of the whole, both ways (memory_plan_test.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/checkpoint/model_config.h"
#include "redqueen/train/sampling_demand.h"
#include "redqueen/train/sharding.h"

namespace redqueen {

// The work that is planned for a model.
struct MemoryDemand {
  int weight_bytes = 4;    // of a number of the policy: 4 or 2
  bool on_device = false;  // the policy lives on a GPU
  bool offload_optimizer = false;
  bool reference = false;  // a second copy of the weights
  bool activation_checkpointing = false;
  bool entropy = false;                 // the loss has the distributions' entropy in it
  std::int64_t micro_batch_tokens = 0;  // through the network at once; 0: no training
  std::int64_t max_rows = 0;            // responses decoded at once, at most
  std::vector<SamplingDemand> calls;    // one at a time, the main one first; none: no sampling
  std::int64_t kept_bytes = 0;          // of conversations between their turns, at most
  // Each has a device of its own, or a part of the CPU's cores, and everything that is not shared.
  int processes = 1;
  Sharding sharding = Sharding::kNone;
  std::int64_t adapters = 0;  // numbers of adapters that are trained in place of the weights
  bool hands_over = false;    // to an engine elsewhere: adapters as a merged copy of the model
};

// Bytes, in one process.
struct MemoryPart {
  std::string name;
  std::int64_t device = 0;  // where the policy lives: a GPU, or main memory
  std::int64_t host = 0;    // in main memory besides
};

struct MemoryPlan {
  std::vector<MemoryPart> lasting;   // as long as the run
  std::vector<MemoryPart> training;  // during an update
  std::vector<MemoryPart> sampling;  // in the worst call, or while weights are handed over

  // At the worse of the two moments.
  std::int64_t device_peak() const;
  std::int64_t host_peak() const;
};

// On a GPU the sampler's cache takes what is left (decode/generation.h); the plan then has the
// least with which sampling works: every response can be made, and passes over prompts have their
// eighth. On the CPU it has room for all rows at full length.
MemoryPlan plan_memory(const ModelConfig& config, const MemoryDemand& demand);

// How many responses a GPU decodes at once in the main call.
struct SamplingRoom {
  std::int64_t cache = 0;      // bytes
  std::int64_t full_rows = 0;  // responses that have reached their full length, at most max_rows
  std::int64_t rows = 0;       // responses that have reached a quarter of it, at most max_rows
};

// With `device_bytes` on the device before anything of the plan is there. The demand is for
// sampling on a device.
SamplingRoom sampling_room(const ModelConfig& config, const MemoryDemand& demand,
                           std::int64_t device_bytes);

// "weights 1.2 GB, moments 4.8 GB, …": the parts of the worse moment.
std::string memory_text(const MemoryPlan& plan);

// Memory that could be taken now, in bytes.
struct MemorySupply {
  std::optional<std::int64_t> host;    // of the machine, for all processes together
  std::optional<std::int64_t> device;  // of each process's GPU
};

// A model of several, and what is going to be done with it.
struct ModelMemory {
  std::string name;  // for people: its folder
  ModelConfig config;
  MemoryDemand demand;
};

// The plans as a table for people, with what each moment takes, what there is, and how many
// responses are decoded at once.
std::string memory_table(std::span<const ModelMemory> models, const MemorySupply& supply);

// Fails if the models together take more than there is. They are taken to need the sum of their
// plans: a little more than they do, as one at a time samples or learns. The error tells what is
// needed, what is there, and which settings would make it fit, each with what it leads to. What the
// supply does not tell is taken to be enough.
Status check_memory(std::span<const ModelMemory> models, const MemorySupply& supply);

}  // namespace redqueen
