// Computes the memory of an update besides the weights: gradients, moments, float32 masters. Free
// of libtorch; memory_plan.h puts it beside the rest.
#pragma once

#include <cstdint>

#include "redqueen/train/sharding.h"

namespace redqueen {

struct UpdateDemand {
  std::int64_t parameters = 0;  // numbers of the model
  std::int64_t largest = 0;     // numbers of its largest matrix
  int weight_bytes = 4;         // of a number of the model: 4 or 2
  std::int64_t adapters = 0;    // numbers that are trained in place of the model's; 0: none
  bool offload = false;
  Sharding sharding = Sharding::kNone;
  int processes = 1;
};

// Bytes, in one process.
struct UpdateBytes {
  std::int64_t adapters = 0;  // themselves
  std::int64_t masters = 0;   // with offload, like the moments, in main memory
  std::int64_t moments = 0;
  std::int64_t gradients = 0;       // on the policy's device
  std::int64_t host_gradients = 0;  // in main memory besides
};

UpdateBytes update_bytes(const UpdateDemand& demand);

}  // namespace redqueen
