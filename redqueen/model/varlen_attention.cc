#include "redqueen/model/varlen_attention.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace redqueen {
namespace {

double scale_of(const at::Tensor& q) { return 1.0 / std::sqrt(static_cast<double>(q.size(-1))); }

// Calls body(queries' begin, their count, keys' begin, their count) for every sequence.
template <typename Body>
void for_sequences(const SequenceBounds& queries, const SequenceBounds& keys, const Body& body) {
  const auto* q = queries.begins.const_data_ptr<std::int32_t>();
  const auto* k = keys.begins.const_data_ptr<std::int32_t>();
  for (std::int64_t i = 0; i + 1 < queries.begins.size(0); ++i) {
    body(q[i], q[i + 1] - q[i], k[i], k[i + 1] - k[i]);
  }
}

// Rows [begin, begin + count) as the CPU's kernel wants them: [1, heads, count, head_dim].
at::Tensor heads_first(const at::Tensor& x, std::int64_t begin, std::int64_t count,
                       std::int64_t heads) {
  const at::Tensor rows = x.narrow(0, begin, count);
  const std::int64_t times = heads / x.size(1);
  return (times == 1 ? rows : rows.repeat_interleave(times, 1)).transpose(0, 1).unsqueeze(0);
}

VarlenAttended attend_each(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const SequenceBounds& queries, const SequenceBounds& keys, bool causal) {
  const std::int64_t heads = q.size(1);
  VarlenAttended result{
      at::empty_like(q), at::empty({heads, q.size(0)}, q.options().dtype(at::kFloat)), {}};
  for_sequences(queries, keys,
                [&](std::int64_t at, std::int64_t count, std::int64_t from, std::int64_t length) {
                  const auto [out, lse] = at::_scaled_dot_product_flash_attention_for_cpu(
                      heads_first(q, at, count, heads), heads_first(k, from, length, heads),
                      heads_first(v, from, length, heads), 0.0, causal, {}, scale_of(q));
                  result.out.narrow(0, at, count).copy_(out.squeeze(0).transpose(0, 1));
                  result.lse.narrow(1, at, count).copy_(lse.squeeze(0));
                });
  return result;
}

VarlenGradients attend_each_backward(const at::Tensor& grad, const at::Tensor& q,
                                     const at::Tensor& k, const at::Tensor& v,
                                     const VarlenAttended& done, const SequenceBounds& queries,
                                     const SequenceBounds& keys, bool causal) {
  const std::int64_t heads = q.size(1), kv_heads = k.size(1);
  VarlenGradients result{at::empty_like(q), at::empty_like(k), at::empty_like(v)};
  for_sequences(
      queries, keys,
      [&](std::int64_t at, std::int64_t count, std::int64_t from, std::int64_t length) {
        const auto query_part = [&](const at::Tensor& x) {
          return heads_first(x, at, count, heads);
        };
        const auto [dq, dk, dv] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
            query_part(grad), query_part(q), heads_first(k, from, length, heads),
            heads_first(v, from, length, heads), query_part(done.out),
            done.lse.narrow(1, at, count).unsqueeze(0).contiguous(), 0.0, causal, {}, scale_of(q));
        const auto shared = [&](const at::Tensor& x) {  // of the queries that read the same key
          return x.squeeze(0)
              .transpose(0, 1)
              .reshape({length, kv_heads, heads / kv_heads, -1})
              .sum(2);
        };
        result.q.narrow(0, at, count).copy_(dq.squeeze(0).transpose(0, 1));
        result.k.narrow(0, from, length).copy_(shared(dk));
        result.v.narrow(0, from, length).copy_(shared(dv));
      });
  return result;
}

}  // namespace

SequenceBounds sequence_bounds(std::span<const std::int64_t> lengths, at::Device device) {
  SequenceBounds bounds;
  at::Tensor begins = at::empty({static_cast<std::int64_t>(lengths.size()) + 1}, at::kInt);
  auto* next = begins.mutable_data_ptr<std::int32_t>();
  *next = 0;
  for (const std::int64_t length : lengths) {
    next[1] = next[0] + static_cast<std::int32_t>(length);
    ++next;
    bounds.longest = std::max(bounds.longest, length);
  }
  bounds.begins = begins.to(device);
  return bounds;
}

VarlenAttended varlen_attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                             const SequenceBounds& queries, const SequenceBounds& keys,
                             bool causal) {
  if (q.is_cpu()) return attend_each(q, k, v, queries, keys, causal);
  auto [out, lse, seed, offset, debug] = at::_flash_attention_forward(
      q, k, v, queries.begins, keys.begins, queries.longest, keys.longest, /*dropout_p=*/0.0,
      causal, /*return_debug_mask=*/false, scale_of(q));
  return {out, lse, {seed, offset}};
}

VarlenGradients varlen_attend_backward(const at::Tensor& grad, const at::Tensor& q,
                                       const at::Tensor& k, const at::Tensor& v,
                                       const VarlenAttended& done, const SequenceBounds& queries,
                                       const SequenceBounds& keys, bool causal) {
  if (q.is_cpu()) return attend_each_backward(grad, q, k, v, done, queries, keys, causal);
  auto [dq, dk, dv] = at::_flash_attention_backward(
      grad, q, k, v, done.out, done.lse.contiguous(), queries.begins, keys.begins, queries.longest,
      keys.longest, /*dropout_p=*/0.0, causal, done.state.seed, done.state.offset, scale_of(q));
  return {dq, dk, dv};
}

}  // namespace redqueen
