#include "redqueen/decode/decode_kernels.cuh"

#include <cuda_runtime_api.h>

namespace redqueen {
namespace {

cudaStream_t on(Stream stream) { return static_cast<cudaStream_t>(stream); }

unsigned size(std::int64_t count) { return static_cast<unsigned>(count); }

template <int kHeadDim, int kQueries>
void attend_as(const AttendCall& c, cudaStream_t stream) {
  const dim3 grid(size(c.kv_heads), size(c.rows), size(c.splits));
  kernels::attend_kernel<kHeadDim, kQueries><<<grid, kAttendThreads, 0, stream>>>(c);
  if (c.splits > 1) {
    const dim3 heads(size(c.rows), size(c.heads));
    kernels::merge_kernel<<<heads, size(c.head_dim), 0, stream>>>(c);
  }
}

template <int kHeadDim>
void attend_with(const AttendCall& c, cudaStream_t stream) {
  switch (c.heads / c.kv_heads) {
    case 1:
      return attend_as<kHeadDim, 1>(c, stream);
    case 2:
      return attend_as<kHeadDim, 2>(c, stream);
    case 3:
      return attend_as<kHeadDim, 3>(c, stream);
    case 4:
      return attend_as<kHeadDim, 4>(c, stream);
    case 5:
      return attend_as<kHeadDim, 5>(c, stream);
    case 6:
      return attend_as<kHeadDim, 6>(c, stream);
    case 7:
      return attend_as<kHeadDim, 7>(c, stream);
    case 8:
      return attend_as<kHeadDim, 8>(c, stream);
  }
}

}  // namespace

void place(const PlaceCall& c, Stream stream) {
  const dim3 grid(size(c.rows), size(c.heads + 2 * c.kv_heads));
  kernels::place_kernel<<<grid, size(c.head_dim), 0, on(stream)>>>(c);
}

void attend(const AttendCall& c, Stream stream) {
  switch (c.head_dim) {
    case 64:
      return attend_with<64>(c, on(stream));
    case 128:
      return attend_with<128>(c, on(stream));
    case 256:
      return attend_with<256>(c, on(stream));
  }
}

void gate(const GateCall& c, Stream stream) {
  constexpr unsigned kThreads = 256;
  const std::int64_t octets = c.rows * (c.inner / 8);
  kernels::gate_kernel<<<size((octets + kThreads - 1) / kThreads), kThreads, 0, on(stream)>>>(c);
}

void draw(const DrawCall& c, Stream stream) {
  constexpr int kThreads = 1024;
  kernels::draw_kernel<kThreads><<<size(c.rows), kThreads, 0, on(stream)>>>(c);
}

}  // namespace redqueen
