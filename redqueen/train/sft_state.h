// Saves and restores an interrupted fine-tuning: a folder with the parameters, the optimizer's
// state and the counters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "redqueen/base/error.h"
#include "redqueen/base/fields.h"
#include "redqueen/model/transformer.h"
#include "redqueen/train/adamw.h"

namespace redqueen {

struct SftCounters {
  std::string work;  // what is learned, and how: sft_work()
  std::int64_t updates = 0;
  double first_loss = 0;

  REDQUEEN_FIELDS(work, updates, first_loss)
};

// The folder is replaced as a whole: a process killed while saving leaves the old state or the new.
Status save_sft_state(const std::filesystem::path& folder, const Transformer& transformer,
                      const AdamW& optimizer, const SftCounters& counters);

// Puts a state back. Fails, and changes nothing, when it was saved from other work or another
// model, and says which folder to remove.
Expected<SftCounters> load_sft_state(const std::filesystem::path& folder,
                                     const Transformer& transformer, const std::string& work,
                                     AdamW& optimizer);

}  // namespace redqueen
