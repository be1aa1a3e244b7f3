// A training run from its settings: policy, trainer, recipe and run directory put together.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/policy/embedded_policy.h"
#include "redqueen/recipes/sandbox_service.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/recipes/suite.h"
#include "redqueen/run/progress.h"

namespace redqueen {

// The policy of settings.policy, to sample from: "DIR", "hf:DIR", or "openai:URL".
Expected<std::unique_ptr<Policy>> load_policy(const TrainSettings& settings);

// The same for training: weights in this process, the rank-th of so many on this machine. Each has a GPU of its own, or a
// part of the CPU's cores.
Expected<std::unique_ptr<EmbeddedPolicy>> load_trainable_policy(const TrainSettings& settings,
                                                                int rank = 0, int processes = 1);

// Replaces a prompt format that the policy's own chat template lays out (chat_prompt.h) by the text that it stands for.
// Call once the policy is loaded, before prompts are made.
Status bind_prompt_format(const Policy& policy, TrainSettings& settings);

// The suite of a name, with a warning to `progress` about environments that this build lacks.
Expected<Suite> load_suite_with_warning(const std::string& name, Progress& progress);

struct TrainRequest {
  TrainSettings settings;
  std::string toml;  // the resolved configuration, for the run directory
  std::filesystem::path run;
  bool resume = false;
  int processes = 1;  // that share the work, this one included
};

// Trains: a new run, or one that goes on from its newest checkpoint. Evaluates before and after as the settings say.
// With `stop` set it ends after the step in hand, saved; the message says how to go on.
Status train(const TrainRequest& request, Progress& progress, const std::atomic<bool>& stop);

// A policy of settings.model with random weights, and a tokenizer trained on `texts`.
Expected<std::unique_ptr<EmbeddedPolicy>> make_policy(const TrainSettings& settings,
                                                      const std::vector<std::string>& texts);

// Makes such a policy for its warm-start corpus and writes it as a Hugging Face folder.
Status initialise_policy(const TrainSettings& settings, const std::filesystem::path& folder,
                         Progress& progress);

// Supervised training of the policy in settings.policy.path on the corpus of settings.warm_start; the result goes to
// `folder`.
Status warm_start_policy(const TrainSettings& given, const std::filesystem::path& folder,
                         Progress& progress);

}  // namespace redqueen
