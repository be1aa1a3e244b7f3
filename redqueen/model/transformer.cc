#include "redqueen/model/transformer.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/rng.h"
#include "redqueen/checkpoint/model_tensors.h"
#include "redqueen/checkpoint/safetensors.h"
#include "redqueen/model/cpu/deterministic_math.h"
#include "redqueen/model/layer_ops.h"
#include "redqueen/model/lora.h"
#include "redqueen/model/packed_groups.h"
#include "redqueen/model/product.h"
#include "redqueen/model/rotary.h"
#include "redqueen/model/token_log_probs.h"
#include "redqueen/model/transformer_layers.h"
#include "redqueen/model/transformer_weights.h"

namespace redqueen {
namespace {

// ---- Making and naming weights. ----

at::Tensor leaf(const at::Tensor& tensor) { return tensor.detach().set_requires_grad(true); }

LayerWeights make_layer(const ModelConfig& c, const at::TensorOptions& options) {
  const std::int64_t d = c.hidden_size, inner = c.intermediate_size;
  const std::int64_t q = std::int64_t{c.num_attention_heads} * c.head_dim;
  const std::int64_t kv = std::int64_t{c.num_key_value_heads} * c.head_dim;
  const auto make = [&](at::IntArrayRef shape) { return leaf(at::empty(shape, options)); };
  LayerWeights w;
  w.qkv = at::empty({q + 2 * kv, d}, options);
  w.gate_up = at::empty({2 * inner, d}, options);
  w.q_proj = leaf(w.qkv.narrow(0, 0, q));
  w.k_proj = leaf(w.qkv.narrow(0, q, kv));
  w.v_proj = leaf(w.qkv.narrow(0, q + kv, kv));
  w.gate_proj = leaf(w.gate_up.narrow(0, 0, inner));
  w.up_proj = leaf(w.gate_up.narrow(0, inner, inner));
  w.input_norm = make({d});
  w.feed_forward_norm = make({d});
  if (c.is_gemma()) {
    w.attention_out_norm = make({d});
    w.feed_forward_out_norm = make({d});
  }
  if (c.has_qkv_bias()) {
    w.qkv_bias = at::empty({q + 2 * kv}, options);
    w.q_bias = leaf(w.qkv_bias.narrow(0, 0, q));
    w.k_bias = leaf(w.qkv_bias.narrow(0, q, kv));
    w.v_bias = leaf(w.qkv_bias.narrow(0, q + kv, kv));
  }
  if (c.has_qk_norm()) {
    w.q_norm = make({c.head_dim});
    w.k_norm = make({c.head_dim});
  }
  w.o_proj = make({d, q});
  w.down_proj = make({d, inner});
  return w;
}

std::shared_ptr<TransformerWeights> make_weights(const ModelConfig& config,
                                                 const TransformerOptions& options) {
  make_products_repeatable();
  const auto numbers = at::TensorOptions().dtype(options.dtype).device(options.device);
  const Norm norm{.eps = config.rms_norm_eps, .plus_one = config.is_gemma()};
  auto weights = std::make_shared<TransformerWeights>();
  weights->config = config;
  weights->options = options;
  weights->embedding = leaf(at::empty({config.vocab_size, config.hidden_size}, numbers));
  for (int i = 0; i < config.num_hidden_layers; ++i) {
    weights->layers.push_back(make_layer(config, numbers));
    weights->layers.back().adapters = weights->adapters;
    weights->layers.back().number = static_cast<std::size_t>(i);
    weights->layers.back().rotates = config.rotates(static_cast<std::size_t>(i));
    weights->layers.back().norm = norm;
    weights->layers.back().activation = config.activation();
    weights->layers.back().rule = config.attention_rule(static_cast<std::size_t>(i));
  }
  weights->norm = norm;
  if (config.is_gemma()) {
    weights->embedding_scale =
        at::scalar_tensor(std::sqrt(static_cast<double>(config.hidden_size)), at::kFloat)
            .to(options.dtype)
            .item<double>();
  }
  weights->final_norm = leaf(at::empty({config.hidden_size}, numbers));
  weights->output = config.tie_word_embeddings
                        ? weights->embedding
                        : leaf(at::empty({config.vocab_size, config.hidden_size}, numbers));
  return weights;
}

std::vector<NamedTensor> list_parameters(const TransformerWeights& weights) {
  std::vector<NamedTensor> list = {{"model.embed_tokens.weight", weights.embedding}};
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    const LayerWeights& w = weights.layers[i];
    const auto add = [&](const char* name, const at::Tensor& tensor) {
      if (tensor.defined()) list.push_back({fmt::format("model.layers.{}.{}", i, name), tensor});
    };
    add("input_layernorm.weight", w.input_norm);
    add("self_attn.q_proj.weight", w.q_proj);
    add("self_attn.k_proj.weight", w.k_proj);
    add("self_attn.v_proj.weight", w.v_proj);
    add("self_attn.q_proj.bias", w.q_bias);
    add("self_attn.k_proj.bias", w.k_bias);
    add("self_attn.v_proj.bias", w.v_bias);
    add("self_attn.q_norm.weight", w.q_norm);
    add("self_attn.k_norm.weight", w.k_norm);
    add("self_attn.o_proj.weight", w.o_proj);
    if (weights.config.is_gemma()) {
      add("post_attention_layernorm.weight", w.attention_out_norm);
      add("pre_feedforward_layernorm.weight", w.feed_forward_norm);
      add("post_feedforward_layernorm.weight", w.feed_forward_out_norm);
    } else {
      add("post_attention_layernorm.weight", w.feed_forward_norm);
    }
    add("mlp.gate_proj.weight", w.gate_proj);
    add("mlp.up_proj.weight", w.up_proj);
    add("mlp.down_proj.weight", w.down_proj);
  }
  list.push_back({"model.norm.weight", weights.final_norm});
  if (!weights.config.tie_word_embeddings) list.push_back({"lm_head.weight", weights.output});
  return list;
}

// ---- Filling them. ----

at::Tensor random_normal(const NamedTensor& parameter, std::uint64_t seed, double deviation) {
  Rng rng(RandomAddress{
      .seed = seed, .purpose = hash_name("initialise"), .index = hash_name(parameter.name)});
  at::Tensor values = at::empty(parameter.tensor.sizes(), at::kFloat);
  float* data = values.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    data[i] = static_cast<float>(deviation * rng.normal());
  }
  return values;
}

