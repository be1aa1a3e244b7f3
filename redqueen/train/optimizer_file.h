// The optimizer's state on disk: trainer.safetensors, or, written by N processes that share it,
// trainer-00000-of-0000N.safetensors and so on, each with flat slices (sharding.h). Either is read
// by any number of processes, each of which reads what it owns.
#pragma once

#include <filesystem>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/model/transformer.h"
#include "redqueen/train/adamw.h"
#include "redqueen/train/sharding.h"

namespace redqueen {

// Writes the file of one process.
Status write_optimizer(const std::filesystem::path& folder, const AdamW& optimizer,
                       const Share& share);

// Reads the tensors that AdamW::load_state() of this optimizer, which has this share, wants. Fails
// when files or tensors are missing, have another size, or are not what was written.
Expected<std::vector<NamedTensor>> read_optimizer(const std::filesystem::path& folder,
                                                  const AdamW& optimizer, const Share& share);

}  // namespace redqueen
