#include "redqueen/model/token_log_probs.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace redqueen {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

std::int64_t chunk_rows(const LogitMemory& memory, std::int64_t vocabulary) {
  return std::max<std::int64_t>(1, memory.chunk / vocabulary);
}

// [rows, vocabulary] float32
at::Tensor log_distribution(const at::Tensor& hidden, const at::Tensor& output,
                            double temperature) {
  at::Tensor logits = hidden.mm(output.t()).to(at::kFloat);
  if (temperature != 1.0) logits.div_(temperature);
  return at::log_softmax(logits, -1);
}

class TokenLogProbs : public Function<TokenLogProbs> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& hidden,
                               const at::Tensor& output, const at::Tensor& targets,
                               double temperature, bool want_entropy, const LogitMemory& memory) {
    const std::int64_t total = hidden.size(0), step = chunk_rows(memory, output.size(0));
    const auto wide = hidden.options().dtype(at::kFloat);
    at::Tensor log_probs = at::empty({total}, wide);
    at::Tensor entropy = want_entropy ? at::empty({total}, wide) : at::Tensor();
    variable_list saved = {hidden, output, targets, entropy};
    for (std::int64_t begin = 0; begin < total; begin += step) {
      const std::int64_t rows = std::min(step, total - begin);
      const at::Tensor logs = log_distribution(hidden.narrow(0, begin, rows), output, temperature);
      log_probs.narrow(0, begin, rows)
          .copy_(logs.gather(1, targets.narrow(0, begin, rows).unsqueeze(1)).squeeze(1));
      if (want_entropy) {
        entropy.narrow(0, begin, rows).copy_((logs.exp() * logs).sum(-1).neg_());
      }
      if ((begin + rows) * output.size(0) <= memory.kept) saved.push_back(logs);
    }
    context->save_for_backward(std::move(saved));
    context->saved_data["temperature"] = temperature;
    context->saved_data["step"] = step;
    if (!want_entropy) return {log_probs};
    return {log_probs, entropy};
  }

  // With p the probabilities, y the target and H the entropy: d log p_y / dz_j = [j = y] − p_j and
  // dH / dz_j = −p_j (log p_j + H), where z are the logits over the temperature.
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &hidden = saved[0], &output = saved[1], &targets = saved[2];
    const double temperature = context->saved_data["temperature"].toDouble();
    const std::int64_t total = hidden.size(0), step = context->saved_data["step"].toInt();
    at::Tensor hidden_grad = at::empty_like(hidden);
    at::Tensor output_grad = at::zeros(output.sizes(), output.options().dtype(at::kFloat));
    std::size_t chunk = 4;
    for (std::int64_t begin = 0; begin < total; begin += step, ++chunk) {
      const std::int64_t rows = std::min(step, total - begin);
      const at::Tensor inputs = hidden.narrow(0, begin, rows);
      const at::Tensor logs =
          chunk < saved.size() ? saved[chunk] : log_distribution(inputs, output, temperature);
      const auto part = [&](const at::Tensor& x) { return x.narrow(0, begin, rows).unsqueeze(1); };
      at::Tensor scale = part(grads[0]).neg();
      at::Tensor logit_grad = logs.exp();
      if (grads.size() > 1) {
        logit_grad.mul_(scale - part(grads[1]) * (logs + part(saved[3])));
      } else {
        logit_grad.mul_(scale);
      }
      logit_grad.scatter_add_(1, part(targets), part(grads[0]).contiguous());
      if (temperature != 1.0) logit_grad.div_(temperature);
      logit_grad = logit_grad.to(hidden.scalar_type());
      hidden_grad.narrow(0, begin, rows).copy_(logit_grad.mm(output));
      add_product(output_grad, logit_grad, inputs);
    }
    return {hidden_grad, output_grad.to(output.scalar_type()), {}, {}, {}, {}};
  }

 private:
  // sum += leftᵀ · right, the sum over chunks in float32 whatever the model's type.
  static void add_product(at::Tensor& sum, const at::Tensor& left, const at::Tensor& right) {
    if (left.scalar_type() == at::kFloat) {
      sum.addmm_(left.t(), right);
    } else {
      sum.add_(left.t().mm(right));
    }
  }
};

}  // namespace

TokenScores token_log_probs(const at::Tensor& hidden, const at::Tensor& output,
                            const at::Tensor& targets, double temperature, bool entropy,
                            const LogitMemory& memory) {
  LogitMemory used = memory;
  if (hidden.is_cuda()) {
    // large products or none: a GPU has the memory, and small ones leave it idle
    used.chunk = std::max(used.chunk, std::int64_t{1} << 29);
    used.kept = std::max(used.kept, std::int64_t{1} << 30);
  }
  if (!at::GradMode::is_enabled()) used.kept = 0;
  const variable_list result =
      TokenLogProbs::apply(hidden, output, targets, temperature, entropy, used);
  return {result[0], entropy ? result[1] : at::Tensor()};
}

}  // namespace redqueen