// Of a dtype that check_tensors() lets pass.
at::ScalarType scalar_type(const std::string& dtype) {
  if (dtype == "F64") return at::kDouble;
  if (dtype == "F32") return at::kFloat;
  return dtype == "F16" ? at::kHalf : at::kBFloat16;
}

void fill(const NamedTensor& parameter, const StoredTensor& source) {
  // Copied first: numbers in the file need not be aligned.
  at::Tensor values = at::empty(source.shape, scalar_type(source.dtype));
  std::memcpy(values.mutable_data_ptr(), source.bytes.data(), source.bytes.size());
  parameter.tensor.copy_(values);
}

// ---- The forward pass. ----

// The weights of a layer that receive gradients, in a fixed order; undefined where the family, or
// the model's adapters, have none.
std::array<at::Tensor, 16> leaves(const LayerWeights& w) {
  if (w.adapters->config.rank > 0) {
    const LayerAdapters& l = w.adapters->layers[w.number];
    return {l.q.a,    l.q.b,    l.k.a,  l.k.b,  l.v.a,    l.v.b,    l.o.a, l.o.b,
            l.gate.a, l.gate.b, l.up.a, l.up.b, l.down.a, l.down.b, {},    {}};
  }
  return {w.input_norm,
          w.q_proj,
          w.k_proj,
          w.v_proj,
          w.q_bias,
          w.k_bias,
          w.v_bias,
          w.q_norm,
          w.k_norm,
          w.o_proj,
          w.attention_out_norm,
          w.feed_forward_norm,
          w.gate_proj,
          w.up_proj,
          w.down_proj,
          w.feed_forward_out_norm};
}

