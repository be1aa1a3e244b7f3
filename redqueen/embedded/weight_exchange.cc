#include "redqueen/embedded/weight_exchange.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "redqueen/checkpoint/lora_config.h"
#include "redqueen/model/lora.h"
#include "redqueen/model/transformer.h"

namespace redqueen {

Status exchange_weights(const EmbeddedPolicy& policy, const std::filesystem::path& folder) {
  const Transformer& model = policy.transformer();
  if (is_adapter_folder(folder)) {
    return usage_error("{}: holds adapters, whose base lies elsewhere; give a whole model.",
                       folder.string());
  }
  ASSIGN_OR_RETURN(ModelConfig config, ModelConfig::load_folder(folder));
  config.generation = model.config().generation;  // says nothing of the weights
  if (config != model.config()) {
    return usage_error(
        "{}: its config.json is of another model than that of {}; weights are exchanged for their "
        "like only.",
        folder.string(), policy.name());
  }
  ASSIGN_OR_RETURN(const Transformer other, Transformer::load(folder, model.options()));
  if (lora_of(model) != nullptr) merge_adapters(model);
  const at::NoGradGuard no_grad;
  const auto to = model.parameters();
  const auto from = other.parameters();
  for (std::size_t i = 0; i < to.size(); ++i) to[i].tensor.copy_(from[i].tensor);
  return {};
}

}  // namespace redqueen
