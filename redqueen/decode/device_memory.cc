#include "redqueen/decode/device_memory.h"

#ifdef REDQUEEN_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#endif

namespace redqueen {
namespace {

constexpr std::int64_t kUnknown = std::int64_t{8} << 30;

}  // namespace

std::int64_t free_device_memory(c10::Device device) {
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
  return kUnknown;
}

}  // namespace redqueen
