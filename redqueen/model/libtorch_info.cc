#include "redqueen/model/libtorch_info.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/version.h>

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

}  // namespace redqueen
