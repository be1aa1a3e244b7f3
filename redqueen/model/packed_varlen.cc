#include "redqueen/model/packed_varlen.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include "redqueen/model/packed_rows.h"
#include "redqueen/model/saved_rule.h"
#include "redqueen/model/varlen_attention.h"

namespace redqueen {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// [heads, rows] → [rows, heads, 1]
at::Tensor as_weights(const at::Tensor& x) { return x.t().unsqueeze(2); }

at::Tensor branch_part(const at::Tensor& x, const PackedGroups& packed) {
  return x.narrow(0, packed.branches_begin, x.size(0) - packed.branches_begin);
}

// Attention within segments, then that of responses to their prompts, weighed by the share of
// probability that fell on each.
VarlenAttended forward_both(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            const PackedGroups& packed, const AttentionRule& rule) {
  VarlenAttended done =
      varlen_attend(q, k, v, packed.segments, packed.segments, /*causal=*/true, rule);
  if (packed.branches.empty()) return done;
  const VarlenAttended prompts =
      varlen_attend(branch_part(q, packed), k.index_select(0, packed.prompt_rows),
                    v.index_select(0, packed.prompt_rows), packed.branch_queries,
                    packed.branch_prompts, /*causal=*/false, rule);
  at::Tensor own_out = branch_part(done.out, packed);
  at::Tensor own_lse = done.lse.narrow(1, packed.branches_begin, own_out.size(0));
  const at::Tensor lse = at::logaddexp(own_lse, prompts.lse);
  const at::Tensor merged =
      (own_out * as_weights((own_lse - lse).exp_()))
          .addcmul_(prompts.out.to(at::kFloat), as_weights((prompts.lse - lse).exp_()));
  own_out.copy_(merged);
  own_lse.copy_(lse);
  return done;
}

void add_prompt_part(const at::Tensor& grad, const at::Tensor& q, const at::Tensor& k,
                     const at::Tensor& v, const VarlenAttended& done, const PackedGroups& packed,
                     const AttentionRule& rule, VarlenGradients& result) {
  if (packed.branches.empty()) return;
  const at::Tensor out = branch_part(done.out, packed);
  const VarlenAttended part{out, done.lse.narrow(1, packed.branches_begin, out.size(0)),
                            done.state};
  const VarlenGradients grads = varlen_attend_backward(
      branch_part(grad, packed), branch_part(q, packed), k.index_select(0, packed.prompt_rows),
      v.index_select(0, packed.prompt_rows), part, packed.branch_queries, packed.branch_prompts,
      /*causal=*/false, rule);
  branch_part(result.q, packed).add_(grads.q);
  result.k.index_add_(0, packed.prompt_rows, grads.k);
  result.v.index_add_(0, packed.prompt_rows, grads.v);
}

VarlenGradients backward_both(const at::Tensor& grad, const at::Tensor& q, const at::Tensor& k,
                              const at::Tensor& v, const VarlenAttended& done,
                              const PackedGroups& packed, const AttentionRule& rule) {
  VarlenGradients result = varlen_attend_backward(grad, q, k, v, done, packed.segments,
                                                  packed.segments, /*causal=*/true, rule);
  add_prompt_part(grad, q, k, v, done, packed, rule, result);
  return result;
}

// Within windows: every segment to its own keys and what the first of its tokens sees of the
// prompt.
VarlenAttended forward_windowed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                const PackedGroups& packed, const AttentionRule& rule) {
  return varlen_attend(q, k.index_select(0, packed.window_rows),
                       v.index_select(0, packed.window_rows), packed.segments, packed.window_keys,
                       /*causal=*/true, rule);
}

VarlenGradients backward_windowed(const at::Tensor& grad, const at::Tensor& q, const at::Tensor& k,
                                  const at::Tensor& v, const VarlenAttended& done,
                                  const PackedGroups& packed, const AttentionRule& rule) {
  VarlenGradients grads = varlen_attend_backward(
      grad, q, k.index_select(0, packed.window_rows), v.index_select(0, packed.window_rows), done,
      packed.segments, packed.window_keys, /*causal=*/true, rule);
  // Of a prompt's row there are as many parts as responses: their sum is made in float32.
  const auto sum = [&](const at::Tensor& x, const at::Tensor& parts) {
    return at::zeros(x.sizes(), x.options().dtype(at::kFloat))
        .index_add_(0, packed.window_rows, parts.to(at::kFloat))
        .to(x.scalar_type());
  };
  return {grads.q, sum(k, grads.k), sum(v, grads.v)};
}

class VarlenPackedAttention : public Function<VarlenPackedAttention> {
 public:
  static VarlenAttended attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                               const PackedGroups& packed, const AttentionRule& rule) {
    if (has_row_attention(q)) {
      const RowsAttended rows = attend_packed_rows(q, k, v, packed, rule);
      return {rows.out, rows.lse.t().contiguous(), {}};
    }
    return rule.window > 0 ? forward_windowed(q, k, v, packed, rule)
                           : forward_both(q, k, v, packed, rule);
  }

  static at::Tensor forward(AutogradContext* context, const at::Tensor& q, const at::Tensor& k,
                            const at::Tensor& v, const c10::intrusive_ptr<PackedGroups>& packed,
                            const AttentionRule& rule) {
    const VarlenAttended done = attend(q, k, v, *packed, rule);
    context->save_for_backward({q, k, v, done.out, done.lse, done.state.seed, done.state.offset});
    context->saved_data["packed"] = c10::IValue::make_capsule(packed);
    save_rule(*context, rule);
    return done.out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const auto holder = context->saved_data["packed"].toCapsule();
    const auto& packed = static_cast<const PackedGroups&>(*holder);
    const VarlenAttended done{saved[3], saved[4], {saved[5], saved[6]}};
    const at::Tensor grad = grads[0].contiguous();
    const AttentionRule rule = saved_rule(*context);
    const auto backward = rule.window > 0 ? backward_windowed : backward_both;
    const VarlenGradients result = backward(grad, saved[0], saved[1], saved[2], done, packed, rule);
    return {result.q, result.k, result.v, {}, {}};
  }
};

}  // namespace

at::Tensor packed_attention_varlen(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                   const c10::intrusive_ptr<PackedGroups>& packed,
                                   const AttentionRule& rule) {
  AttentionRule used = rule;
  if (!cuts(*packed, rule)) used.window = 0;
  return VarlenPackedAttention::apply(q.contiguous(), k.contiguous(), v.contiguous(), packed, used);
}

}  // namespace redqueen
