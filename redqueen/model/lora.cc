#include "redqueen/model/lora.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/rng.h"
#include "redqueen/checkpoint/safetensors.h"
#include "redqueen/model/tensor_file.h"
#include "redqueen/model/transformer_weights.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWeightsFile = "adapter_model.safetensors";

// A matrix that can have an adapter, and where it stands in a layer.
struct Target {
  const char* name;    // as in LoraConfig::targets
  const char* module;  // as in the names of checkpoints
  LowRankPair LayerAdapters::*pair;
  at::Tensor LayerWeights::*matrix;
};

constexpr Target kTargets[] = {
    {"q_proj", "self_attn.q_proj", &LayerAdapters::q, &LayerWeights::q_proj},
    {"k_proj", "self_attn.k_proj", &LayerAdapters::k, &LayerWeights::k_proj},
    {"v_proj", "self_attn.v_proj", &LayerAdapters::v, &LayerWeights::v_proj},
    {"o_proj", "self_attn.o_proj", &LayerAdapters::o, &LayerWeights::o_proj},
    {"gate_proj", "mlp.gate_proj", &LayerAdapters::gate, &LayerWeights::gate_proj},
    {"up_proj", "mlp.up_proj", &LayerAdapters::up, &LayerWeights::up_proj},
    {"down_proj", "mlp.down_proj", &LayerAdapters::down, &LayerWeights::down_proj},
};

std::string tensor_name(std::size_t layer, const Target& target, const char* which) {
  return fmt::format("base_model.model.model.layers.{}.{}.{}.weight", layer, target.module, which);
}

// Kaiming's uniform distribution with a = √5, which peft takes.
at::Tensor random_a(const std::string& name, std::int64_t rank, std::int64_t in,
                    std::uint64_t seed) {
  Rng rng(
      RandomAddress{.seed = seed, .purpose = hash_name("initialise"), .index = hash_name(name)});
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  at::Tensor values = at::empty({rank, in}, at::kFloat);
  float* data = values.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    data[i] = static_cast<float>(rng.real(-bound, bound));
  }
  return values;
}

LowRankPair make_pair(const std::string& name, const at::Tensor& matrix, const LoraConfig& config,
                      std::uint64_t seed) {
  const at::Tensor a = random_a(name, config.rank, matrix.size(1), seed).to(matrix.device());
  return {a.set_requires_grad(true),
          at::zeros({matrix.size(0), config.rank}, a.options()).set_requires_grad(true)};
}

Status check_stored(const std::map<std::string, StoredTensor>& stored,
                    const std::vector<NamedTensor>& own) {
  for (const NamedTensor& entry : own) {
    const auto found = stored.find(entry.name);
    if (found == stored.end()) return failure("tensor \"{}\" is missing", entry.name);
    if (at::IntArrayRef(found->second.shape) != entry.tensor.sizes()) {
      return failure("tensor \"{}\" has the shape [{}], but the model asks for [{}]", entry.name,
                     fmt::join(found->second.shape, ", "),
                     fmt::join(entry.tensor.sizes().vec(), ", "));
    }
    if (found->second.dtype != "F32" && found->second.dtype != "BF16" &&
        found->second.dtype != "F16") {
      return failure("tensor \"{}\" has the unsupported type {}", entry.name, found->second.dtype);
    }
  }
  for (const auto& [name, tensor] : stored) {
    if (std::ranges::find(own, name, &NamedTensor::name) == own.end()) {
      return failure("tensor \"{}\" has no place in the model", name);
    }
  }
  return {};
}

at::Tensor loaded_tensor(const StoredTensor& stored) {
  const auto type = stored.dtype == "F32"    ? at::kFloat
                    : stored.dtype == "BF16" ? at::kBFloat16
                                             : at::kHalf;
  // Copied: numbers in the file need not be aligned.
  at::Tensor values = at::empty(stored.shape, type);
  if (!stored.bytes.empty()) {
    std::memcpy(values.mutable_data_ptr(), stored.bytes.data(), stored.bytes.size());
  }
  return values;
}

}  // namespace

