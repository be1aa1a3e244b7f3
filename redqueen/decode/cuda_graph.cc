#include "redqueen/decode/cuda_graph.h"

#ifdef REDQUEEN_CUDA
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

#include <map>
#include <utility>

namespace redqueen {

#ifdef REDQUEEN_CUDA

namespace {

// The stream that everything is recorded on: cuBLAS keeps a workspace of tens of megabytes for
// every stream it has seen.
c10::cuda::CUDAStream recording_stream(c10::DeviceIndex device) {
  static std::map<c10::DeviceIndex, c10::cuda::CUDAStream> streams;
  const auto found = streams.find(device);
  if (found != streams.end()) return found->second;
  return streams.emplace(device, c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device))
      .first->second;
}

}  // namespace

struct CudaGraph::Graph {
  at::cuda::CUDAGraph graph;
};

CudaGraph::CudaGraph(at::Device device, std::function<void()> work) : work_(std::move(work)) {
  if (!device.is_cuda()) return;
  const c10::cuda::CUDAGuard on_device(device);
  // A round before it lets libraries load their kernels and allocate their workspaces.
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard guard(
        recording_stream(device.has_index() ? device.index() : c10::cuda::current_device()));
    work_();
    guard.current_stream().synchronize();
    graph_ = std::make_unique<Graph>();
    graph_->graph.capture_begin();
    work_();
    graph_->graph.capture_end();
  }
  c10::cuda::device_synchronize();
}

void CudaGraph::repeat() {
  if (graph_) {
    graph_->graph.replay();
  } else {
    work_();
  }
}

#else

struct CudaGraph::Graph {};

CudaGraph::CudaGraph(at::Device /*device*/, std::function<void()> work) : work_(std::move(work)) {}

void CudaGraph::repeat() { work_(); }

#endif

CudaGraph::~CudaGraph() = default;

}  // namespace redqueen
