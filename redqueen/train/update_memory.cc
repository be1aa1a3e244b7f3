#include "redqueen/train/update_memory.h"

namespace redqueen {
namespace {

constexpr std::int64_t kFloat = 4;  // bytes

}  // namespace

UpdateBytes update_bytes(const UpdateDemand& demand) {
  const bool adapted = demand.adapters > 0;
  const std::int64_t trained = adapted ? demand.adapters : demand.parameters;
  const std::int64_t width = adapted ? kFloat : demand.weight_bytes;
  UpdateBytes bytes{.adapters = demand.adapters * kFloat, .moments = 2 * trained * kFloat};
  if (width != kFloat || demand.offload) bytes.masters = trained * kFloat;
  // What a backward pass leaves, and a second gradient of the largest matrix on its way into the
  // first; of float32 numbers the sum over passes stands in the same place.
  bytes.gradients = trained * width + (adapted ? 0 : 2 * demand.largest * kFloat);
  if (demand.offload) {
    bytes.host_gradients = trained * kFloat;
  } else if (width != kFloat) {
    bytes.gradients += trained * kFloat;
  }
  return bytes;
}

}  // namespace redqueen