struct LayerCall : torch::CustomClassHolder {
  LayerCall(std::size_t number, const PassContext& context) : layer(number), pass(context) {}
  const LayerWeights& weights() const { return pass.weights->layers[layer]; }
  std::size_t layer;
  PassContext pass;
};

// Keeps a layer's input only and computes the layer again in the backward pass (Chen et al.,
// "Training Deep Nets with Sublinear Memory Cost", 2016).
class CheckpointedLayer : public torch::autograd::Function<CheckpointedLayer> {
 public:
  // The leaves are arguments only so that autograd asks for their gradients.
  template <typename... Leaves>
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            const c10::intrusive_ptr<LayerCall>& call, const Leaves&...) {
    context->save_for_backward({x});
    context->saved_data["call"] = c10::IValue::make_capsule(call);
    return layer_forward(x, call->layer, call->pass);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto holder = context->saved_data["call"].toCapsule();
    const auto& call = static_cast<const LayerCall&>(*holder);
    at::AutoGradMode enable(true);
    const auto weights = leaves(call.weights());
    std::vector<at::Tensor> inputs = {leaf(context->get_saved_variables()[0])};
    for (const at::Tensor& weight : weights) {
      if (weight.defined()) inputs.push_back(weight);
    }
    const at::Tensor out = layer_forward(inputs[0], call.layer, call.pass);
    const auto found = torch::autograd::grad({out}, inputs, {grads[0]});
    torch::autograd::variable_list results = {found[0], at::Tensor()};  // of x and `call`
    std::size_t next = 1;
    for (const at::Tensor& weight : weights) {
      results.push_back(weight.defined() ? found[next++] : at::Tensor());
    }
    return results;
  }
};

at::Tensor checkpointed_layer(const at::Tensor& x, std::size_t layer, const PassContext& pass) {
  const auto call = c10::make_intrusive<LayerCall>(layer, pass);
  return std::apply(
      [&](const auto&... weights) {
        return CheckpointedLayer::apply(
            x, call, (weights.defined() ? std::optional(weights) : std::nullopt)...);
      },
      leaves(call->weights()));
}

// Packed tokens → hidden states before the last norm, [T, d].
at::Tensor hidden_states(const std::shared_ptr<const TransformerWeights>& weights,
                         const c10::intrusive_ptr<PackedGroups>& packed, bool checkpointing) {
  const PassContext pass{
      weights, rotary_tables(packed->positions, weights->config, weights->options.dtype), packed};
  at::Tensor x = embed(*weights, packed->tokens);
  for (std::size_t layer = 0; layer < weights->layers.size(); ++layer) {
    x = checkpointing ? checkpointed_layer(x, layer, pass) : layer_forward(x, layer, pass);
  }
  return x;
}

// A base and the adapters that name it.
Expected<Transformer> load_adapted(const std::filesystem::path& folder,
                                   const TransformerOptions& options) {
  ASSIGN_OR_RETURN(LoraConfig config, LoraConfig::load(folder / "adapter_config.json"));
  ASSIGN_OR_RETURN(const std::filesystem::path base, base_folder(folder));
  ASSIGN_OR_RETURN(Transformer model, Transformer::load(base, options));
  config.base = absolute_path(base).lexically_normal().string();
  RETURN_IF_ERROR(add_adapters(model, config, /*seed=*/0));
  RETURN_IF_ERROR(load_adapters(model, folder));
  return model;
}

}  // namespace

