// Work on the device that is described once and done many times.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

namespace redqueen {

// `work` touches the same tensors every time, keeps their shapes and never waits for the device. On a GPU, in a build
// with REDQUEEN_CUDA, it becomes a CUDA graph; elsewhere it is called again.
class RecordedWork {
 public:
  // May call `work` several times; whatever it changed has to be set anew before the first repeat().
  RecordedWork(at::Device device, std::function<void()> work);
  ~RecordedWork();
  RecordedWork(const RecordedWork&) = delete;
  RecordedWork& operator=(const RecordedWork&) = delete;

  // Does the work once more. On a GPU it returns before the work is done.
  void repeat();

 private:
  struct Graph;
  std::function<void()> work_;
  std::unique_ptr<Graph> graph_;
};

}  // namespace redqueen
