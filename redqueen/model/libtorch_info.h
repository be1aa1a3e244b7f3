// Describes the linked libtorch and the devices that it can use here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace redqueen {

struct LibtorchInfo {
  std::string version;               // empty: this program does without libtorch
  int threads = 0;                   // that it would use
  bool cuda_build = false;           // libtorch can use NVIDIA GPUs
  std::vector<std::string> devices;  // GPUs that are there
};

LibtorchInfo libtorch_info();

// Bytes that are free on the first GPU. Nothing where there is none, or libtorch cannot tell.
std::optional<std::int64_t> free_device_memory();

}  // namespace redqueen