Expected<Transformer> Transformer::load(const std::filesystem::path& folder,
                                        const TransformerOptions& options) {
  if (is_adapter_folder(folder)) return load_adapted(folder, options);
  ASSIGN_OR_RETURN(const auto config, ModelConfig::load_folder(folder));
  ASSIGN_OR_RETURN(const auto stored, SafetensorsFolder::open(folder));
  if (const Status belong = check_tensors(config, stored.tensors()); !belong) {
    return failure("{}: {}. The weights do not belong to this config.json.", folder.string(),
                   belong.error().message);
  }
  RETURN_IF_ERROR(stored.verify());
  try {
    at::NoGradGuard no_grad;
    auto weights = make_weights(config, options);
    for (const NamedTensor& parameter : list_parameters(*weights)) {
      fill(parameter, stored.tensors().at(parameter.name));
    }
    return Transformer(std::move(weights));
  } catch (const c10::Error& error) {
    return failure("{}: the model cannot be placed on {}: {}", folder.string(),
                   options.device.str(), error.what_without_backtrace());
  }
}

Transformer Transformer::initialise(const ModelConfig& config, std::uint64_t seed,
                                    const TransformerOptions& options) {
  at::NoGradGuard no_grad;
  auto weights = make_weights(config, options);
  const double residual = config.initializer_range / std::sqrt(2.0 * config.num_hidden_layers);
  for (const NamedTensor& parameter : list_parameters(*weights)) {
    const bool into_residual =
        parameter.name.ends_with("o_proj.weight") || parameter.name.ends_with("down_proj.weight");
    if (parameter.tensor.dim() == 1) {
      parameter.tensor.fill_(parameter.name.ends_with("bias") || config.is_gemma() ? 0 : 1);
    } else {
      parameter.tensor.copy_(
          random_normal(parameter, seed, into_residual ? residual : config.initializer_range));
    }
  }
  return Transformer(std::move(weights));
}

Transformer Transformer::clone() const {
  at::NoGradGuard no_grad;
  Transformer copy(make_weights(weights_->config, weights_->options));
  const auto copy_all = [&](const std::vector<NamedTensor>& from,
                            const std::vector<NamedTensor>& to) {
    for (std::size_t i = 0; i < from.size(); ++i) to[i].tensor.copy_(from[i].tensor);
  };
  copy_all(parameters(), copy.parameters());
  if (const LoraConfig* lora = lora_of(*this)) {
    static_cast<void>(add_adapters(copy, *lora, /*seed=*/0));
    copy_all(adapter_parameters(*this), adapter_parameters(copy));
  }
  return copy;
}

const ModelConfig& Transformer::config() const { return weights_->config; }

TransformerOptions Transformer::options() const { return weights_->options; }

std::vector<NamedTensor> Transformer::parameters() const { return list_parameters(*weights_); }

std::uint64_t Transformer::weights_version() const {
  std::uint64_t sum = 0;
  for (const auto& list : {list_parameters(*weights_), adapter_parameters(*this)}) {
    for (const NamedTensor& parameter : list) {
      sum += static_cast<std::uint64_t>(parameter.tensor._version());
    }
  }
  return sum;
}

TokenScores Transformer::score(std::span<const TokenGroup> groups,
                               const ScoreOptions& options) const {
  const auto packed = pack_groups(groups, options.share_prefix, weights_->options.device,
                                  weights_->config.window.tokens);
  if (packed->targets.size(0) == 0) {
    const auto empty = at::empty({0}, packed->targets.options().dtype(at::kFloat));
    return {empty, options.entropy ? empty : at::Tensor()};
  }
  const at::Tensor states = hidden_states(weights_, packed, options.activation_checkpointing);
  const at::Tensor predicting =
      rms_norm(states.index_select(0, packed->predictors), weights_->final_norm, weights_->norm);
  return token_log_probs(predicting, weights_->output, packed->targets, options.temperature,
                         options.entropy, {}, weights_->config.final_logit_softcapping);
}

at::Tensor Transformer::logits(std::span<const Token> tokens) const {
  const auto packed =
      pack_sequence(tokens, weights_->options.device, weights_->config.window.tokens);
  const at::Tensor states = hidden_states(weights_, packed, false);
  return capped(
      linear_product(rms_norm(states, weights_->final_norm, weights_->norm), weights_->output, {}),
      weights_->config.final_logit_softcapping);
}

}  // namespace redqueen
