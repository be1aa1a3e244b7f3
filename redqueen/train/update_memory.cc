#include "redqueen/train/update_memory.h"

#include <algorithm>

namespace redqueen {
namespace {

constexpr std::int64_t kFloatBytes = 4;  // bytes

}  // namespace

UpdateBytes update_bytes(const UpdateDemand& demand) {
  const bool adapted = demand.adapters > 0;
  const bool shared = demand.sharding != Sharding::kNone && demand.processes > 1;
  const std::int64_t trained = adapted ? demand.adapters : demand.parameters;
  const std::int64_t width = adapted ? kFloatBytes : demand.weight_bytes;
  const std::int64_t owned = shared ? slice_length(trained, demand.processes) : trained;
  UpdateBytes bytes{.adapters = demand.adapters * kFloatBytes, .moments = 2 * owned * kFloatBytes};
  if (width != kFloatBytes || demand.offload) bytes.masters = owned * kFloatBytes;
  // A gradient of the largest matrix on its way into the first, or into the sum.
  bytes.gradients = adapted ? 0 : 2 * demand.largest * kFloatBytes;
  // What a backward pass leaves: of float32 numbers the sum over passes stands in the same place;
  // others go into the sum one by one, unless processes add up all of them after each pass.
  if (width == kFloatBytes || (shared && demand.sharding == Sharding::kGradients))
    bytes.gradients += trained * width;
  if (shared) {
    if (demand.sharding == Sharding::kOptimizer && width != kFloatBytes) {
      bytes.gradients += trained * kFloatBytes;  // the sum over this process's passes
    }
    (demand.offload ? bytes.host_gradients : bytes.gradients) += owned * kFloatBytes;
    // A message (slices.cc): the matrix of all processes' slices, and what becomes of it.
    bytes.gradients += 2 * std::min(kMessageNumbers, trained) * kFloatBytes;
  } else if (demand.offload) {
    bytes.host_gradients = trained * kFloatBytes;
  } else if (width != kFloatBytes) {
    bytes.gradients += trained * kFloatBytes;
  }
  return bytes;
}

}  // namespace redqueen
