// Loads the policies that a run's settings name, to sample from or to train.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/embedded/embedded_policy.h"
#include "redqueen/recipes/recipe_entry.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/session/distributed/local_learner.h"

namespace redqueen {

// Loads the policy of settings.policy, to sample from: "DIR", "hf:DIR", or "openai:URL". What an
// endpoint is used for is kept in `usage_file` (EndpointOptions::usage_file). `stop`, if it is
// given, ends what is asked of an endpoint (RemotePolicy), and outlives the policy.
Expected<std::unique_ptr<Policy>> load_policy(const TrainSettings& settings,
                                              const std::filesystem::path& usage_file = {},
                                              const std::atomic<bool>* stop = nullptr);

// Loads the policy of settings.policy.path, a folder, into this process.
Expected<std::unique_ptr<EmbeddedPolicy>> load_embedded_policy(const TrainSettings& settings);

// Loads the policies and makes their trainers, in this process of `place.size` on the machine. Each
// process has one GPU for itself, or a part of the CPU's cores, which its learners share. A learner
// that is to train adapters has them, its policy's own or fresh ones. Reads of `settings` what all
// learners share: [run], and [train.lora], which is settings.table<LoraConfig>().
Expected<std::vector<LocalLearner>> load_learners(const TrainSettings& settings,
                                                  std::span<const LearnerSettings> learners,
                                                  const RankPlace& place = {});

// Returns the loader for serve_rank(): it loads the learners of `recipe`, or, if that is null, of
// the recipe that the configuration names.
LoadLearners rank_loader(const RecipeType* recipe = nullptr);

// Replaces a prompt format that the policy's own chat template lays out (chat_prompt.h) by the text
// that it stands for. Call once the policy is loaded, before prompts are made.
Status resolve_prompt_format(const Policy& policy, TrainSettings& settings);

// Says how the policy is asked, for people: folder, prompt format and why, length of a response.
// Call before resolve_prompt_format().
std::string how_asked(const TrainSettings& settings);

// The same for evaluations, whose responses may have another length (evaluation.max_new_tokens).
std::string how_asked_in_evaluation(const TrainSettings& settings);

// CPU threads for each of `processes`: `threads`, or its part of the cores if that is 0.
int thread_count(int threads, int processes = 1);

}  // namespace redqueen
