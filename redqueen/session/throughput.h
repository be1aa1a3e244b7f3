// Measures the tokens per second of sampling and training, for `redqueen bench train`.
#pragma once

#include <cstdint>
#include <string>

#include "redqueen/base/error.h"
#include "redqueen/engine/engine.h"
#include "redqueen/recipes/settings.h"

namespace redqueen {

struct Throughput {
  std::string policy;  // folder; empty: random weights as settings.model describes them
  std::string dtype;
  std::string device;
  std::int64_t parameters = 0;
  std::int64_t prompt_tokens = 0;    // of one step, each group's prompt counted once
  std::int64_t response_tokens = 0;  // of one step
  double sampling = 0.0;             // response tokens per second
  double scoring_seconds = 0.0;      // of one step
  double training_shared = 0.0;      // response tokens per second, forward, backward and update
  double training_unshared = 0.0;    // the same with every prompt computed once a response
  double end_to_end = 0.0;  // response tokens per second of sampling, scoring and (shared) training
};

// Samples, scores and trains `steps` times, on problems of settings.suite at level 0, the policy of
// settings.policy.path, loaded as `train` loads it; without a path a fresh one of settings.model,
// whose random weights seldom end a response before its limit. Nothing is written to the policy's
// folder.
Expected<Throughput> measure_throughput(const Engine& engine, const TrainSettings& settings,
                                        int steps);

}  // namespace redqueen
