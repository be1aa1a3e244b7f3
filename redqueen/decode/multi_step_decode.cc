#include "redqueen/decode/multi_step_decode.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "redqueen/decode/cuda_decode.h"
#include "redqueen/model/product.h"
#include "redqueen/model/transformer_layers.h"

namespace redqueen {
namespace {

bool same_draws(const SampleParameters& a, const SampleParameters& b) {
  return a.temperature == b.temperature && a.top_k == b.top_k && a.top_p == b.top_p &&
         a.min_p == b.min_p;
}

// [steps, rows] of [kMultiSteps, C] on the host.
at::Tensor to_host(const at::Tensor& all, std::int64_t steps, std::int64_t rows) {
  return all.narrow(0, 0, steps).narrow(1, 0, rows).cpu().contiguous();
}

// x += inner · matrixᵀ with its adapters, normalised first if there is a norm (`weight`).
void add_in_place(at::Tensor& x, const at::Tensor& inner, const at::Tensor& matrix,
                  const AdaptedMatrix& adapted, const at::Tensor& weight, const Norm& norm) {
  if (!weight.defined()) {
    x.addmm_(inner, matrix.t());
    return add_adapted(x, inner, adapted);
  }
  const at::Tensor out = inner.mm(matrix.t());
  add_adapted(out, inner, adapted);
  x.add_(rms_norm(out, weight, norm));
}

}  // namespace

std::int64_t size_class(std::int64_t count) {
  std::int64_t size = 1;
  while (size < count) size *= 2;
  return size;
}

at::Tensor step_logits(const Transformer& model, const PagedCache& cache, const Rotaries& rotary,
                       const StepRows& rows) {
  const TransformerWeights& weights = model.weights();
  const bool kernels = has_decode_kernels(model);
  const StepPlaces places = step_places(rows, rotary, weights.config.window.tokens, kernels);
  at::Tensor x = embed(weights, rows.tokens);
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    const LayerWeights& w = weights.layers[i];
    const PagedCache::Layer& layer = cache.layer(i);
    const at::Tensor qkv = project_qkv(rms_norm(x, w.input_norm, w.norm), w);
    if (kernels) {
      const at::Tensor attended =
          attend_pages_cuda(qkv, w, weights.config, layer, rows, places, rotary_of(w, rotary));
      add_in_place(x, attended, w.o_proj, adapted_o(w), w.attention_out_norm, w.norm);
      const at::Tensor normal = rms_norm(x, w.feed_forward_norm, w.norm);
      const at::Tensor gate_up = normal.mm(w.gate_up.t());
      add_adapted(gate_up, normal, adapted_gate_up(w));
      const at::Tensor inner = gated_cuda(gate_up, w.activation);
      add_in_place(x, inner, w.down_proj, adapted_down(w), w.feed_forward_out_norm, w.norm);
    } else {
      const at::Tensor attended = attend_pages(qkv, w, weights.config, layer, places);
      x = feed_forward(project_attended(x, attended, w), w);
    }
  }
  return capped(product(rms_norm(x, weights.final_norm, weights.norm), weights.output),
                weights.config.final_logit_softcapping);
}

DeviceDraw draw_rows(const Transformer& model, const at::Tensor& logits, const at::Tensor& uniforms,
                     const SampleParameters& parameters) {
  return has_draw_kernel(model, parameters) ? draw_cuda(logits, uniforms, parameters.temperature)
                                            : draw_on_device(logits, uniforms, parameters);
}

void MultiStepDecode::step_once(Program& p) const {
  const at::Tensor logits = step_logits(model_, cache_, rotary_, p.rows);
  const at::Tensor uniforms = p.uniforms.index_select(0, p.step).squeeze(0);
  const DeviceDraw draw = draw_rows(model_, logits, uniforms, parameters_);
  p.drawn.index_copy_(0, p.step, draw.tokens.unsqueeze(0));
  p.log_probs.index_copy_(0, p.step, draw.log_probs.unsqueeze(0));
  p.rows.tokens.copy_(draw.tokens);
  p.rows.own_lengths.add_(1);
  p.step.add_(1);
}

MultiStepDecode::Program& MultiStepDecode::program(std::int64_t rows, std::int64_t pages) {
  const SizeClass key{size_class(rows), size_class(pages)};
  const auto found = programs_.find(key);
  if (found != programs_.end()) return found->second;
  const at::Device device = model_.options().device;
  const auto numbers = at::TensorOptions().device(device);
  Program& made = programs_[key];
  made.rows = empty_step_rows(key.first, key.second, device);
  made.uniforms = at::zeros({kMultiSteps, key.first}, numbers.dtype(at::kFloat));
  made.drawn = at::zeros({kMultiSteps, key.first}, numbers.dtype(at::kLong));
  made.log_probs = at::zeros({kMultiSteps, key.first}, numbers.dtype(at::kFloat));
  made.step = at::zeros({1}, numbers.dtype(at::kLong));
  // Meanwhile it writes to page 0: all rows are empty.
  made.work = std::make_unique<CudaGraph>(device, [this, &made] { step_once(made); });
  return made;
}

void MultiStepDecode::fill(Program& p, std::span<const Token> tokens,
                           std::span<const float> uniforms, std::int64_t steps) const {
  fill_step_rows(cache_, tokens, p.rows);
  const auto rows = static_cast<std::int64_t>(tokens.size());
  const at::Tensor host =
      at::from_blob(const_cast<float*>(uniforms.data()), {steps, rows}, at::kFloat);
  p.uniforms.narrow(0, 0, steps).narrow(1, 0, rows).copy_(host);
  p.step.zero_();
}

// Pages a row. Our own kernels read those that hold tokens, however wide the table is: with them
// one width does for all.
std::int64_t MultiStepDecode::table_width() const {
  if (has_decode_kernels(model_)) return pages_of(rotary_.full.cos.size(0)) + 1;
  std::size_t pages = 1;
  for (const PagedCache::Row& row : cache_.rows()) {
    pages = std::max(pages, cache_.prompt(row.prompt).pages.size() + row.pages.size());
  }
  return static_cast<std::int64_t>(pages);
}

DrawnTokens MultiStepDecode::run(std::span<const Token> tokens, std::span<const float> uniforms,
                                 std::int64_t steps, const SampleParameters& parameters) {
  const void* keys = cache_.layer(0).keys.const_data_ptr();
  if (keys != recorded_keys_ || !same_draws(parameters, parameters_)) programs_.clear();
  recorded_keys_ = keys;
  parameters_ = parameters;
  const auto rows = static_cast<std::int64_t>(tokens.size());
  Program& p = program(rows, table_width());
  fill(p, tokens, uniforms, steps);
  for (std::int64_t i = 0; i < steps; ++i) p.work->repeat();
  const at::Tensor drawn = to_host(p.drawn, steps, rows);
  const at::Tensor log_probs = to_host(p.log_probs, steps, rows);
  DrawnTokens result;
  const auto* token = drawn.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < drawn.numel(); ++i) {
    result.tokens.push_back(static_cast<Token>(token[i]));
  }
  const auto* log_prob = log_probs.const_data_ptr<float>();
  result.log_probs.assign(log_prob, log_prob + log_probs.numel());
  return result;
}

}  // namespace redqueen
