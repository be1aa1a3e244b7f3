#include "redqueen/policy/decoder.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>

#include "redqueen/policy/decode_attention.h"
#include "redqueen/policy/packed_groups.h"
#include "redqueen/policy/rotary.h"
#include "redqueen/policy/transformer_layers.h"

namespace redqueen {
namespace {

// Null for weights that the family does not have.
const float* numbers_of(const at::Tensor& weight) {
  return weight.defined() ? weight.const_data_ptr<float>() : nullptr;
}

Rotary rotary_up_to(std::int64_t positions, const Transformer& model) {
  const c10::InferenceMode inference;
  return rotary_table(at::arange(positions, at::kLong).to(model.options().device), model.config(),
                      model.options().dtype);
}

at::TensorOptions numbers_like(const Transformer& model) {
  return at::TensorOptions().dtype(model.options().dtype).device(model.options().device);
}

}  // namespace

Decoder::Decoder(const Transformer& model, std::int64_t max_positions, bool allow_fused)
    : model_(model),
      fused_(allow_fused && model.options().device.is_cpu() && model.options().dtype == at::kFloat),
      rotary_(rotary_up_to(max_positions + kBurstSteps, model)),
      cache_(model.config(), numbers_like(model), /*clear=*/!fused_),
      bursts_(model_, cache_, rotary_) {}

at::Tensor Decoder::add_prompts(std::span<const std::vector<Token>> prompts) {
  const c10::InferenceMode inference;
  std::vector<std::int64_t> pages, slots;  // of every token of all prompts
  for (const auto& prompt : prompts) {
    const std::int64_t number = cache_.add_prompt(static_cast<std::int64_t>(prompt.size()));
    for (std::size_t i = 0; i < prompt.size(); ++i) {
      pages.push_back(cache_.prompt(number).pages[i / kPageTokens]);
      slots.push_back(static_cast<std::int64_t>(i % kPageTokens));
    }
  }
  const TransformerWeights& weights = model_.weights();
  const at::Device device = weights.options.device;
  const at::Tensor page = index_tensor(pages, device), slot = index_tensor(slots, device);
  // Without a response token to score, pack_groups() would leave the prompts out.
  std::vector<TokenGroup> groups;
  for (const auto& prompt : prompts) groups.push_back({prompt, {{0}}});
  const auto packed = pack_groups(groups, /*share_prefix=*/true, device);
  const PassContext pass{weights.config,
                         {rotary_.cos.index_select(0, packed->positions),
                          rotary_.sin.index_select(0, packed->positions)},
                         packed};
  at::Tensor x = at::embedding(weights.embedding, packed->tokens);
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    KeysValues made;
    x = layer_forward(x, weights.layers[i], pass, &made);
    store_keys_values(made.keys, made.values, page, slot, cache_.layer(i));
  }
  return rms_norm(x.index_select(0, packed->predictors), weights.final_norm,
                  weights.config.rms_norm_eps)
      .mm(weights.output.t());
}

at::Tensor Decoder::step(std::span<const Token> tokens) {
  const c10::InferenceMode inference;
  cache_.reserve(1);
  at::Tensor logits;
  if (fused_) {
    logits = step_fused(at::from_blob(const_cast<Token*>(tokens.data()), {rows()}, at::kInt));
  } else {
    std::size_t pages = 1;
    for (const PagedCache::Row& row : cache_.rows()) {
      pages = std::max(pages, cache_.prompt(row.prompt).pages.size() + row.pages.size());
    }
    StepRows rows =
        empty_step_rows(this->rows(), static_cast<std::int64_t>(pages), model_.options().device);
    fill_step_rows(cache_, tokens, rows);
    logits = step_logits(model_, cache_, rotary_, rows);
  }
  cache_.advance(1);
  return logits;
}

at::Tensor Decoder::step_fused(const at::Tensor& tokens) {
  const TransformerWeights& weights = model_.weights();
  const ModelConfig& c = weights.config;
  std::vector<DecodeRow> places;
  for (const PagedCache::Row& row : cache_.rows()) {
    const PagedCache::Prompt& prompt = cache_.prompt(row.prompt);
    places.push_back({prompt.pages, prompt.length, row.pages, row.length});
  }
  at::Tensor x = at::embedding(weights.embedding, tokens);
  at::Tensor attended =
      at::empty({rows(), std::int64_t{c.num_attention_heads} * c.head_dim}, numbers_like(model_));
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    const LayerWeights& w = weights.layers[i];
    const at::Tensor qkv = project_qkv(rms_norm(x, w.input_norm, c.rms_norm_eps), w);
    decode_attention({.rows = places,
                      .heads = c.num_attention_heads,
                      .kv_heads = c.num_key_value_heads,
                      .head_dim = c.head_dim,
                      .qkv = qkv.const_data_ptr<float>(),
                      .q_norm = numbers_of(w.q_norm),
                      .k_norm = numbers_of(w.k_norm),
                      .eps = static_cast<float>(c.rms_norm_eps),
                      .cos = rotary_.cos.const_data_ptr<float>(),
                      .sin = rotary_.sin.const_data_ptr<float>(),
                      .keys = cache_.layer(i).keys.mutable_data_ptr<float>(),
                      .values = cache_.layer(i).values.mutable_data_ptr<float>(),
                      .out = attended.mutable_data_ptr<float>()});
    x = feed_forward(at::addmm(x, attended, w.o_proj.t()), w, c.rms_norm_eps);
  }
  return rms_norm(x, weights.final_norm, c.rms_norm_eps).mm(weights.output.t());
}

DrawnTokens Decoder::burst(std::span<const Token> tokens, std::span<const float> uniforms,
                           std::int64_t steps, const SampleParameters& parameters) {
  const c10::InferenceMode inference;
  cache_.reserve(steps);
  DrawnTokens drawn = bursts_.run(tokens, uniforms, steps, parameters);
  cache_.advance(steps);
  return drawn;
}

}  // namespace redqueen
