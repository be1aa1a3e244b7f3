#include "redqueen/policy/decoder.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "redqueen/policy/decode_attention.h"
#include "redqueen/policy/packed_groups.h"
#include "redqueen/policy/rotary.h"
#include "redqueen/policy/transformer_layers.h"

namespace redqueen {
namespace {

constexpr std::int64_t kFirstCapacity = 32;

// [n] int64 on the device.
at::Tensor to_device(std::span<const std::int64_t> values, at::Device device) {
  at::Tensor result = at::empty({static_cast<std::int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), result.mutable_data_ptr<std::int64_t>());
  return result.to(device);
}

// A larger tensor whose beginning along `dim` is the old one.
at::Tensor grown(const at::Tensor& old, std::int64_t dim, std::int64_t size) {
  std::vector<std::int64_t> shape = old.sizes().vec();
  shape[static_cast<std::size_t>(dim)] = size;
  at::Tensor result = at::empty(shape, old.options());
  result.narrow(dim, 0, old.size(dim)).copy_(old);
  return result;
}

// Null for weights that the family does not have.
const float* numbers_of(const at::Tensor& weight) {
  return weight.defined() ? weight.const_data_ptr<float>() : nullptr;
}

}  // namespace

Decoder::Decoder(const Transformer& model, std::span<const std::vector<Token>> prompts,
                 std::vector<std::int64_t> prompt_of_row, std::int64_t max_steps, bool allow_fused)
    : model_(model),
      fused_(allow_fused && model.options().device.is_cpu() && model.options().dtype == at::kFloat),
      prompt_of_row_(std::move(prompt_of_row)),
      max_steps_(max_steps) {
  const c10::InferenceMode inference;
  for (const auto& prompt : prompts) {
    prompt_lengths_.push_back(static_cast<std::int64_t>(prompt.size()));
    longest_ = std::max(longest_, prompt_lengths_.back());
  }
  const ModelConfig& c = model_.config();
  rotary_ = rotary_table(at::arange(longest_ + max_steps_, at::kLong).to(model_.options().device),
                         c, model_.options().dtype);
  layers_.resize(model_.weights().layers.size());
  run_prompts(prompts);
  place_rows();
}

void Decoder::run_prompts(std::span<const std::vector<Token>> prompts) {
  const TransformerWeights& weights = model_.weights();
  const at::Device device = weights.options.device;
  // Without a response token to score, pack_groups() would leave the prompts out.
  std::vector<TokenGroup> groups;
  for (const auto& prompt : prompts) groups.push_back({prompt, {{0}}});
  const auto packed = pack_groups(groups, /*share_prefix=*/true, device);
  const PassContext pass{weights.config,
                         {rotary_.cos.index_select(0, packed->positions),
                          rotary_.sin.index_select(0, packed->positions)},
                         packed};
  std::vector<std::int64_t> rows;  // of the packed run, padded to the longest prompt
  std::int64_t begin = 0;
  for (const std::int64_t length : prompt_lengths_) {
    for (std::int64_t i = 0; i < longest_; ++i) rows.push_back(begin + std::min(i, length - 1));
    begin += length;
  }
  const at::Tensor padded_rows = to_device(rows, device);
  at::Tensor x = at::embedding(weights.embedding, packed->tokens);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    KeysValues keys_values;
    x = layer_forward(x, weights.layers[i], pass, &keys_values);
    const auto pad = [&](const at::Tensor& tensor) {  // → [prompts, longest, kv_heads, head_dim]
      return tensor.index_select(0, padded_rows).unflatten(0, {-1, longest_});
    };
    layers_[i].prompt_keys = pad(keys_values.keys).permute({0, 2, 3, 1}).contiguous();
    layers_[i].prompt_values = pad(keys_values.values).permute({0, 2, 1, 3}).contiguous();
  }
  prompt_logits_ = rms_norm(x.index_select(0, packed->predictors), weights.final_norm,
                            weights.config.rms_norm_eps)
                       .mm(weights.output.t());
}

