// Records work on the device once and repeats it.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

namespace redqueen {

// `work` touches the same tensors every time, keeps their shapes and never waits for the device. On
// a GPU, in a build with REDQUEEN_CUDA, it becomes a CUDA graph; elsewhere it is called again.
class CudaGraph {
 public:
  // May call `work` several times; whatever it changed has to be set anew before the first
  // repeat().
  CudaGraph(at::Device device, std::function<void()> work);
  ~CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  // Does the work once more. On a GPU it returns before the work is done.
  void repeat();

 private:
  struct Graph;
  std::function<void()> work_;
  std::unique_ptr<Graph> graph_;
};

}  // namespace redqueen
