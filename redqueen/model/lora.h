// Low-rank adapters of a transformer (checkpoint/lora_config.h): its matrices are frozen, and the
// adapters beside them are what is trained.
//
// Adapters are float32 whatever the model's type; products with them are made in the model's type.
// Scoring and sampling both apply them, so that no rounding of merged weights comes between.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/checkpoint/lora_config.h"
#include "redqueen/model/transformer.h"

namespace redqueen {

// Adds adapters to a model, seen by all of its handles: A uniform in ±1/√in, as peft draws it, by
// seed and name alone; B zero, so that the model is still what it was. Its parameters() no longer
// require gradients. Fails if it has adapters already, or the configuration makes no sense.
Status add_adapters(const Transformer& model, const LoraConfig& config, std::uint64_t seed);

// The same for a model out of `folder`, which may have brought adapters: these go on being trained,
// and must be what the configuration asks for. Its `base` is filled in.
Status ensure_adapters(const Transformer& model, LoraConfig config,
                       const std::filesystem::path& folder, std::uint64_t seed);

// Null if the model has none.
const LoraConfig* lora_of(const Transformer& model);

// A and B of every adapted matrix, named as peft names them in its files; float32 leaves that
// require gradients, written to in place only. Empty if the model has none.
std::vector<NamedTensor> adapter_parameters(const Transformer& model);

// Returns the parameters that training changes: the adapters, or, without any, parameters().
std::vector<NamedTensor> trained_parameters(const Transformer& model);

// Reads adapter_model.safetensors of `folder` into a model that has the adapters of its
// adapter_config.json. Fails, and changes nothing, when a tensor is missing, superfluous or of
// another shape or type.
Status load_adapters(const Transformer& model, const std::filesystem::path& folder);

// Writes both files into a folder that is there.
Status save_adapters(const Transformer& model, const std::filesystem::path& folder);

// Adds the adapters into the matrices, rounded to the model's type, and forgets them: what is left
// is a model without adapters, whose parameters() require gradients.
void merge_adapters(const Transformer& model);

// As long as this lives, the model computes as if it had no adapters: it is its own reference. Not
// while another thread uses the model.
class WithoutAdapters {
 public:
  explicit WithoutAdapters(const Transformer& model);
  ~WithoutAdapters();
  WithoutAdapters(const WithoutAdapters&) = delete;
  WithoutAdapters& operator=(const WithoutAdapters&) = delete;

 private:
  Transformer model_;
  bool before_;
};

}  // namespace redqueen
