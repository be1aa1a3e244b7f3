#include "redqueen/model/libtorch_info.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/version.h>
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 11
#include <ATen/DeviceAccelerator.h>
#endif

namespace redqueen {

LibtorchInfo libtorch_info() {
  LibtorchInfo info{.version = TORCH_VERSION,
                    .threads = at::get_num_threads(),
                    .cuda_build = at::Context::hasCUDA() || at::detail::getCUDAHooks().hasCUDART()};
  if (at::Context::hasCUDA()) {
    const int count = static_cast<int>(at::detail::getCUDAHooks().deviceCount());
    for (int i = 0; i < count; ++i) info.devices.push_back("cuda:" + std::to_string(i));
  }
  return info;
}

std::optional<std::int64_t> free_device_memory() {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 11
  if (at::Context::hasCUDA() && at::detail::getCUDAHooks().deviceCount() > 0) {
    return at::accelerator::getMemoryInfo(0).first;
  }
#endif
  return std::nullopt;
}

}  // namespace redqueen
