// Grows a pool of environments that a policy writes, without training: runs EvoEnv's funnel round
// after round, with any policy and above all with one behind an endpoint.
//
//   RUN/config.toml   the resolved configuration
//   RUN/run.db        rounds as steps: metrics, and items of kind "candidate"
//   RUN/pool/         a folder for each accepted environment (synth/environment_folder.h)
//   RUN/usage.json    what the endpoint was used for, brought up to date after every batch
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

#include "redqueen/base/error.h"
#include "redqueen/engine/engine.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/run/progress.h"

namespace redqueen {

struct GrowRequest {
  TrainSettings settings;
  std::string toml;  // the resolved configuration, for the run directory
  std::filesystem::path run;
  bool resume = false;
  std::int64_t accepted = 0;  // ends when the run has accepted so many; 0: no such end
  std::int64_t rounds =
      0;  // ends after so many rounds, those before a resume included; 0: no such end
};

// Rounds until an end of the request, the endpoint's budget, or `stop`, which lets the round in
// hand finish. A round is stored as a whole as soon as it is judged. Examples before the generator
// are drawn from the seeds, from what was accepted, and from what somebody imported into the pool.
//
// A response that the endpoint did not give is lost alone: a candidate less, a review less, an
// instance of calibration less. A candidate none of whose reviews came is stored as "unjudged".
// Fails when nothing at all came in a round.
Status grow(const Engine& engine, const GrowRequest& request, run::Progress& progress,
            const std::atomic<bool>& stop);

}  // namespace redqueen
