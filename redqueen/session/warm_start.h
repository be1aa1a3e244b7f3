// Supervised training before reinforcement learning.
#pragma once

#include <atomic>
#include <filesystem>

#include "redqueen/base/error.h"
#include "redqueen/engine/engine.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/run/progress.h"

namespace redqueen {

// Trains the policy in settings.policy.path on the corpus of settings.warm_start and writes the
// result to `folder`. The batch of an update that fails is left there (batch_file.h), and no
// policy. Once `stop` is set, it ends after the update in the making. What was learned is kept in
// `folder`.partial then, and every minute; the next call goes on from there.
Status warm_start_policy(const Engine& engine, const TrainSettings& settings,
                         const std::filesystem::path& folder, run::Progress& progress,
                         const std::atomic<bool>& stop);

}  // namespace redqueen
