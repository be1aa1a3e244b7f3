#include "redqueen/decode/decode_attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "redqueen/decode/paged_cache.h"
#include "redqueen/model/cpu/parallel.h"
#include "redqueen/model/cpu/vector_math.h"

namespace redqueen {
namespace {

// How a head is placed.
template <typename T>
struct Placing {
  const T *cos, *sin;  // null: no rotation
  std::int64_t head_dim;
  float eps, norm_offset;
};

// to = rotation of the head × scale, normalised and × (weight + offset) first if there is a weight.
template <typename T>
REDQUEEN_INLINE void place_head(const T* head, const T* weight, const Placing<T>& c, float scale,
                                float* to) {
  const std::int64_t head_dim = c.head_dim;
  for (std::int64_t i = 0; i < head_dim; ++i) to[i] = widen(head[i]);
  if (weight == nullptr) {
    for (std::int64_t i = 0; i < head_dim; ++i) to[i] *= scale;
  } else {
    const float mean = dot(to, to, head_dim) / static_cast<float>(head_dim);
    const float inverse = scale / std::sqrt(mean + c.eps);
    for (std::int64_t i = 0; i < head_dim; ++i) {
      to[i] = to[i] * inverse * (c.norm_offset + widen(weight[i]));
    }
  }
  if (c.cos == nullptr) return;
  const std::int64_t half = head_dim / 2;
  for (std::int64_t i = 0; i < half; ++i) {
    const float left = to[i], right = to[i + half];
    to[i] = left * widen(c.cos[i]) - right * widen(c.sin[i]);
    to[i + half] = right * widen(c.cos[i]) + left * widen(c.sin[i]);
  }
}

// scores[j] = query · keys[:, j] for neighbouring keys of a page
template <typename T>
REDQUEEN_INLINE void score_keys(const float* query, const T* keys, std::int64_t head_dim,
                                std::int64_t count, float* scores) {
  constexpr std::int64_t kStride = kPageTokens;
  for (std::int64_t j = 0; j < count; ++j) scores[j] = 0;
  std::int64_t d = 0;
  for (; d + 4 <= head_dim; d += 4) {
    const T *k0 = keys + d * kStride, *k1 = k0 + kStride, *k2 = k1 + kStride, *k3 = k2 + kStride;
    const float q0 = query[d], q1 = query[d + 1], q2 = query[d + 2], q3 = query[d + 3];
    for (std::int64_t j = 0; j < count; ++j) {
      scores[j] +=
          (q0 * widen(k0[j]) + q1 * widen(k1[j])) + (q2 * widen(k2[j]) + q3 * widen(k3[j]));
    }
  }
  for (; d < head_dim; ++d) {
    const T* k0 = keys + d * kStride;
    for (std::int64_t j = 0; j < count; ++j) scores[j] += query[d] * widen(k0[j]);
  }
}

// out += Σ_j weights[j] × values[j, :]
template <typename T>
REDQUEEN_INLINE void add_values(const float* weights, const T* values, std::int64_t head_dim,
                                std::int64_t count, float* out) {
  std::int64_t j = 0;
  for (; j + 4 <= count; j += 4) {
    const T *v0 = values + j * head_dim, *v1 = v0 + head_dim, *v2 = v1 + head_dim,
            *v3 = v2 + head_dim;
    const float w0 = weights[j], w1 = weights[j + 1], w2 = weights[j + 2], w3 = weights[j + 3];
    for (std::int64_t d = 0; d < head_dim; ++d) {
      out[d] += (w0 * widen(v0[d]) + w1 * widen(v1[d])) + (w2 * widen(v2[d]) + w3 * widen(v3[d]));
    }
  }
  for (; j < count; ++j) {
    for (std::int64_t d = 0; d < head_dim; ++d)
      out[d] += weights[j] * widen(values[j * head_dim + d]);
  }
}

// The queries of one key head in one row.
template <typename T>
struct HeadCall {
  const DecodeRow* row;
  std::int64_t queries, head_dim;
  const T *q, *k, *v;  // as projected
  const T *q_norm, *k_norm;
  Placing<T> placing;
  AttentionRule rule;
  std::int64_t first;   // the first position that is attended to
  T *keys, *values;     // of this head in page 0
  std::int64_t stride;  // from page to page
  T* out;
  float* scratch;  // [2 × head_dim + prompt_length + own_length + 1]
};

// score = cap × tanh(score / cap)
REDQUEEN_INLINE void cap_scores(float* scores, std::int64_t count, float cap) {
  const float twice = 2.0f / cap;
  for (std::int64_t j = 0; j < count; ++j) {
    const float size = scores[j] < 0 ? -scores[j] : scores[j];
    const float fade = exponential(-twice * size);
    const float made = cap * ((1.0f - fade) / (1.0f + fade));
    scores[j] = scores[j] < 0 ? -made : made;
  }
}

// Tokens [begin, end) of a list of pages.
struct PageRun {
  std::span<const std::int64_t> pages;
  std::int64_t begin, end;
};

// The scores of a run's tokens, in order; returns their end.
template <typename T>
REDQUEEN_INLINE float* score_run(const HeadCall<T>& c, const PageRun& run, const float* query,
                                 float* scores) {
  for (std::int64_t at = run.begin; at < run.end;) {
    const std::int64_t page = at / kPageTokens, slot = at % kPageTokens;
    const std::int64_t rest = kPageTokens - slot, left = run.end - at;
    const std::int64_t used = left < rest ? left : rest;
    score_keys(query, c.keys + run.pages[static_cast<std::size_t>(page)] * c.stride + slot,
               c.head_dim, used, scores);
    scores += used;
    at += used;
  }
  return scores;
}

// out += the run's values, weighed; returns the end of its weights.
template <typename T>
REDQUEEN_INLINE const float* add_run(const HeadCall<T>& c, const PageRun& run, const float* weights,
                                     float* out) {
  for (std::int64_t at = run.begin; at < run.end;) {
    const std::int64_t page = at / kPageTokens, slot = at % kPageTokens;
    const std::int64_t rest = kPageTokens - slot, left = run.end - at;
    const std::int64_t used = left < rest ? left : rest;
    add_values(weights,
               c.values + run.pages[static_cast<std::size_t>(page)] * c.stride + slot * c.head_dim,
               c.head_dim, used, out);
    weights += used;
    at += used;
  }
  return weights;
}

template <typename T>
REDQUEEN_INLINE void attend_in(const HeadCall<T>& c) {
  const DecodeRow& row = *c.row;
  const std::int64_t n = c.head_dim, count = row.prompt_length + row.own_length + 1 - c.first;
  const auto scale = static_cast<float>(c.rule.scale), cap = static_cast<float>(c.rule.cap);
  float* const vector = c.scratch;
  float* const out = c.scratch + n;
  float* const scores = c.scratch + 2 * n;
  const auto page = static_cast<std::size_t>(row.own_length / kPageTokens);
  const std::int64_t slot = row.own_length % kPageTokens;
  T* const new_keys = c.keys + row.own_pages[page] * c.stride;
  T* const new_values = c.values + row.own_pages[page] * c.stride;
  place_head(c.k, c.k_norm, c.placing, 1.0f, vector);
  for (std::int64_t d = 0; d < n; ++d) narrow(vector[d], new_keys[d * kPageTokens + slot]);
  for (std::int64_t d = 0; d < n; ++d) new_values[slot * n + d] = c.v[d];

  const std::int64_t of_prompt = c.first < row.prompt_length ? c.first : row.prompt_length;
  const PageRun prompt{row.prompt_pages, of_prompt, row.prompt_length};
  const PageRun own{row.own_pages, c.first - of_prompt, row.own_length + 1};
  for (std::int64_t i = 0; i < c.queries; ++i) {
    place_head(c.q + i * n, c.q_norm, c.placing, scale, vector);
    score_run(c, own, vector, score_run(c, prompt, vector, scores));
    if (cap > 0) cap_scores(scores, count, cap);
    const float most = largest(scores, count);
    for (std::int64_t j = 0; j < count; ++j) scores[j] = exponential(scores[j] - most);
    const float inverse = 1.0f / total(scores, count);
    for (std::int64_t d = 0; d < n; ++d) out[d] = 0;
    add_run(c, own, add_run(c, prompt, scores, out), out);
    for (std::int64_t d = 0; d < n; ++d) narrow(out[d] * inverse, c.out[i * n + d]);
  }
}

REDQUEEN_VECTOR_CLONES void attend_head(const HeadCall<float>& c) { attend_in(c); }
REDQUEEN_VECTOR_CLONES void attend_head(const HeadCall<Bfloat16>& c) { attend_in(c); }

template <typename T>
HeadCall<T> head_call(const DecodeCall<T>& c, std::int64_t row, std::int64_t head, float* scratch) {
  const std::int64_t n = c.head_dim, queries = c.heads / c.kv_heads;
  const DecodeRow& where = c.rows[row];
  const T* qkv = c.qkv + row * (c.heads + 2 * c.kv_heads) * n;
  const std::int64_t position = where.prompt_length + where.own_length;
  const std::int64_t in_page = head * n * kPageTokens;
  return {.row = &where,
          .queries = queries,
          .head_dim = n,
          .q = qkv + head * queries * n,
          .k = qkv + (c.heads + head) * n,
          .v = qkv + (c.heads + c.kv_heads + head) * n,
          .q_norm = c.q_norm,
          .k_norm = c.k_norm,
          .placing = {.cos = c.cos == nullptr ? nullptr : c.cos + position * (n / 2),
                      .sin = c.sin == nullptr ? nullptr : c.sin + position * (n / 2),
                      .head_dim = n,
                      .eps = c.eps,
                      .norm_offset = c.norm_offset},
          .rule = c.rule,
          .first = c.rule.window > 0 ? std::max<std::int64_t>(0, position + 1 - c.rule.window) : 0,
          .keys = c.keys + in_page,
          .values = c.values + in_page,
          .stride = c.kv_heads * n * kPageTokens,
          .out = c.out + (row * c.heads + head * queries) * n,
          .scratch = scratch};
}

template <typename T>
void attend_rows(const DecodeCall<T>& call) {
  std::int64_t longest = 0;
  for (const DecodeRow& row : call.rows) {
    longest = std::max(longest, row.prompt_length + row.own_length + 1);
  }
  const auto rows = static_cast<std::int64_t>(call.rows.size());
  parallel_ranges(rows * call.kv_heads, 8, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> scratch(static_cast<std::size_t>(2 * call.head_dim + longest));
    for (std::int64_t task = begin; task < end; ++task) {
      attend_head(head_call(call, task / call.kv_heads, task % call.kv_heads, scratch.data()));
    }
  });
}

}  // namespace

void decode_attention(const DecodeCall<float>& call) { attend_rows(call); }

void decode_attention(const DecodeCall<Bfloat16>& call) { attend_rows(call); }

}  // namespace redqueen
