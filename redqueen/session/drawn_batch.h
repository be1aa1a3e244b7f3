// The batch of a step as it was drawn, before anybody learnt from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/recipes/recipe.h"
#include "redqueen/run/event_store.h"

namespace redqueen {

struct DrawnBatch {
  std::int64_t step = 0;
  RecipeBatch made;  // groups without responses that are missing; metrics with those of the sampler
  std::vector<run::CurriculumState> curriculum;  // after the step
  double sampling_seconds = 0;
  double waiting_seconds = 0;  // of these, those in which nobody learnt
};

// Write a batch to a file (CBOR) and read it back, bit for bit. Calls of tools that an endpoint
// told (Completion::tool_calls) are left out: nobody learns from them.
Status save_drawn_batch(const std::filesystem::path& file, const DrawnBatch& batch);
Expected<DrawnBatch> load_drawn_batch(const std::filesystem::path& file);

}  // namespace redqueen
