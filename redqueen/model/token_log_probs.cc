#include "redqueen/model/token_log_probs.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "redqueen/model/product.h"

namespace redqueen {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// Rows [row, row + rows) and columns [column, column + columns) of the logits.
struct Part {
  std::int64_t row, rows, column, columns;
};

// The matrix in tiles: row by row of tiles, so that a row's soft-max is complete before the next.
std::vector<Part> parts_of(std::int64_t rows, std::int64_t columns, const LogitTile& tile) {
  std::vector<Part> parts;
  for (std::int64_t row = 0; row < rows; row += tile.rows) {
    for (std::int64_t column = 0; column < columns; column += tile.columns) {
      parts.push_back(
          {row, std::min(tile.rows, rows - row), column, std::min(tile.columns, columns - column)});
    }
  }
  return parts;
}

// What the tiles of some rows have in common.
struct TiledRows {
  at::Tensor hidden, output, targets;
  double temperature, cap;

  at::Tensor products(const Part& part) const {
    return product(hidden.narrow(0, part.row, part.rows),
                   output.narrow(0, part.column, part.columns))
        .to(at::kFloat);
  }

  // The slope of the cap at every logit.
  at::Tensor slopes(const Part& part) const {
    return products(part).div_(cap).tanh_().square_().neg_().add_(1);
  }

  // [rows, columns] float32; of a part with the whole vocabulary, their log-soft-max: in one pass.
  at::Tensor logits(const Part& part) const {
    at::Tensor z = products(part);
    if (cap > 0) z.div_(cap).tanh_().mul_(cap);
    if (temperature != 1.0) z.div_(temperature);
    return part.columns == output.size(0) ? at::log_softmax(z, -1) : z;
  }

  // Which column of the part each row's target is, [rows, 1], and whether it is one (as 0 or 1).
  std::pair<at::Tensor, at::Tensor> targets_in(const Part& part) const {
    const at::Tensor own = targets.narrow(0, part.row, part.rows).unsqueeze(1) - part.column;
    const at::Tensor inside = own.ge(0).logical_and_(own.lt(part.columns));
    return {own.clamp(0, part.columns - 1), inside.to(at::kFloat)};
  }
};

// Over the tiles of some rows: log Σ exp(z), the target's z and, where it is wanted, the mean of z
// under the soft-max, each of what was seen so far; [rows, 1].
struct OnlineSoftmax {
  at::Tensor log_sum, target, mean;

  OnlineSoftmax(const at::TensorOptions& options, std::int64_t rows, bool want_mean)
      : log_sum(at::full({rows, 1}, -std::numeric_limits<float>::infinity(), options)),
        target(at::zeros({rows, 1}, options)) {
    if (want_mean) mean = at::zeros({rows, 1}, options);
  }

  // All there is: `logs` are normalised.
  void set(const at::Tensor& logs, const at::Tensor& column) {
    log_sum.zero_();
    target = logs.gather(1, column);
    if (mean.defined()) mean = (logs.exp() * logs).sum(1, /*keepdim=*/true);
  }

