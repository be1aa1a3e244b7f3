// Makes a training run of its settings: learners, recipe and run directory put together.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/engine/engine.h"
#include "redqueen/recipes/recipe_entry.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/run/progress.h"
#include "redqueen/session/distributed/workers.h"

namespace redqueen {

struct TrainRequest {
  TrainSettings settings;
  std::string toml;  // the resolved configuration, for the run directory and the other ranks
  std::filesystem::path run;
  bool resume = false;
  int processes = 1;  // that share the work, this one included
  // Programs other than `redqueen` may bring a recipe that is in no list (null: the one that
  // settings.run.recipe names), and the words that make them serve as a rank of it.
  const RecipeType* recipe = nullptr;
  std::vector<std::string> rank_command = train_command();
};

// Checks a run's settings, as far as possible before anything is loaded. `recipe` as in
// TrainRequest.
Status check_settings(const Engine& engine, const TrainSettings& settings,
                      const RecipeType* recipe = nullptr);

// Trains: a new run, or one that goes on from its newest checkpoint, with any number of processes.
// Evaluates before and after as the settings say. With `stop` set it ends after the step in hand,
// saved; the message says how to go on.
Status train(const Engine& engine, const TrainRequest& request, run::Progress& progress,
             const std::atomic<bool>& stop);

}  // namespace redqueen
