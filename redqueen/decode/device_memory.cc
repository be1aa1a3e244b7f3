#include "redqueen/decode/device_memory.h"

#ifdef REDQUEEN_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#endif

namespace redqueen {

std::function<std::int64_t()>& free_memory_of_tests() {
  static std::function<std::int64_t()> count;
  return count;
}

std::optional<std::int64_t> free_device_memory(c10::Device device) {
  if (const auto& count = free_memory_of_tests()) return count();
#ifdef REDQUEEN_CUDA
  if (device.is_cuda()) {
    const c10::cuda::CUDAGuard guard(device);
    c10::cuda::CUDACachingAllocator::emptyCache();
    return static_cast<std::int64_t>(c10::cuda::CUDACachingAllocator::get()
                                         ->getMemoryInfo(guard.current_device().index())
                                         .first);
  }
#endif
  (void)device;
  return std::nullopt;
}

}  // namespace redqueen
