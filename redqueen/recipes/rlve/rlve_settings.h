// The settings of the recipe rlve alone, a table of TrainSettings.
#pragma once

#include "redqueen/run/config.h"

namespace redqueen::rlve {

struct RlveSettings {
  int tokens_per_round = 0;  // of a response (partial_rollouts.h); 0: all

  void declare(run::Settings& settings);
};

}  // namespace redqueen::rlve
