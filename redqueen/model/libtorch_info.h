// What libtorch is linked, and what it can use here.
#pragma once

#include <string>
#include <vector>

namespace redqueen {

struct LibtorchInfo {
  std::string version;
  int threads = 0;                   // that it would use
  bool cuda_build = false;           // libtorch can use NVIDIA GPUs
  std::vector<std::string> devices;  // GPUs that are there
};

LibtorchInfo libtorch_info();

}  // namespace redqueen