Status add_adapters(const Transformer& model, const LoraConfig& config, std::uint64_t seed) {
  RETURN_IF_ERROR(config.check());
  Adapters& adapters = *model.weights().adapters;
  if (config.rank == 0) return usage_error("the rank of the adapters is 0: there is none to add.");
  if (adapters.config.rank > 0) {
    return usage_error("the model has adapters already; merge them before others are added.");
  }
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < model.weights().layers.size(); ++i) {
    LayerAdapters& layer = adapters.layers.emplace_back();
    for (const Target& target : kTargets) {
      if (!config.adapts(target.name)) continue;
      layer.*target.pair = make_pair(tensor_name(i, target, "lora_A"),
                                     model.weights().layers[i].*target.matrix, config, seed);
    }
  }
  for (const NamedTensor& parameter : model.parameters()) parameter.tensor.set_requires_grad(false);
  adapters.config = config;
  return {};
}

Status ensure_adapters(const Transformer& model, LoraConfig config, const fs::path& folder,
                       std::uint64_t seed) {
  const LoraConfig* own = lora_of(model);
  config.base = own != nullptr ? own->base : absolute_path(folder).lexically_normal().string();
  if (own == nullptr) return add_adapters(model, config, seed);
  if (*own == config) return {};
  return usage_error(
      "{}: holds adapters of rank {} and alpha {:g} for {}, but rank {} and alpha {:g} for {} are "
      "asked for. Ask for the same, or merge the folder first: redqueen policy merge {} --out DIR",
      folder.string(), own->rank, own->alpha, fmt::join(own->targets, ", "), config.rank,
      config.alpha, fmt::join(config.targets, ", "), folder.string());
}

const LoraConfig* lora_of(const Transformer& model) {
  const LoraConfig& config = model.weights().adapters->config;
  return config.rank > 0 ? &config : nullptr;
}

std::vector<NamedTensor> adapter_parameters(const Transformer& model) {
  std::vector<NamedTensor> list;
  const std::vector<LayerAdapters>& layers = model.weights().adapters->layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (const Target& target : kTargets) {
      const LowRankPair& pair = layers[i].*target.pair;
      if (!pair.defined()) continue;
      list.push_back({tensor_name(i, target, "lora_A"), pair.a});
      list.push_back({tensor_name(i, target, "lora_B"), pair.b});
    }
  }
  return list;
}

std::vector<NamedTensor> trained_parameters(const Transformer& model) {
  return lora_of(model) != nullptr ? adapter_parameters(model) : model.parameters();
}

Status load_adapters(const Transformer& model, const fs::path& folder) {
  const fs::path file = folder / kWeightsFile;
  ASSIGN_OR_RETURN(const auto opened, SafetensorsFile::open(file));
  RETURN_IF_ERROR(opened.verify());
  const std::vector<NamedTensor> own = adapter_parameters(model);
  if (auto status = check_stored(opened.tensors(), own); !status) {
    return failure("{}: {}. The adapters do not belong to this adapter_config.json and base.",
                   file.string(), status.error().message);
  }
  const at::NoGradGuard no_grad;
  for (const NamedTensor& entry : own) {
    entry.tensor.copy_(loaded_tensor(opened.tensors().at(entry.name)));
  }
  return {};
}

Status save_adapters(const Transformer& model, const fs::path& folder) {
  RETURN_IF_ERROR(model.weights().adapters->config.save(folder / "adapter_config.json"));
  return write_tensors(folder / kWeightsFile, adapter_parameters(model));
}

void merge_adapters(const Transformer& model) {
  const at::NoGradGuard no_grad;
  Adapters& adapters = *model.weights().adapters;
  for (std::size_t i = 0; i < adapters.layers.size(); ++i) {
    for (const Target& target : kTargets) {
      const LowRankPair& pair = adapters.layers[i].*target.pair;
      if (!pair.defined()) continue;
      const at::Tensor& matrix = model.weights().layers[i].*target.matrix;
      matrix.copy_(matrix.to(at::kFloat).addmm(pair.b, pair.a, 1, adapters.config.scale()));
    }
  }
  adapters.config = {};
  adapters.layers.clear();
  for (const NamedTensor& parameter : model.parameters()) parameter.tensor.set_requires_grad(true);
}

WithoutAdapters::WithoutAdapters(const Transformer& model)
    : model_(model), before_(model.weights().adapters->active) {
  model.weights().adapters->active = false;
}

WithoutAdapters::~WithoutAdapters() { model_.weights().adapters->active = before_; }

}  // namespace redqueen
