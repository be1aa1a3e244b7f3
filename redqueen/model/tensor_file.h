// Named tensors in a safetensors file: weights, adapters, a trainer's state.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/model/transformer.h"

namespace redqueen {

// float32 and bfloat16 only. One tensor at a time is copied to main memory.
Status write_tensors(const std::filesystem::path& file, std::span<const NamedTensor> tensors);

// On the CPU, in the file's types. Fails if the numbers are not those that were written.
Expected<std::vector<NamedTensor>> read_tensors(const std::filesystem::path& file);

// Picks the tensor of every parameter, in their order, from those that `file` held. Fails when one
// is missing, or of another shape or type.
Expected<std::vector<at::Tensor>> matching_tensors(std::span<const NamedTensor> saved,
                                                   std::span<const NamedTensor> parameters,
                                                   const std::filesystem::path& file);

}  // namespace redqueen
