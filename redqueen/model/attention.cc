#include "redqueen/model/attention.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "redqueen/model/fused_attention.h"
#include "redqueen/model/packed_rows.h"
#include "redqueen/model/packed_varlen.h"
#include "redqueen/model/saved_rule.h"

namespace redqueen {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// ---- Packed rows to the kernels' layout and back. ----

// [rows, kv_heads, head_dim] → [rows, heads, head_dim]: every key head serves heads / kv_heads
// queries in a row.
at::Tensor repeat_heads(const at::Tensor& x, std::int64_t heads) {
  const std::int64_t times = heads / x.size(1);
  if (times == 1) return x;
  return x.unsqueeze(2).expand({-1, -1, times, -1}).reshape({x.size(0), heads, x.size(2)});
}

// The adjoint of repeat_heads.
at::Tensor sum_heads(const at::Tensor& x, std::int64_t kv_heads) {
  const std::int64_t times = x.size(1) / kv_heads;
  if (times == 1) return x;
  return x.view({x.size(0), kv_heads, times, x.size(2)}).sum(2);
}

// [T, ...] → [count, length, ...]
at::Tensor gather(const at::Tensor& x, const SegmentBucket& bucket) {
  std::vector<std::int64_t> shape = {bucket.count, bucket.length};
  shape.insert(shape.end(), x.sizes().begin() + 1, x.sizes().end());
  return x.index_select(0, bucket.rows).view(shape);
}

// As gather, with `value` in the padding.
at::Tensor gather_filled(const at::Tensor& x, const SegmentBucket& bucket, double value) {
  at::Tensor result = gather(x, bucket);
  if (bucket.padding.defined()) {
    result.flatten(0, 1).index_fill_(0, bucket.padding, value);
  }
  return result;
}

// [count, length, ...] → the rows of `to`.
void scatter(const at::Tensor& x, const SegmentBucket& bucket, at::Tensor& to) {
  const at::Tensor flat = x.flatten(0, 1);
  if (bucket.padding.defined()) {
    to.index_copy_(0, bucket.real_rows, flat.index_select(0, bucket.slots));
  } else {
    to.index_copy_(0, bucket.rows, flat);
  }
}

// Queries of one group, all heads that share a key head side by side: [rows, heads, head_dim] →
// [1, kv_heads, times × rows, head_dim]. No key is copied for grouped queries.
at::Tensor fold(const at::Tensor& x, std::int64_t kv_heads) {
  const std::int64_t rows = x.size(0), times = x.size(1) / kv_heads, head_dim = x.size(2);
  return x.view({rows, kv_heads, times, head_dim})
      .permute({1, 2, 0, 3})
      .reshape({1, kv_heads, times * rows, head_dim});
}

// The inverse of fold.
at::Tensor unfold(const at::Tensor& x, std::int64_t rows, std::int64_t heads) {
  const std::int64_t kv_heads = x.size(1), head_dim = x.size(3);
  return x.reshape({kv_heads, heads / kv_heads, rows, head_dim})
      .permute({2, 0, 1, 3})
      .reshape({rows, heads, head_dim});
}

// [rows, heads] → [1, kv_heads, times × rows]
at::Tensor fold_lse(const at::Tensor& lse, std::int64_t kv_heads) {
  return fold(lse.unsqueeze(2), kv_heads).squeeze(3).contiguous();
}

at::Tensor keys_of(const at::Tensor& x, const Branch& branch) {
  return x.narrow(0, branch.prompt_begin, branch.prompt_length).transpose(0, 1).unsqueeze(0);
}

// ---- The two parts. ----

struct PackedAttended {
  at::Tensor out;  // [T, heads, head_dim]
  at::Tensor lse;  // [T, heads] float32
};

PackedAttended attend_within_segments(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                      const PackedGroups& packed, const AttentionRule& rule) {
  PackedAttended result{at::empty_like(q),
                        at::empty({q.size(0), q.size(1)}, q.options().dtype(at::kFloat))};
  for (const SegmentBucket& bucket : packed.buckets) {
    const Attended part = attend(gather(q, bucket).transpose(1, 2),
                                 gather(repeat_heads(k, q.size(1)), bucket).transpose(1, 2),
                                 gather(repeat_heads(v, q.size(1)), bucket).transpose(1, 2),
                                 {.rule = rule, .causal = true});
    scatter(part.out.transpose(1, 2), bucket, result.out);
    scatter(part.lse.transpose(1, 2), bucket, result.lse);
  }
  return result;
}

// Weighs the two parts by the share of probability that fell on each.
void merge_prompts(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                   const PackedGroups& packed, const AttentionRule& rule, PackedAttended& result) {
  if (packed.branches.empty()) return;
  std::vector<at::Tensor> outs, lses;
  for (const Branch& branch : packed.branches) {
    const Attended part = attend(fold(q.narrow(0, branch.begin, branch.length), k.size(1)),
                                 keys_of(k, branch), keys_of(v, branch), {.rule = rule});
    outs.push_back(unfold(part.out, branch.length, q.size(1)));
    lses.push_back(unfold(part.lse.unsqueeze(3), branch.length, q.size(1)).squeeze(2));
  }
  const std::int64_t rows = q.size(0) - packed.branches_begin;
  at::Tensor own_out = result.out.narrow(0, packed.branches_begin, rows);
  at::Tensor own_lse = result.lse.narrow(0, packed.branches_begin, rows);
  const at::Tensor prompt_lse = at::cat(lses);
  const at::Tensor lse = at::logaddexp(own_lse, prompt_lse);
  const at::Tensor own_share = (own_lse - lse).exp_().unsqueeze_(2);
  const at::Tensor prompt_share = (prompt_lse - lse).exp_().unsqueeze_(2);
  own_out.copy_((own_out * own_share).addcmul_(at::cat(outs).to(at::kFloat), prompt_share));
  own_lse.copy_(lse);
}

Gradients backward_within_segments(const at::Tensor& grad, const at::Tensor& q, const at::Tensor& k,
                                   const at::Tensor& v, const PackedAttended& done,
                                   const PackedGroups& packed, const AttentionRule& rule) {
  Gradients result{at::empty_like(q), at::empty_like(k), at::empty_like(v)};
  for (const SegmentBucket& bucket : packed.buckets) {
    // A padding query with a zero gradient and an infinite normaliser leaves keys and values alone.
    const Attended part{gather(done.out, bucket).transpose(1, 2),
                        gather_filled(done.lse, bucket, 1e30).transpose(1, 2).contiguous()};
    const Gradients grads = attend_backward(
        gather_filled(grad, bucket, 0).transpose(1, 2), gather(q, bucket).transpose(1, 2),
        gather(repeat_heads(k, q.size(1)), bucket).transpose(1, 2),
        gather(repeat_heads(v, q.size(1)), bucket).transpose(1, 2), part,
        {.rule = rule, .causal = true});
    const auto shared = [&](const at::Tensor& x) {
      const at::Tensor rows = x.transpose(1, 2).reshape({-1, q.size(1), q.size(2)});
      return sum_heads(rows, k.size(1)).unflatten(0, {bucket.count, bucket.length});
    };
    scatter(grads.q.transpose(1, 2), bucket, result.q);
    scatter(shared(grads.k), bucket, result.k);
    scatter(shared(grads.v), bucket, result.v);
  }
  return result;
}

void add_prompt_gradients(const at::Tensor& grad, const at::Tensor& q, const at::Tensor& k,
                          const at::Tensor& v, const PackedAttended& done,
                          const PackedGroups& packed, const AttentionRule& rule,
                          Gradients& result) {
  for (const Branch& branch : packed.branches) {
    const auto rows = [&](const at::Tensor& x) {
      return fold(x.narrow(0, branch.begin, branch.length), k.size(1));
    };
    const Attended part{rows(done.out),
                        fold_lse(done.lse.narrow(0, branch.begin, branch.length), k.size(1))};
    const Gradients grads = attend_backward(rows(grad), rows(q), keys_of(k, branch),
                                            keys_of(v, branch), part, {.rule = rule});
    result.q.narrow(0, branch.begin, branch.length).add_(unfold(grads.q, branch.length, q.size(1)));
    const auto prompt = [&](at::Tensor& x) {
      return x.narrow(0, branch.prompt_begin, branch.prompt_length).transpose(0, 1);
    };
    prompt(result.k).add_(grads.k.squeeze(0));
    prompt(result.v).add_(grads.v.squeeze(0));
  }
}

class PackedAttention : public Function<PackedAttention> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& q, const at::Tensor& k,
                            const at::Tensor& v, const c10::intrusive_ptr<PackedGroups>& packed,
                            const AttentionRule& rule) {
    const RowsAttended rows =
        has_row_attention(q) ? attend_packed_rows(q, k, v, *packed, rule) : RowsAttended{};
    PackedAttended result{rows.out, rows.lse};
    if (!rows.out.defined()) {
      result = attend_within_segments(q, k, v, *packed, rule);
      merge_prompts(q, k, v, *packed, rule, result);
    }
    context->save_for_backward({q, k, v, result.out, result.lse});
    context->saved_data["packed"] = c10::IValue::make_capsule(packed);
    save_rule(*context, rule);
    return result.out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const auto holder = context->saved_data["packed"].toCapsule();
    const auto& packed = static_cast<const PackedGroups&>(*holder);
    const PackedAttended done{saved[3], saved[4]};
    const at::Tensor grad = grads[0].contiguous();
    const AttentionRule rule = saved_rule(*context);
    Gradients result =
        backward_within_segments(grad, saved[0], saved[1], saved[2], done, packed, rule);
    add_prompt_gradients(grad, saved[0], saved[1], saved[2], done, packed, rule, result);
    return {result.q, result.k, result.v, {}, {}};
  }
};

}  // namespace

at::Tensor packed_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            const c10::intrusive_ptr<PackedGroups>& packed,
                            const AttentionRule& rule) {
  if (has_varlen_kernel(q) || cuts(*packed, rule) || rule.changes_scores()) {
    return packed_attention_varlen(q, k, v, packed, rule);
  }
  return PackedAttention::apply(q.contiguous(), k.contiguous(), v.contiguous(), packed, rule);
}

}  // namespace redqueen
