// The kernels that decode_kernels.h declares. Compiled by nvcc for GPUs, and by the tests for the
// CPU (cuda_on_cpu.h): no intrinsics but __syncthreads() and __shfl_xor_sync(), nothing from CUDA's
// headers.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "redqueen/decode/decode_kernels.h"

// A C++ compiler, which compiles this file for its tests, does not know nvcc's pragma.
#ifdef __CUDACC__
#define REDQUEEN_UNROLL _Pragma("unroll")
#define REDQUEEN_UNROLL_8 _Pragma("unroll 8")
#else
#define REDQUEEN_UNROLL
#define REDQUEEN_UNROLL_8
#endif

namespace redqueen::kernels {

constexpr unsigned kAllLanes = 0xffffffffu;
constexpr float kNothing = -1e30f;  // the score of no token

__device__ inline float wide(Bf16 x) {
  const std::uint32_t bits = static_cast<std::uint32_t>(x.bits) << 16;
  float result;
  memcpy(&result, &bits, 4);
  return result;
}

// To the nearest, ties to even; not for NaN.
__device__ inline Bf16 narrow(float x) {
  std::uint32_t bits;
  memcpy(&bits, &x, 4);
  bits += 0x7fffu + ((bits >> 16) & 1u);
  return {static_cast<std::uint16_t>(bits >> 16)};
}

// Loaded and stored at once.
struct alignas(4) Pair {
  Bf16 x[2];
};
struct alignas(16) Octet {
  Bf16 x[8];
};

__device__ inline float warp_sum(float x) {
  for (int mask = 16; mask > 0; mask /= 2) x += __shfl_xor_sync(kAllLanes, x, mask);
  return x;
}

__device__ inline float warp_max(float x) {
  for (int mask = 16; mask > 0; mask /= 2) x = fmaxf(x, __shfl_xor_sync(kAllLanes, x, mask));
  return x;
}

// Reduces a number of each thread of the block to one: their sum or the greatest. `shared` has room
// for one number a warp. Every thread gets the result.
template <bool kSum>
__device__ inline float block_reduce(float x, float* shared) {
  const int warps = static_cast<int>(blockDim.x) / 32, thread = static_cast<int>(threadIdx.x);
  x = kSum ? warp_sum(x) : warp_max(x);
  __syncthreads();  // the last use of `shared` is over
  if (thread % 32 == 0) shared[thread / 32] = x;
  __syncthreads();
  float result = shared[0];
  for (int i = 1; i < warps; ++i) result = kSum ? result + shared[i] : fmaxf(result, shared[i]);
  return result;
}

// One block of head_dim threads (a multiple of 32, at most 256) a row and head; queries' heads,
// then keys', then values'. Rounds where training does on a GPU: after the norm, the product with
// the cosine, and at the end (RmsNorm and Rotate of model/layer_ops.cc).
__global__ void place_kernel(PlaceCall c) {
  __shared__ float head[256];
  __shared__ float reduced[8];
  const int d = static_cast<int>(threadIdx.x), n = c.head_dim, half = n / 2;
  const std::int64_t row = blockIdx.x;
  const int which = static_cast<int>(blockIdx.y);
  const Bf16 own = c.qkv[(row * (c.heads + 2 * c.kv_heads) + which) * n + d];
  const std::int64_t page = c.page[row], slot = c.slot[row];
  if (which >= c.heads + c.kv_heads) {  // the same for the whole block
    const int h = which - c.heads - c.kv_heads;
    c.values[((page * c.kv_heads + h) * kKernelPage + slot) * n + d] = own;
    return;
  }
  const bool is_query = which < c.heads;
  const Bf16* norm = is_query ? c.q_norm : c.k_norm;
  float x = wide(own);
  if (norm != nullptr) {
    const float squares = block_reduce<true>(x * x, reduced);
    const float inverse = rsqrtf(squares / static_cast<float>(n) + c.eps);
    x = wide(narrow(x * inverse * (c.norm_offset + wide(norm[d]))));
  }
  head[d] = x;
  __syncthreads();
  const int pair = d % half;
  const std::int64_t angle = c.positions[row] * half + pair;
  const bool rotates = c.cos != nullptr;
  const float cos = rotates ? wide(c.cos[angle]) : 1, sin = rotates ? wide(c.sin[angle]) : 0;
  const float straight = rotates ? wide(narrow(x * cos)) : x;
  const float turned = d < half ? straight - head[d + half] * sin : straight + head[d - half] * sin;
  if (is_query) {
    c.queries[(row * c.heads + which) * n + d] = narrow(turned);
  } else {
    const int h = which - c.heads;
    c.keys[((page * c.kv_heads + h) * n + d) * kKernelPage + slot] = narrow(turned);
  }
}

// A block a key head, row and split; all kQueries queries of the key head. Softmax over page after
// page, as in FlashAttention (Dao et al., 2022, algorithm 1).
template <int kHeadDim, int kQueries>
__global__ void attend_kernel(AttendCall c) {
  constexpr int kWarps = kAttendThreads / 32;
  constexpr int kDims = kHeadDim / kWarps;          // of the keys, a warp
  constexpr int kPairs = kHeadDim / 2;              // of the values' dimensions, one a thread
  constexpr int kGroups = kAttendThreads / kPairs;  // of the page's values
  constexpr int kEach = kKernelPage / kGroups;      // values a group
  __shared__ float query[kQueries][kHeadDim];
  __shared__ float part[kWarps][kQueries][kKernelPage];  // scores over the dimensions of a warp
  __shared__ float share[kQueries][kKernelPage];
  __shared__ float most[kQueries], total[kQueries], fade[kQueries];
  __shared__ float gathered[kGroups][kQueries][kHeadDim];

  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int head = static_cast<int>(blockIdx.x), split = static_cast<int>(blockIdx.z);
  const std::int64_t row = blockIdx.y;
  const std::int64_t prompt = c.prompt_lengths[row], own = c.own_begins[row];
  const std::int64_t end = own + c.own_lengths[row] + 1;
  const std::int64_t pages = (end + kKernelPage - 1) / kKernelPage;
  // Positions from `first` on are seen: slots of the prompt from there on, own ones from own_first.
  const std::int64_t position = prompt + c.own_lengths[row];
  const std::int64_t window = c.rule.window;
  const std::int64_t first = window > 0 && position + 1 > window ? position + 1 - window : 0;
  const auto scale = static_cast<float>(c.rule.scale), cap = static_cast<float>(c.rule.cap);
  const std::int64_t own_first = first > prompt ? own + first - prompt : own;
  const std::int64_t first_page = (first < prompt ? first : own_first) / kKernelPage;
  const std::int64_t first_query = row * c.heads + head * kQueries;
  for (int i = thread; i < kQueries * kHeadDim; i += kAttendThreads) {
    query[i / kHeadDim][i % kHeadDim] = wide(c.queries[first_query * kHeadDim + i]) * scale;
  }
  if (thread < kQueries) {
    most[thread] = kNothing;
    total[thread] = 0;
  }
  __syncthreads();

  const int pair = thread % kPairs, group = thread / kPairs;
  float out[kQueries][2];
  for (int h = 0; h < kQueries; ++h) out[h][0] = out[h][1] = 0;

  for (std::int64_t p = first_page + split; p < pages; p += c.splits) {
    const std::int64_t page = c.table[row * c.table_width + p];
    const Bf16* keys = c.keys + (page * c.kv_heads + head) * kHeadDim * kKernelPage;
    const Bf16* values = c.values + (page * c.kv_heads + head) * kHeadDim * kKernelPage;
    float score[kQueries][2];
    for (int h = 0; h < kQueries; ++h) score[h][0] = score[h][1] = 0;
    REDQUEEN_UNROLL_8
    for (int i = 0; i < kDims; ++i) {
      const int d = warp * kDims + i;
      const Pair key = *reinterpret_cast<const Pair*>(keys + d * kKernelPage + 2 * lane);
      const float k0 = wide(key.x[0]), k1 = wide(key.x[1]);
      REDQUEEN_UNROLL
      for (int h = 0; h < kQueries; ++h) {
        score[h][0] += query[h][d] * k0;
        score[h][1] += query[h][d] * k1;
      }
    }
    for (int h = 0; h < kQueries; ++h) {
      part[warp][h][2 * lane] = score[h][0];
      part[warp][h][2 * lane + 1] = score[h][1];
    }
    __syncthreads();
    // A warp takes every kWarps-th query, a lane two keys.
    for (int h = warp; h < kQueries; h += kWarps) {
      float s[2];
      for (int j = 0; j < 2; ++j) {
        const std::int64_t slot = p * kKernelPage + 2 * lane + j;
        const bool there = (slot >= first && slot < prompt) || (slot >= own_first && slot < end);
        s[j] = 0;
        for (int w = 0; w < kWarps; ++w) s[j] += part[w][h][2 * lane + j];
        if (cap > 0) s[j] = cap * tanhf(s[j] / cap);
        if (!there) s[j] = kNothing;
      }
      const float before = most[h], now = fmaxf(before, warp_max(fmaxf(s[0], s[1])));
      // A page without tokens leaves everything as it was.
      const float e0 = s[0] == kNothing ? 0 : expf(s[0] - now);
      const float e1 = s[1] == kNothing ? 0 : expf(s[1] - now);
      share[h][2 * lane] = e0;
      share[h][2 * lane + 1] = e1;
      const float sum = warp_sum(e0 + e1);  // all lanes have read most[h]
      if (lane == 0) {
        fade[h] = expf(before - now);
        total[h] = total[h] * fade[h] + sum;
        most[h] = now;
      }
    }
    __syncthreads();
    for (int h = 0; h < kQueries; ++h) {
      out[h][0] *= fade[h];
      out[h][1] *= fade[h];
    }
    REDQUEEN_UNROLL_8
    for (int i = 0; i < kEach; ++i) {
      const int j = i * kGroups + group;
      const std::int64_t slot = p * kKernelPage + j;
      if (!((slot >= first && slot < prompt) || (slot >= own_first && slot < end)))
        continue;  // what lies there is not a number, perhaps
      const Pair value = *reinterpret_cast<const Pair*>(values + j * kHeadDim + 2 * pair);
      const float v0 = wide(value.x[0]), v1 = wide(value.x[1]);
      REDQUEEN_UNROLL
      for (int h = 0; h < kQueries; ++h) {
        out[h][0] += share[h][j] * v0;
        out[h][1] += share[h][j] * v1;
      }
    }
    __syncthreads();  // before the next page's shares
  }

  for (int h = 0; h < kQueries; ++h) {
    gathered[group][h][2 * pair] = out[h][0];
    gathered[group][h][2 * pair + 1] = out[h][1];
  }
  __syncthreads();
  for (int i = thread; i < kQueries * kHeadDim; i += kAttendThreads) {
    const int h = i / kHeadDim, d = i % kHeadDim;
    float sum = 0;
    for (int g = 0; g < kGroups; ++g) sum += gathered[g][h][d];
    if (c.splits == 1) {
      c.out[(first_query + h) * kHeadDim + d] = narrow(sum / total[h]);
    } else {
      float* part_out = c.part + ((first_query + h) * c.splits + split) * (kHeadDim + 2);
      part_out[d] = sum;
      if (d == 0) {
        part_out[kHeadDim] = most[h];
        part_out[kHeadDim + 1] = total[h];
      }
    }
  }
}

// One block of head_dim threads a row and query head: the splits' parts, weighed.
__global__ void merge_kernel(AttendCall c) {
  const int d = static_cast<int>(threadIdx.x), n = c.head_dim;
  const std::int64_t query = static_cast<std::int64_t>(blockIdx.x) * c.heads + blockIdx.y;
  const float* part = c.part + query * c.splits * (n + 2);
  float most = kNothing;
  for (int s = 0; s < c.splits; ++s) most = fmaxf(most, part[s * (n + 2) + n]);
  float sum = 0, total = 0;
  for (int s = 0; s < c.splits; ++s) {
    const float* one = part + s * (n + 2);
    const float weight = expf(one[n] - most);
    sum += weight * one[d];
    total += weight * one[n + 1];
  }
  c.out[query * n + d] = narrow(sum / total);
}

// Eight numbers a thread.
__global__ void gate_kernel(GateCall c) {
  const std::int64_t octet = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t in_row = c.inner / 8;
  if (octet >= c.rows * in_row) return;
  const std::int64_t row = octet / in_row, at = octet % in_row * 8;
  const Bf16* const gate = c.gate_up + row * 2 * c.inner + at;
  const Octet gates = *reinterpret_cast<const Octet*>(gate);
  const Octet ups = *reinterpret_cast<const Octet*>(gate + c.inner);
  Octet result;
  for (int i = 0; i < 8; ++i) {
    const float x = wide(gates.x[i]);
    const float z =
        c.activation == Activation::kSilu ? x : 1.59576912f * (x + 0.044715f * x * x * x);
    // Rounded in between, as activation and product are that libtorch computes one after the other.
    result.x[i] = narrow(wide(narrow(x / (1.0f + expf(-z)))) * wide(ups.x[i]));
  }
  *reinterpret_cast<Octet*>(c.out + row * c.inner + at) = result;
}

// One block of kThreads threads (at most 1024) a row. The range in which the target lies is
// narrowed down: every warp sums a part of it, and the part in which the sum passes the target is
// the next range, until a thread is left for every token.
template <int kThreads>
__global__ void draw_kernel(DrawCall c) {
  constexpr int kWarps = kThreads / 32;
  __shared__ float reduced[kWarps];
  __shared__ float sums[kWarps];
  __shared__ float running[2][kThreads];
  __shared__ long long drawn, last;
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const std::int64_t row = blockIdx.x;
  const Bf16* logits = c.logits + row * c.vocabulary;
  float most = kNothing;
  REDQUEEN_UNROLL_8
  for (std::int64_t i = thread; i < c.vocabulary; i += kThreads)
    most = fmaxf(most, wide(logits[i]));
  most = block_reduce<false>(most, reduced);
  const auto weight = [&](std::int64_t i) {
    return expf((wide(logits[i]) - most) * c.inverse_temperature);
  };

  std::int64_t begin = 0, end = c.vocabulary;
  double all = 0, target = 0, before = 0;  // before: the sum up to `begin`
  do {
    const std::int64_t part = (end - begin + kWarps - 1) / kWarps;
    const std::int64_t from = begin + warp * part, to = from + part < end ? from + part : end;
    float sum = 0;
    REDQUEEN_UNROLL_8
    for (std::int64_t i = from + lane; i < to; i += 32) sum += weight(i);
    sum = warp_sum(sum);
    __syncthreads();  // the last use of `sums` is over
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    if (begin == 0 && end == c.vocabulary) {
      for (int w = 0; w < kWarps; ++w) all += static_cast<double>(sums[w]);
      target = all * static_cast<double>(c.uniforms[row]);
    }
    // The same for all threads. Rounding can carry the target past the end: then it is the last
    // part that has a share.
    int chosen = 0;
    double passed = before;
    for (int w = 0; w < kWarps; ++w) {
      const auto share = static_cast<double>(sums[w]);
      if (!(share > 0)) continue;
      chosen = w;
      before = passed;
      passed += share;
      if (passed > target) break;
    }
    begin += chosen * part;
    end = begin + part < end ? begin + part : end;
  } while (end - begin > kThreads);

  // Sums up to every token that is left (Hillis & Steele, 1986).
  const float own = begin + thread < end ? weight(begin + thread) : 0.0f;
  int from = 0;
  running[0][thread] = own;
  if (thread == 0) {
    drawn = kThreads;
    last = 0;
  }
  __syncthreads();
  for (int step = 1; step < kThreads; step *= 2) {
    running[1 - from][thread] =
        running[from][thread] + (thread >= step ? running[from][thread - step] : 0.0f);
    from = 1 - from;
    __syncthreads();
  }
  const bool beyond = before + static_cast<double>(running[from][thread]) > target && own > 0;
  // The lowest of those beyond, and the last that could be drawn at all, by warps in turn.
  for (int w = 0; w < kWarps; ++w) {
    if (warp == w) {
      const float low = warp_max(beyond ? static_cast<float>(kThreads - thread) : 0.0f);
      const float high = warp_max(own > 0 ? static_cast<float>(thread) : 0.0f);
      if (lane == 0) {
        if (drawn == kThreads && low > 0) drawn = kThreads - static_cast<long long>(low);
        if (high > 0) last = static_cast<long long>(high);
      }
    }
    __syncthreads();
  }
  if (thread == 0) {
    const std::int64_t token = begin + (drawn < kThreads ? drawn : last);
    c.tokens[row] = token;
    c.log_probs[row] = static_cast<float>(
        static_cast<double>((wide(logits[token]) - most) * c.inverse_temperature) - log(all));
  }
}

}  // namespace redqueen::kernels
