#include "redqueen/policy/decode_attention.h"

#include <cmath>
#include <vector>

#include "redqueen/policy/parallel.h"
#include "redqueen/policy/vector_math.h"

namespace redqueen {
namespace {

// to = rotation of the head × scale, normalised and × weight first if there is a weight.
REDQUEEN_INLINE void place_head(const float* head, const float* weight, const float* cos,
                                const float* sin, std::int64_t head_dim, float eps, float scale,
                                float* to) {
  if (weight == nullptr) {
    for (std::int64_t i = 0; i < head_dim; ++i) to[i] = head[i] * scale;
  } else {
    const float mean = dot(head, head, head_dim) / static_cast<float>(head_dim);
    const float inverse = scale / std::sqrt(mean + eps);
    for (std::int64_t i = 0; i < head_dim; ++i) to[i] = head[i] * inverse * weight[i];
  }
  const std::int64_t half = head_dim / 2;
  for (std::int64_t i = 0; i < half; ++i) {
    const float left = to[i], right = to[i + half];
    to[i] = left * cos[i] - right * sin[i];
    to[i + half] = right * cos[i] + left * sin[i];
  }
}

// scores[j] = query · keys[:, j]
REDQUEEN_INLINE void score_keys(const float* query, const float* keys, std::int64_t stride,
                                std::int64_t head_dim, std::int64_t count, float* scores) {
  for (std::int64_t j = 0; j < count; ++j) scores[j] = 0;
  std::int64_t d = 0;
  for (; d + 4 <= head_dim; d += 4) {
    const float *k0 = keys + d * stride, *k1 = k0 + stride, *k2 = k1 + stride, *k3 = k2 + stride;
    const float q0 = query[d], q1 = query[d + 1], q2 = query[d + 2], q3 = query[d + 3];
    for (std::int64_t j = 0; j < count; ++j) {
      scores[j] += (q0 * k0[j] + q1 * k1[j]) + (q2 * k2[j] + q3 * k3[j]);
    }
  }
  for (; d < head_dim; ++d) {
    const float* k0 = keys + d * stride;
    for (std::int64_t j = 0; j < count; ++j) scores[j] += query[d] * k0[j];
  }
}

// out += Σ_j weights[j] × values[j, :]
REDQUEEN_INLINE void add_values(const float* weights, const float* values, std::int64_t head_dim,
                                std::int64_t count, float* out) {
  std::int64_t j = 0;
  for (; j + 4 <= count; j += 4) {
    const float *v0 = values + j * head_dim, *v1 = v0 + head_dim, *v2 = v1 + head_dim,
                *v3 = v2 + head_dim;
    const float w0 = weights[j], w1 = weights[j + 1], w2 = weights[j + 2], w3 = weights[j + 3];
    for (std::int64_t d = 0; d < head_dim; ++d) {
      out[d] += (w0 * v0[d] + w1 * v1[d]) + (w2 * v2[d] + w3 * v3[d]);
    }
  }
  for (; j < count; ++j) {
    for (std::int64_t d = 0; d < head_dim; ++d) out[d] += weights[j] * values[j * head_dim + d];
  }
}

// The head_dim queries of one key head in one row.
struct HeadCall {
  std::int64_t queries, head_dim;
  const float *q, *k, *v;  // as projected
  const float *q_norm, *k_norm, *cos, *sin;
  float eps;
  const float *prompt_keys, *prompt_values;
  std::int64_t prompt_length, longest;
  float *own_keys, *own_values;
  std::int64_t capacity, step;
  float* out;
  float* scratch;  // [head_dim + prompt_length + step + 1]
};

REDQUEEN_VECTOR_CLONES void attend_head(const HeadCall& c) {
  const std::int64_t n = c.head_dim, own = c.step + 1;
  float* const vector = c.scratch;
  float* const scores = c.scratch + n;
  place_head(c.k, c.k_norm, c.cos, c.sin, n, c.eps, 1.0f, vector);
  for (std::int64_t d = 0; d < n; ++d) c.own_keys[d * c.capacity + c.step] = vector[d];
  for (std::int64_t d = 0; d < n; ++d) c.own_values[c.step * n + d] = c.v[d];

  const float scale = 1.0f / std::sqrt(static_cast<float>(n));
  for (std::int64_t i = 0; i < c.queries; ++i) {
    place_head(c.q + i * n, c.q_norm, c.cos, c.sin, n, c.eps, scale, vector);
    score_keys(vector, c.prompt_keys, c.longest, n, c.prompt_length, scores);
    score_keys(vector, c.own_keys, c.capacity, n, own, scores + c.prompt_length);
    const std::int64_t count = c.prompt_length + own;
    const float most = largest(scores, count);
    for (std::int64_t j = 0; j < count; ++j) scores[j] = exponential(scores[j] - most);
    const float inverse = 1.0f / total(scores, count);
    float* const out = c.out + i * n;
    for (std::int64_t d = 0; d < n; ++d) out[d] = 0;
    add_values(scores, c.prompt_values, n, c.prompt_length, out);
    add_values(scores + c.prompt_length, c.own_values, n, own, out);
    for (std::int64_t d = 0; d < n; ++d) out[d] *= inverse;
  }
}

HeadCall head_call(const DecodeCall& c, std::int64_t row, std::int64_t head, float* scratch) {
  const std::int64_t n = c.head_dim, queries = c.heads / c.kv_heads;
  const std::int64_t prompt = c.prompt_of_row[row];
  const float* qkv = c.qkv + row * (c.heads + 2 * c.kv_heads) * n;
  const std::int64_t position = c.prompt_lengths[prompt] + c.step;
  const std::int64_t prompt_cache = (prompt * c.kv_heads + head) * n * c.longest;
  const std::int64_t own_cache = (row * c.kv_heads + head) * n * c.capacity;
  return {.queries = queries,
          .head_dim = n,
          .q = qkv + head * queries * n,
          .k = qkv + (c.heads + head) * n,
          .v = qkv + (c.heads + c.kv_heads + head) * n,
          .q_norm = c.q_norm,
          .k_norm = c.k_norm,
          .cos = c.cos + position * (n / 2),
          .sin = c.sin + position * (n / 2),
          .eps = c.eps,
          .prompt_keys = c.prompt_keys + prompt_cache,
          .prompt_values = c.prompt_values + prompt_cache,
          .prompt_length = c.prompt_lengths[prompt],
          .longest = c.longest,
          .own_keys = c.own_keys + own_cache,
          .own_values = c.own_values + own_cache,
          .capacity = c.capacity,
          .step = c.step,
          .out = c.out + (row * c.heads + head * queries) * n,
          .scratch = scratch};
}

}  // namespace

void decode_attention(const DecodeCall& call) {
  parallel_ranges(call.rows * call.kv_heads, 8, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> scratch(
        static_cast<std::size_t>(call.head_dim + call.longest + call.step + 1));
    for (std::int64_t task = begin; task < end; ++task) {
      attend_head(head_call(call, task / call.kv_heads, task % call.kv_heads, scratch.data()));
    }
  });
}

}  // namespace redqueen
