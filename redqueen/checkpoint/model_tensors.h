// Checks that a checkpoint's weights are those that its config.json asks for, before anything is
// allocated.
#pragma once

#include <map>
#include <string>

#include "redqueen/checkpoint/model_config.h"
#include "redqueen/checkpoint/safetensors.h"

namespace redqueen {

// Fails for the first tensor that is missing, has another shape, or a type that weights are not
// read from (F32, BF16, F16 and F64 are). Tensors that the model has no use for are passed over.
// config.check() must hold.
Status check_tensors(const ModelConfig& config, const std::map<std::string, StoredTensor>& stored);

}  // namespace redqueen
