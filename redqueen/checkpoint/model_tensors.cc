#include "redqueen/checkpoint/model_tensors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace redqueen {
namespace {

using Shape = std::vector<std::int64_t>;

struct NamedShape {
  std::string_view name;
  Shape shape;
};

// Of one layer, without "model.layers.N.".
std::vector<NamedShape> layer_tensors(const ModelConfig& c) {
  const std::int64_t d = c.hidden_size, inner = c.intermediate_size;
  const std::int64_t q = std::int64_t{c.num_attention_heads} * c.head_dim;
  const std::int64_t kv = std::int64_t{c.num_key_value_heads} * c.head_dim;
  std::vector<NamedShape> list = {
      {"input_layernorm.weight", {d}},      {"self_attn.q_proj.weight", {q, d}},
      {"self_attn.k_proj.weight", {kv, d}}, {"self_attn.v_proj.weight", {kv, d}},
      {"self_attn.o_proj.weight", {d, q}},  {"post_attention_layernorm.weight", {d}},
      {"mlp.gate_proj.weight", {inner, d}}, {"mlp.up_proj.weight", {inner, d}},
      {"mlp.down_proj.weight", {d, inner}}};
  if (c.has_qkv_bias()) {
    list.push_back({"self_attn.q_proj.bias", {q}});
    list.push_back({"self_attn.k_proj.bias", {kv}});
    list.push_back({"self_attn.v_proj.bias", {kv}});
  }
  if (c.is_gemma()) {
    list.push_back({"pre_feedforward_layernorm.weight", {d}});
    list.push_back({"post_feedforward_layernorm.weight", {d}});
  }
  if (c.has_qk_norm()) {
    list.push_back({"self_attn.q_norm.weight", {c.head_dim}});
    list.push_back({"self_attn.k_norm.weight", {c.head_dim}});
  }
  return list;
}

Status check_one(const std::string& name, const Shape& shape,
                 const std::map<std::string, StoredTensor>& stored) {
  constexpr std::array<std::string_view, 4> kTypes{"F32", "BF16", "F16", "F64"};
  const auto found = stored.find(name);
  if (found == stored.end()) return failure("tensor \"{}\" is missing", name);
  const StoredTensor& tensor = found->second;
  if (tensor.shape != shape) {
    return failure("tensor \"{}\" has the shape [{}], but config.json asks for [{}]", name,
                   fmt::join(tensor.shape, ", "), fmt::join(shape, ", "));
  }
  if (std::find(kTypes.begin(), kTypes.end(), tensor.dtype) == kTypes.end()) {
    return failure("tensor \"{}\" has the type {}; weights are read from {}", name, tensor.dtype,
                   fmt::join(kTypes, ", "));
  }
  return {};
}

}  // namespace

Status check_tensors(const ModelConfig& config, const std::map<std::string, StoredTensor>& stored) {
  const Shape table{config.vocab_size, config.hidden_size};
  RETURN_IF_ERROR(check_one("model.embed_tokens.weight", table, stored));
  const std::vector<NamedShape> layer = layer_tensors(config);
  for (int i = 0; i < config.num_hidden_layers; ++i) {
    for (const auto& [name, shape] : layer) {
      RETURN_IF_ERROR(check_one(fmt::format("model.layers.{}.{}", i, name), shape, stored));
    }
  }
  RETURN_IF_ERROR(check_one("model.norm.weight", {config.hidden_size}, stored));
  if (config.tie_word_embeddings) return {};
  return check_one("lm_head.weight", table, stored);
}

}  // namespace redqueen
