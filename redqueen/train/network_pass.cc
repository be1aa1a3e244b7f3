#include "redqueen/train/network_pass.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/from_blob.h>

namespace redqueen {
namespace {

// A tensor's numbers on the CPU, and the tensor that keeps them alive.
struct HostCopy {
  explicit HostCopy(const at::Tensor& source)
      : tensor(source.defined() ? source.detach().to(at::kCPU).contiguous() : at::Tensor()) {}

  std::span<const float> values() const {
    if (!tensor.defined()) return {};
    return {tensor.const_data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
  }

  at::Tensor tensor;
};

// Σ output · derivative: differentiates to the derivatives of the objective.
at::Tensor surrogate(const at::Tensor& output, std::vector<float>& derivative) {
  const std::int64_t count = derivative.size();
  return at::dot(output, at::from_blob(derivative.data(), {count}, at::kFloat).to(output.device()));
}

}  // namespace

std::vector<float> score_tokens(const Transformer& transformer, std::span<const TokenGroup> groups,
                                const ScoreOptions& options) {
  const at::NoGradGuard no_grad;
  const HostCopy log_probs(transformer.score(groups, options).log_probs);
  return {log_probs.values().begin(), log_probs.values().end()};
}

ObjectiveResult forward_backward(const Transformer& transformer, std::span<const TokenGroup> groups,
                                 const ScoreOptions& score_options, const TokenTerms& terms,
                                 const ObjectiveOptions& objective_options) {
  const TokenScores scores = transformer.score(groups, score_options);
  const HostCopy log_probs(scores.log_probs);
  const HostCopy entropy(scores.entropy);
  ObjectiveResult result =
      objective(terms.input(log_probs.values(), entropy.values()), objective_options);
  if (result.first_non_finite >= 0) return result;
  at::Tensor loss = surrogate(scores.log_probs, result.log_prob_gradient);
  if (!result.entropy_gradient.empty()) {
    loss = loss.add(surrogate(scores.entropy, result.entropy_gradient));
  }
  loss.backward();
  return result;
}

}  // namespace redqueen
