// The numbers of a transformer, as its forward passes want them. For transformer.cc, lora.cc and
// decode/.
#pragma once

#include <memory>
#include <vector>

#include "redqueen/model/layer_ops.h"
#include "redqueen/model/lora_layers.h"
#include "redqueen/model/transformer.h"
#include "redqueen/model/varlen_attention.h"

namespace redqueen {

// d: hidden size; q = heads × head_dim; kv = key_value_heads × head_dim; inner: intermediate size.
// Matrices are [out, in]. All but qkv, qkv_bias and gate_up are leaves. Biases and all norms but
// the two that stand before a block are undefined where the family has none
// (ModelConfig::has_qkv_bias(), has_qk_norm(), is_gemma()).
struct LayerWeights {
  at::Tensor input_norm;                     // [d]
  at::Tensor q_proj, k_proj, v_proj;         // [q, d], [kv, d], [kv, d]: rows of qkv
  at::Tensor q_bias, k_bias, v_bias;         // [q], [kv], [kv]: rows of qkv_bias
  at::Tensor q_norm, k_norm;                 // [head_dim]
  at::Tensor o_proj;                         // [d, q]
  at::Tensor attention_out_norm;             // [d]
  at::Tensor feed_forward_norm;              // [d]
  at::Tensor feed_forward_out_norm;          // [d]
  at::Tensor gate_proj, up_proj;             // [inner, d]: rows of gate_up
  at::Tensor down_proj;                      // [d, inner]
  at::Tensor qkv;                            // [q + 2 kv, d]
  at::Tensor qkv_bias;                       // [q + 2 kv]
  at::Tensor gate_up;                        // [2 inner, d]
  std::shared_ptr<const Adapters> adapters;  // the model's
  std::size_t number = 0;                    // of this layer
  bool rotates = true;                       // ModelConfig::rotates()
  Norm norm;                                 // how all norms are applied
  Activation activation = Activation::kSilu;
  AttentionRule rule;
};

struct TransformerWeights {
  ModelConfig config;
  TransformerOptions options;
  at::Tensor embedding;  // [vocabulary, d]
  std::vector<LayerWeights> layers;
  double embedding_scale = 1;  // what its rows are multiplied by, rounded to the model's type
  at::Tensor final_norm;       // [d]
  Norm norm;
  at::Tensor output;  // [vocabulary, d]; the embedding itself if it is tied
  // Of rank 0 until add_adapters() (lora.h) fills it in for all handles.
  std::shared_ptr<Adapters> adapters = std::make_shared<Adapters>();
};

}  // namespace redqueen
