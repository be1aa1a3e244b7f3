// Checkpoints: a Hugging Face folder that transformers opens (config.json, model.safetensors,
// tokenizer.json, tokenizer_config.json, generation_config.json).
#pragma once

#include <filesystem>
#include <span>

#include "redqueen/base/durable.h"
#include "redqueen/base/error.h"
#include "redqueen/model/transformer.h"
#include "redqueen/text/tokenizer.h"

namespace redqueen {

// Writes a model and its tokenizer to `folder`, which is there in full or as it was before,
// whatever ends the process (replace_folder()). An earlier checkpoint of that name is replaced;
// anything else of that name is an error. `more` are files to lie beside them.
//
// `same`, if given, is a checkpoint folder with the same numbers: where the file system can, its
// model.safetensors gets another name here instead of being written again. Checkpoints are replaced
// and never changed, so that neither notices the other.
Status save_checkpoint(const std::filesystem::path& folder, const Transformer& model,
                       const Tokenizer& tokenizer, std::span<const CompanionFile> more = {},
                       const std::filesystem::path& same = {},
                       Survives survives = Survives::kPowerLoss);

}  // namespace redqueen
