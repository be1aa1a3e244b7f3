// Makes folders of adapters (model/lora.h) for a whole model, and merges them into one.
#pragma once

#include <cstdint>
#include <filesystem>

#include "redqueen/base/error.h"
#include "redqueen/checkpoint/lora_config.h"

namespace redqueen {

// Writes fresh adapters for the model in `folder` to `out`, with its tokenizer and redqueen.toml.
// They name `folder` as their base, and change nothing until they are trained. `config.base` does
// not count. Fails if `folder` holds other adapters, or `out` is there and is no checkpoint.
Status adapt_policy(const std::filesystem::path& folder, const LoraConfig& config,
                    std::uint64_t seed, const std::filesystem::path& out);

// Writes the model of an adapter folder (model/lora.h) with the adapters added into its weights, in
// the type of the base's: bfloat16 unless that has float32. Tokenizer and redqueen.toml come along.
// Fails if `folder` holds no adapters, or `out` is there and is no checkpoint.
Status merge_policy(const std::filesystem::path& folder, const std::filesystem::path& out);

}  // namespace redqueen
