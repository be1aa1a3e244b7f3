#include "redqueen/model/varlen_attention.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "redqueen/model/fused_attention.h"

namespace redqueen {
namespace {

// Queries of a sequence that see a part of its keys; all of them where one fused call does.
struct Block {
  std::int64_t queries, count;  // the first, how many
  std::int64_t keys, length;
  FusedAttention how;
};

constexpr std::int64_t kBlockQueries = 256;

// 0 where a query sees a key, −∞ elsewhere. `ahead`: keys before the first query's own.
at::Tensor window_mask(std::int64_t queries, std::int64_t keys, std::int64_t ahead,
                       std::int64_t window, const at::TensorOptions& options) {
  const at::Tensor seen =
      at::ones({queries, keys}, options.dtype(at::kBool)).tril_(ahead).triu_(ahead - window + 1);
  return at::zeros({queries, keys}, options)
      .masked_fill_(seen.logical_not(), -std::numeric_limits<double>::infinity());
}

// Calls body(block) for all blocks of all sequences.
template <typename Body>
void for_blocks(const at::Tensor& like, const SequenceBounds& queries, const SequenceBounds& keys,
                bool causal, const AttentionRule& rule, const Body& body) {
  const at::Tensor query_begins = queries.begins.cpu(), key_begins = keys.begins.cpu();
  const auto* q = query_begins.const_data_ptr<std::int32_t>();
  const auto* k = key_begins.const_data_ptr<std::int32_t>();
  for (std::int64_t i = 0; i + 1 < query_begins.size(0); ++i) {
    const std::int64_t count = q[i + 1] - q[i], length = k[i + 1] - k[i];
    if (rule.window == 0 && !rule.changes_scores()) {
      body(Block{q[i], count, k[i], length, {.rule = rule, .causal = causal}});
      continue;
    }
    for (std::int64_t begin = 0; begin < count; begin += kBlockQueries) {
      const std::int64_t some = std::min(kBlockQueries, count - begin);
      if (!causal) {
        body(Block{q[i] + begin, some, k[i], length, {.rule = rule}});
        continue;
      }
      const std::int64_t own = length - count + begin;  // the key of the first of them
      const std::int64_t window = rule.window > 0 ? rule.window : length;
      const std::int64_t from = std::max<std::int64_t>(0, own - window + 1);
      const std::int64_t seen = own + some - from;
      body(Block{
          q[i] + begin,
          some,
          k[i] + from,
          seen,
          {.rule = rule, .mask = window_mask(some, seen, own - from, window, like.options())}});
    }
  }
}

// Rows [begin, begin + count) as the fused kernel wants them: [1, heads, count, head_dim].
at::Tensor heads_first(const at::Tensor& x, std::int64_t begin, std::int64_t count,
                       std::int64_t heads) {
  const at::Tensor rows = x.narrow(0, begin, count);
  const std::int64_t times = heads / x.size(1);
  return (times == 1 ? rows : rows.repeat_interleave(times, 1)).transpose(0, 1).unsqueeze(0);
}

VarlenAttended attend_each(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const SequenceBounds& queries, const SequenceBounds& keys, bool causal,
                           const AttentionRule& rule) {
  const std::int64_t heads = q.size(1);
  VarlenAttended result{
      at::empty_like(q), at::empty({heads, q.size(0)}, q.options().dtype(at::kFloat)), {}};
  for_blocks(q, queries, keys, causal, rule, [&](const Block& b) {
    const Attended part =
        attend(heads_first(q, b.queries, b.count, heads), heads_first(k, b.keys, b.length, heads),
               heads_first(v, b.keys, b.length, heads), b.how);
    result.out.narrow(0, b.queries, b.count).copy_(part.out.squeeze(0).transpose(0, 1));
    result.lse.narrow(1, b.queries, b.count).copy_(part.lse.squeeze(0));
  });
  return result;
}

VarlenGradients attend_each_backward(const at::Tensor& grad, const at::Tensor& q,
                                     const at::Tensor& k, const at::Tensor& v,
                                     const VarlenAttended& done, const SequenceBounds& queries,
                                     const SequenceBounds& keys, bool causal,
                                     const AttentionRule& rule) {
  const std::int64_t heads = q.size(1), kv_heads = k.size(1);
  VarlenGradients result{at::empty_like(q), at::zeros_like(k), at::zeros_like(v)};
  for_blocks(q, queries, keys, causal, rule, [&](const Block& b) {
    const auto query_part = [&](const at::Tensor& x) {
      return heads_first(x, b.queries, b.count, heads);
    };
    const Attended part{query_part(done.out),
                        done.lse.narrow(1, b.queries, b.count).unsqueeze(0).contiguous()};
    const Gradients grads =
        attend_backward(query_part(grad), query_part(q), heads_first(k, b.keys, b.length, heads),
                        heads_first(v, b.keys, b.length, heads), part, b.how);
    const auto shared = [&](const at::Tensor& x) {  // of the queries that read the same key
      return x.squeeze(0)
          .transpose(0, 1)
          .reshape({b.length, kv_heads, heads / kv_heads, -1})
          .sum(2);
    };
    result.q.narrow(0, b.queries, b.count).copy_(grads.q.squeeze(0).transpose(0, 1));
    result.k.narrow(0, b.keys, b.length).add_(shared(grads.k));
    result.v.narrow(0, b.keys, b.length).add_(shared(grads.v));
  });
  return result;
}

// As FlashAttention counts: how many keys before its own a query sees.
std::optional<c10::SymInt> keys_before(const AttentionRule& rule) {
  if (rule.window == 0) return std::nullopt;
  return c10::SymInt(rule.window - 1);
}

std::optional<c10::SymInt> keys_after(const AttentionRule& rule) {
  return rule.window == 0 ? std::nullopt : std::optional(c10::SymInt(0));
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

bool has_varlen_kernel(const at::Tensor& q) {
  return q.is_cuda() && q.scalar_type() == at::kBFloat16 && q.size(-1) % 8 == 0 &&
         q.size(-1) <= 256;
}

VarlenAttended varlen_attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                             const SequenceBounds& queries, const SequenceBounds& keys, bool causal,
                             const AttentionRule& rule) {
  if (!has_varlen_kernel(q) || rule.changes_scores())
    return attend_each(q, k, v, queries, keys, causal, rule);
  auto [out, lse, seed, offset, debug] = at::_flash_attention_forward_symint(
      q, k, v, queries.begins, keys.begins, queries.longest, keys.longest, /*dropout_p=*/0.0,
      causal, /*return_debug_mask=*/false, rule.scale, keys_before(rule), keys_after(rule));
  return {out, lse, {seed, offset}};
}

VarlenGradients varlen_attend_backward(const at::Tensor& grad, const at::Tensor& q,
                                       const at::Tensor& k, const at::Tensor& v,
                                       const VarlenAttended& done, const SequenceBounds& queries,
                                       const SequenceBounds& keys, bool causal,
                                       const AttentionRule& rule) {
  if (!has_varlen_kernel(q) || rule.changes_scores()) {
    return attend_each_backward(grad, q, k, v, done, queries, keys, causal, rule);
  }
  auto [dq, dk, dv] = at::_flash_attention_backward_symint(
      grad, q, k, v, done.out, done.lse.contiguous(), queries.begins, keys.begins, queries.longest,
      keys.longest, /*dropout_p=*/0.0, causal, done.state.seed, done.state.offset, rule.scale,
      keys_before(rule), keys_after(rule));
  return {dq, dk, dv};
}

}  // namespace redqueen
