#include "redqueen/model/transformer_layers.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "redqueen/model/attention.h"
#include "redqueen/model/product.h"

namespace redqueen {
namespace {

// Its own matrices are frozen.
bool has_adapters(const LayerWeights& w) { return w.adapters && w.adapters->config.rank > 0; }

AdaptedMatrix adapted(const LayerWeights& w, const at::Tensor& matrix, const at::Tensor& bias,
                      std::initializer_list<LowRankPair LayerAdapters::*> pairs,
                      std::initializer_list<at::Tensor> parts) {
  AdaptedMatrix result{matrix, bias, {}, 1};
  if (!has_adapters(w) || !w.adapters->active) return result;
  result.scale = w.adapters->config.scale();
  std::int64_t begin = 0;
  const at::Tensor* part = parts.begin();
  for (const auto pair : pairs) {
    result.rows.push_back({w.adapters->layers[w.number].*pair, begin, part->size(0)});
    begin += (part++)->size(0);
  }
  return result;
}

// x + inner · matrixᵀ, the product normalised first if there is a norm.
at::Tensor add_output(const at::Tensor& x, const at::Tensor& inner, const at::Tensor& matrix,
                      AdaptedMatrix (*adapted)(const LayerWeights&), const at::Tensor& norm,
                      const LayerWeights& w) {
  const at::Tensor residual = norm.defined() ? at::Tensor() : x;
  const at::Tensor out = has_adapters(w) ? adapted_linear(inner, residual, adapted(w))
                                         : linear_product(inner, matrix, residual);
  return norm.defined() ? x + rms_norm(out, norm, w.norm) : out;
}

}  // namespace

AdaptedMatrix adapted_qkv(const LayerWeights& w) {
  return adapted(w, w.qkv, w.qkv_bias, {&LayerAdapters::q, &LayerAdapters::k, &LayerAdapters::v},
                 {w.q_proj, w.k_proj, w.v_proj});
}

AdaptedMatrix adapted_o(const LayerWeights& w) {
  return adapted(w, w.o_proj, {}, {&LayerAdapters::o}, {w.o_proj});
}

AdaptedMatrix adapted_gate_up(const LayerWeights& w) {
  return adapted(w, w.gate_up, {}, {&LayerAdapters::gate, &LayerAdapters::up},
                 {w.gate_proj, w.up_proj});
}

AdaptedMatrix adapted_down(const LayerWeights& w) {
  return adapted(w, w.down_proj, {}, {&LayerAdapters::down}, {w.down_proj});
}

at::Tensor embed(const TransformerWeights& weights, const at::Tensor& tokens) {
  const at::Tensor rows = at::embedding(weights.embedding, tokens);
  return weights.embedding_scale == 1 ? rows : rows * weights.embedding_scale;
}

at::Tensor project_attended(const at::Tensor& x, const at::Tensor& attended,
                            const LayerWeights& w) {
  return add_output(x, attended, w.o_proj, &adapted_o, w.attention_out_norm, w);
}

at::Tensor feed_forward(const at::Tensor& x, const LayerWeights& w) {
  const at::Tensor normal = rms_norm(x, w.feed_forward_norm, w.norm);
  const at::Tensor gate_up =
      has_adapters(w) ? adapted_linear(normal, {}, adapted_gate_up(w))
                      : stacked_linear(normal, {w.gate_up, {w.gate_proj, w.up_proj}, {}, {}});
  return add_output(x, gated(gate_up, w.activation), w.down_proj, &adapted_down,
                    w.feed_forward_out_norm, w);
}

at::Tensor project_qkv(const at::Tensor& x, const LayerWeights& w) {
  if (has_adapters(w)) return adapted_linear(x, {}, adapted_qkv(w));
  std::vector<at::Tensor> biases;
  if (w.qkv_bias.defined()) biases = {w.q_bias, w.k_bias, w.v_bias};
  return stacked_linear(x, {w.qkv, {w.q_proj, w.k_proj, w.v_proj}, w.qkv_bias, biases});
}

const Rotary& rotary_of(const LayerWeights& w, const Rotaries& rotaries) {
  static const Rotary kNone;
  if (!w.rotates) return kNone;
  return w.rule.window > 0 && rotaries.windowed.cos.defined() ? rotaries.windowed : rotaries.full;
}

at::Tensor place_heads(const at::Tensor& heads, const at::Tensor& weight, const Norm& norm,
                       const Rotary& rotary) {
  if (rotary.cos.defined())
    return rotate(weight.defined() ? rms_norm(heads, weight, norm) : heads, rotary);
  return weight.defined() ? rms_norm(heads, weight, norm)
                          : heads.clone(at::MemoryFormat::Contiguous);
}

at::Tensor layer_forward(const at::Tensor& x, std::size_t layer, const PassContext& pass,
                         KeysValues* keys_values) {
  const ModelConfig& c = pass.weights->config;
  const LayerWeights& w = pass.weights->layers[layer];
  const std::int64_t tokens = x.size(0), head_dim = c.head_dim;
  const std::int64_t heads = c.num_attention_heads, kv_heads = c.num_key_value_heads;
  const at::Tensor qkv = project_qkv(rms_norm(x, w.input_norm, w.norm), w)
                             .view({tokens, heads + 2 * kv_heads, head_dim});
  const auto parts = qkv.split_with_sizes({heads, kv_heads, kv_heads}, 1);
  const Rotary& rotary = rotary_of(w, pass.rotary);
  const at::Tensor q = place_heads(parts[0], w.q_norm, w.norm, rotary);
  const at::Tensor k = place_heads(parts[1], w.k_norm, w.norm, rotary);
  if (keys_values != nullptr) *keys_values = {k, parts[2]};
  const at::Tensor attended = packed_attention(q, k, parts[2], pass.packed, w.rule);
  return feed_forward(project_attended(x, attended.view({tokens, heads * head_dim}), w), w);
}

}  // namespace redqueen
