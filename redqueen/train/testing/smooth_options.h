// Gives the options of trainers that tests compare.
#pragma once

#include "redqueen/train/trainer_options.h"

namespace redqueen {

// AdamW with ε = 1 moves by about the gradient itself: differences of rounding stay as small as
// they are.
inline TrainerOptions smooth_options() {
  TrainerOptions options;
  options.optimizer.epsilon = 1;
  options.optimizer.max_gradient_norm = 0;
  options.schedule.peak = 0.5;
  return options;
}

}  // namespace redqueen
