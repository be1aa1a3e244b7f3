#include "redqueen/policy/recorded_work.h"

#ifdef REDQUEEN_CUDA
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

#include <utility>

namespace redqueen {

#ifdef REDQUEEN_CUDA

struct RecordedWork::Graph {
  at::cuda::CUDAGraph graph;
};

RecordedWork::RecordedWork(at::Device device, std::function<void()> work) : work_(std::move(work)) {
  if (!device.is_cuda()) return;
  // A graph is recorded on a stream of its own, after rounds that let libraries allocate their workspaces.
  constexpr int kWarmUps = 2;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard guard(
        c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index()));
    for (int i = 0; i < kWarmUps; ++i) work_();
    guard.current_stream().synchronize();
    graph_ = std::make_unique<Graph>();
    graph_->graph.capture_begin();
    work_();
    graph_->graph.capture_end();
  }
  c10::cuda::device_synchronize();
}

void RecordedWork::repeat() {
  if (graph_) {
    graph_->graph.replay();
  } else {
    work_();
  }
}

#else

struct RecordedWork::Graph {};

RecordedWork::RecordedWork(at::Device /*device*/, std::function<void()> work)
    : work_(std::move(work)) {}

void RecordedWork::repeat() { work_(); }

#endif

RecordedWork::~RecordedWork() = default;

}  // namespace redqueen