void Decoder::place_rows() {
  if (fused_) return;
  const at::Device device = model_.options().device;
  std::vector<std::int64_t> used(prompt_lengths_.size(), 0), places;
  for (const std::int64_t prompt : prompt_of_row_) {
    places.push_back(used[static_cast<std::size_t>(prompt)]++);
  }
  slots_per_prompt_ = *std::max_element(used.begin(), used.end());
  prompt_index_ = to_device(prompt_of_row_, device);
  slot_of_row_ = prompt_index_ * slots_per_prompt_ + to_device(places, device);
  lengths_ = to_device(prompt_lengths_, device);
  outside_ = (at::arange(longest_, lengths_.options()).unsqueeze(0) >= lengths_.unsqueeze(1))
                 .view({-1, 1, 1, longest_});
}

at::Tensor Decoder::prompt_logits() const {
  const c10::InferenceMode inference;
  return prompt_logits_.index_select(0, to_device(prompt_of_row_, model_.options().device));
}

void Decoder::reserve_step() {
  if (step_ < capacity_) return;
  capacity_ = std::min(max_steps_, std::max(kFirstCapacity, 2 * capacity_));
  const ModelConfig& c = model_.config();
  for (LayerCache& layer : layers_) {
    if (!layer.own_keys.defined()) {
      const auto options = layer.prompt_keys.options();
      layer.own_keys = at::empty({rows(), c.num_key_value_heads, c.head_dim, 0}, options);
      layer.own_values = at::empty({rows(), c.num_key_value_heads, 0, c.head_dim}, options);
    }
    layer.own_keys = grown(layer.own_keys, 3, capacity_);
    layer.own_values = grown(layer.own_values, 2, capacity_);
  }
}

at::Tensor Decoder::step(std::span<const Token> tokens) {
  const c10::InferenceMode inference;
  const TransformerWeights& weights = model_.weights();
  const double eps = weights.config.rms_norm_eps;
  reserve_step();
  const at::Tensor host = at::from_blob(const_cast<Token*>(tokens.data()), {rows()}, at::kInt);
  at::Tensor x = at::embedding(weights.embedding, host.to(weights.options.device));
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const LayerWeights& w = weights.layers[i];
    const at::Tensor qkv = project_qkv(rms_norm(x, w.input_norm, eps), w);
    x = feed_forward(at::addmm(x, attend(qkv, i), w.o_proj.t()), w, eps);
  }
  ++step_;
  return rms_norm(x, weights.final_norm, eps).mm(weights.output.t());
}

// qkv: [rows, (heads + 2 kv_heads) × head_dim] → [rows, heads × head_dim]. Appends to the cache.
at::Tensor Decoder::attend(const at::Tensor& qkv, std::size_t layer) {
  return fused_ ? attend_fused(qkv, layer) : attend_composed(qkv, layer);
}

at::Tensor Decoder::attend_fused(const at::Tensor& qkv, std::size_t layer) {
  const ModelConfig& c = model_.config();
  const LayerWeights& w = model_.weights().layers[layer];
  LayerCache& cache = layers_[layer];
  at::Tensor out =
      at::empty({rows(), std::int64_t{c.num_attention_heads} * c.head_dim}, qkv.options());
  decode_attention({.rows = rows(),
                    .heads = c.num_attention_heads,
                    .kv_heads = c.num_key_value_heads,
                    .head_dim = c.head_dim,
                    .qkv = qkv.const_data_ptr<float>(),
                    .q_norm = numbers_of(w.q_norm),
                    .k_norm = numbers_of(w.k_norm),
                    .eps = static_cast<float>(c.rms_norm_eps),
                    .cos = rotary_.cos.const_data_ptr<float>(),
                    .sin = rotary_.sin.const_data_ptr<float>(),
                    .prompt_keys = cache.prompt_keys.const_data_ptr<float>(),
                    .prompt_values = cache.prompt_values.const_data_ptr<float>(),
                    .longest = longest_,
                    .prompt_lengths = prompt_lengths_.data(),
                    .prompt_of_row = prompt_of_row_.data(),
                    .own_keys = cache.own_keys.mutable_data_ptr<float>(),
                    .own_values = cache.own_values.mutable_data_ptr<float>(),
                    .capacity = capacity_,
                    .step = step_,
                    .out = out.mutable_data_ptr<float>()});
  return out;
}

