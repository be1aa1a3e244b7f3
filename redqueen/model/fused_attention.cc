#include "redqueen/model/fused_attention.h"

#include <ATen/ATen.h>

#include <limits>

namespace redqueen {
namespace {

// The CUDA kernel wants head_dim in whole 16-byte words, log-sum-exps in whole blocks of 32 queries
// and the rows of a mask at whole steps of 16 numbers.
constexpr std::int64_t kHeadAlignment = 8;
constexpr std::int64_t kQueryAlignment = 32;
constexpr std::int64_t kMaskAlignment = 16;

at::Tensor pad_last(const at::Tensor& x, std::int64_t multiple, double value) {
  const std::int64_t missing = (multiple - x.size(-1) % multiple) % multiple;
  return missing == 0 ? x : at::constant_pad_nd(x, {0, missing}, value);
}

std::optional<at::Tensor> mask_on_cpu(const FusedAttention& how) {
  return how.mask.defined() ? std::optional(how.mask) : std::nullopt;
}

// One for every sequence and head, as the CUDA kernel wants it.
std::optional<at::Tensor> mask_on_gpu(const at::Tensor& q, const FusedAttention& how) {
  if (!how.mask.defined()) return std::nullopt;
  const std::int64_t length = how.mask.size(0), keys = how.mask.size(1);
  return pad_last(how.mask, kMaskAlignment, 0)
      .narrow(1, 0, keys)
      .expand({q.size(0), q.size(1), length, keys});
}

// With a cap all is float32: [batch, heads, length, keys].
struct CappedScores {
  at::Tensor tanh;    // of scores over the cap
  at::Tensor scores;  // cap × tanh + mask
};

CappedScores capped_scores(const at::Tensor& q, const at::Tensor& k, const FusedAttention& how) {
  CappedScores made;
  made.tanh = q.to(at::kFloat)
                  .matmul(k.to(at::kFloat).transpose(-2, -1))
                  .mul_(how.rule.scale / how.rule.cap)
                  .tanh_();
  made.scores = made.tanh * how.rule.cap;
  if (how.mask.defined()) made.scores.add_(how.mask);
  return made;
}

Attended attend_capped(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                       const FusedAttention& how) {
  const at::Tensor scores = capped_scores(q, k, how).scores;
  const at::Tensor lse = at::logsumexp(scores, {-1});
  const at::Tensor shares = (scores - lse.unsqueeze(-1)).exp_();
  return {shares.matmul(v.to(at::kFloat)).to(q.scalar_type()), lse};
}

// With P the shares, s the scores and t = tanh: ds = P (g·vᵀ − Σ g o), and the score before its cap
// has the gradient ds (1 − t²).
Gradients attend_capped_backward(const at::Tensor& grad, const at::Tensor& q, const at::Tensor& k,
                                 const at::Tensor& v, const Attended& done,
                                 const FusedAttention& how) {
  const at::Tensor g = grad.to(at::kFloat);
  const auto [tanh, scores] = capped_scores(q, k, how);
  const at::Tensor shares = (scores - done.lse.unsqueeze(-1)).exp_();
  const at::Tensor mean = (g * done.out.to(at::kFloat)).sum(-1, /*keepdim=*/true);
  const at::Tensor of_scores = (g.matmul(v.to(at::kFloat).transpose(-2, -1)) - mean).mul_(shares);
  const at::Tensor before = of_scores.mul_(1 - tanh.square()).mul_(how.rule.scale);
  const at::ScalarType type = q.scalar_type();
  return {before.matmul(k.to(at::kFloat)).to(type),
          before.transpose(-2, -1).matmul(q.to(at::kFloat)).to(type),
          shares.transpose(-2, -1).matmul(g).to(type)};
}

}  // namespace

Attended attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                const FusedAttention& how) {
  if (how.rule.changes_scores()) return attend_capped(q, k, v, how);
  if (q.is_cpu()) {
    auto [out, lse] = at::_scaled_dot_product_flash_attention_for_cpu(
        q, k, v, 0.0, how.causal, mask_on_cpu(how), how.rule.scale);
    return {out, lse};
  }
  auto [out, lse, seed, offset] = at::_scaled_dot_product_efficient_attention(
      pad_last(q, kHeadAlignment, 0), pad_last(k, kHeadAlignment, 0),
      pad_last(v, kHeadAlignment, 0), mask_on_gpu(q, how), /*compute_log_sumexp=*/true, 0.0,
      how.causal, how.rule.scale);
  return {out.narrow(-1, 0, v.size(-1)), lse.narrow(-1, 0, q.size(2))};
}

Gradients attend_backward(const at::Tensor& grad, const at::Tensor& q, const at::Tensor& k,
                          const at::Tensor& v, const Attended& done, const FusedAttention& how) {
  if (how.rule.changes_scores()) return attend_capped_backward(grad, q, k, v, done, how);
  if (q.is_cpu()) {
    auto [dq, dk, dv] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
        grad, q, k, v, done.out, done.lse, 0.0, how.causal, mask_on_cpu(how), how.rule.scale);
    return {dq, dk, dv};
  }
  const at::Tensor no_dropout = at::zeros({}, at::kLong);
  auto [dq, dk, dv, dbias] = at::_scaled_dot_product_efficient_attention_backward(
      pad_last(grad, kHeadAlignment, 0), pad_last(q, kHeadAlignment, 0),
      pad_last(k, kHeadAlignment, 0), pad_last(v, kHeadAlignment, 0),
      mask_on_gpu(q, how).value_or(at::Tensor()), pad_last(done.out, kHeadAlignment, 0),
      pad_last(done.lse, kQueryAlignment, std::numeric_limits<double>::infinity()).contiguous(),
      no_dropout, no_dropout, 0.0, {true, true, true, false}, how.causal, how.rule.scale);
  return {dq.narrow(-1, 0, q.size(-1)), dk.narrow(-1, 0, k.size(-1)), dv.narrow(-1, 0, v.size(-1))};
}

}  // namespace redqueen