  void add(const at::Tensor& z, const at::Tensor& column, const at::Tensor& inside) {
    const at::Tensor own = at::logsumexp(z, {1}, /*keepdim=*/true);
    const at::Tensor sum = at::logaddexp(log_sum, own);
    if (mean.defined()) {
      const at::Tensor part = (z - own).exp_().mul_(z).sum(1, /*keepdim=*/true);
      mean = mean * (log_sum - sum).exp_() + part * (own - sum).exp_();
    }
    log_sum = sum;
    target.addcmul_(z.gather(1, column), inside);
  }
};

class TokenLogProbs : public Function<TokenLogProbs> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& hidden,
                               const at::Tensor& output, const at::Tensor& targets,
                               double temperature, bool want_entropy, double cap,
                               const LogitMemory& memory) {
    const std::int64_t total = hidden.size(0), vocabulary = output.size(0);
    const LogitTile tile = logit_tile(memory, total, vocabulary);
    const auto wide = hidden.options().dtype(at::kFloat);
    const TiledRows tiled{hidden, output, targets, temperature, cap};
    at::Tensor log_probs = at::empty({total, 1}, wide), log_sums = at::empty({total, 1}, wide);
    at::Tensor entropy = want_entropy ? at::empty({total, 1}, wide) : at::Tensor();
    std::optional<OnlineSoftmax> softmax;
    variable_list kept;
    std::int64_t made = 0;
    for (const Part& part : parts_of(total, vocabulary, tile)) {
      const at::Tensor z = tiled.logits(part);
      if (part.column == 0) softmax.emplace(wide, part.rows, want_entropy);
      const auto [column, inside] = tiled.targets_in(part);
      if (part.columns == vocabulary) {
        softmax->set(z, column);
      } else {
        softmax->add(z, column, inside);
      }
      made += z.numel();
      if (made <= memory.kept) kept.push_back(z);
      if (part.column + part.columns < vocabulary) continue;
      const auto rows = [&](const at::Tensor& x) { return x.narrow(0, part.row, part.rows); };
      rows(log_sums).copy_(softmax->log_sum);
      rows(log_probs).copy_(softmax->target - softmax->log_sum);
      if (want_entropy) rows(entropy).copy_(softmax->log_sum - softmax->mean);
    }
    variable_list saved = {hidden, output, targets, log_sums, entropy};
    saved.insert(saved.end(), kept.begin(), kept.end());
    context->save_for_backward(std::move(saved));
    context->saved_data["temperature"] = temperature;
    context->saved_data["cap"] = cap;
    context->saved_data["output_grad"] = output.requires_grad();  // it may be frozen
    context->saved_data["rows"] = tile.rows;
    context->saved_data["columns"] = tile.columns;
    if (!want_entropy) return {log_probs.squeeze(1)};
    return {log_probs.squeeze(1), entropy.squeeze(1)};
  }

  // With p the probabilities, y the target and H the entropy: d log p_y / dz_j = [j = y] − p_j and
  // dH / dz_j = −p_j (log p_j + H), where z are the logits over the temperature.
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const double temperature = context->saved_data["temperature"].toDouble();
    const TiledRows tiled{saved[0], saved[1], saved[2], temperature,
                          context->saved_data["cap"].toDouble()};
    const at::Tensor &log_sums = saved[3], &entropy = saved[4];
    const LogitTile tile{context->saved_data["rows"].toInt(),
                         context->saved_data["columns"].toInt()};
    const std::int64_t total = tiled.hidden.size(0), vocabulary = tiled.output.size(0);
    const auto sums_like = [&](const at::Tensor& x) {
      return at::zeros(x.sizes(), x.options().dtype(at::kFloat));
    };
    at::Tensor hidden_grad = sums_like(tiled.hidden), output_grad;
    const bool wants_output = context->saved_data["output_grad"].toBool();
    if (wants_output) output_grad = sums_like(tiled.output);
    std::size_t next = kFirstKept;
    for (const Part& part : parts_of(total, vocabulary, tile)) {
      const auto rows = [&](const at::Tensor& x) { return x.narrow(0, part.row, part.rows); };
      at::Tensor logs = next < saved.size() ? saved[next] : tiled.logits(part);
      if (part.columns < vocabulary) logs = logs - rows(log_sums);
      ++next;
      const at::Tensor of_target = rows(grads[0]).unsqueeze(1);
      at::Tensor logit_grad = logs.exp();
      if (entropy.defined()) {
        at::Tensor factor = logs + rows(entropy);  // in place: one tile more, and not three
        logit_grad.mul_(factor.mul_(rows(grads[1]).unsqueeze(1)).add_(of_target).neg_());
      } else {
        logit_grad.mul_(of_target.neg());
      }
      const auto [column, inside] = tiled.targets_in(part);
      logit_grad.scatter_add_(1, column, of_target * inside);
      if (temperature != 1.0) logit_grad.div_(temperature);
      if (tiled.cap > 0) logit_grad.mul_(tiled.slopes(part));
      logit_grad = logit_grad.to(tiled.hidden.scalar_type());
      const auto columns = [&](const at::Tensor& x) {
        return x.narrow(0, part.column, part.columns);
      };
      accumulate_product(rows(hidden_grad), logit_grad, columns(tiled.output));
      if (wants_output)
        accumulate_product(columns(output_grad), logit_grad.t(), rows(tiled.hidden));
    }
    if (wants_output) output_grad = output_grad.to(tiled.output.scalar_type());
    return {hidden_grad.to(tiled.hidden.scalar_type()), output_grad, {}, {}, {}, {}, {}};
  }

 private:
  static constexpr std::size_t kFirstKept = 5;  // of the saved tensors
};

}  // namespace

TokenScores token_log_probs(const at::Tensor& hidden, const at::Tensor& output,
                            const at::Tensor& targets, double temperature, bool entropy,
                            const std::optional<LogitMemory>& memory, double cap) {
  LogitMemory used = memory.value_or(logit_memory(hidden.is_cuda()));
  if (!at::GradMode::is_enabled()) used.kept = 0;
  const variable_list result =
      TokenLogProbs::apply(hidden, output, targets, temperature, entropy, cap, used);
  return {result[0], entropy ? result[1] : at::Tensor()};
}

}  // namespace redqueen