at::Tensor Decoder::attend_composed(const at::Tensor& qkv, std::size_t layer) {
  const ModelConfig& c = model_.config();
  const LayerWeights& w = model_.weights().layers[layer];
  LayerCache& cache = layers_[layer];
  const std::int64_t heads = c.num_attention_heads, kv_heads = c.num_key_value_heads;
  const std::int64_t n = c.head_dim, times = heads / kv_heads, count = rows();
  const auto parts =
      qkv.view({count, heads + 2 * kv_heads, n}).split_with_sizes({heads, kv_heads, kv_heads}, 1);
  const at::Tensor positions = lengths_.index_select(0, prompt_index_).add_(step_);
  const Rotary rotary{rotary_.cos.index_select(0, positions),
                      rotary_.sin.index_select(0, positions)};
  cache.own_keys.select(3, step_).copy_(place_heads(parts[1], w.k_norm, c.rms_norm_eps, rotary));
  cache.own_values.select(2, step_).copy_(parts[2]);
  const at::Tensor q = place_heads(parts[0], w.q_norm, c.rms_norm_eps, rotary)
                           .mul_(1.0 / std::sqrt(static_cast<double>(n)))
                           .view({count, kv_heads, times, n});

  const std::int64_t prompts = cache.prompt_keys.size(0), slots = slots_per_prompt_;
  // [rows, kv_heads, times, x] → [prompts, kv_heads, slots × times, x] and back.
  const auto to_slots = [&](const at::Tensor& x) {
    at::Tensor all = at::zeros({prompts * slots, kv_heads, times, x.size(3)}, x.options());
    all.index_copy_(0, slot_of_row_, x);
    return all.view({prompts, slots, kv_heads, times, x.size(3)})
        .transpose(1, 2)
        .reshape({prompts, kv_heads, slots * times, x.size(3)});
  };
  const auto to_rows = [&](const at::Tensor& x) {
    return x.view({prompts, kv_heads, slots, times, x.size(3)})
        .transpose(1, 2)
        .reshape({prompts * slots, kv_heads, times, x.size(3)})
        .index_select(0, slot_of_row_);
  };
  const at::Tensor prompt_scores =
      to_rows(to_slots(q)
                  .matmul(cache.prompt_keys)
                  .masked_fill_(outside_, -std::numeric_limits<double>::infinity()));
  const at::Tensor own_scores = q.matmul(cache.own_keys.narrow(3, 0, step_ + 1));
  const at::Tensor shares =
      at::softmax(at::cat({prompt_scores, own_scores}, -1), -1, at::kFloat).to(qkv.scalar_type());
  const at::Tensor from_prompt =
      to_rows(to_slots(shares.narrow(3, 0, longest_)).matmul(cache.prompt_values));
  return shares.narrow(3, longest_, step_ + 1)
      .matmul(cache.own_values.narrow(2, 0, step_ + 1))
      .add_(from_prompt)
      .view({count, heads * n});
}

void Decoder::keep(const std::vector<std::int64_t>& rows) {
  const c10::InferenceMode inference;
  std::vector<std::int64_t> prompt_of_row;
  for (const std::int64_t row : rows) {
    prompt_of_row.push_back(prompt_of_row_[static_cast<std::size_t>(row)]);
  }
  prompt_of_row_ = std::move(prompt_of_row);
  const at::Tensor index = to_device(rows, model_.options().device);
  for (LayerCache& layer : layers_) {
    if (!layer.own_keys.defined()) continue;
    layer.own_keys = layer.own_keys.index_select(0, index);
    layer.own_values = layer.own_values.index_select(0, index);
  }
  place_rows();
}

}  // namespace redqueen
