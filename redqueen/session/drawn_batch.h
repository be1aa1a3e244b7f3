// The batch of a step as it was drawn, before anybody learnt from it.
#pragma once

#include <cstdint>
#include <vector>

#include "redqueen/recipes/recipe.h"
#include "redqueen/run/event_store.h"

namespace redqueen {

struct DrawnBatch {
  std::int64_t step = 0;
  RecipeBatch made;  // groups without responses that are missing; metrics with those of the sampler
  std::vector<run::CurriculumState> curriculum;  // after the step
  double sampling_seconds = 0;
};

}  // namespace redqueen
