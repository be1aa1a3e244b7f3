// Grows a pool of environments that a policy writes, without training: runs EvoEnv's funnel round
// after round, with any policy and above all with one behind an endpoint.
//
//   RUN/config.toml   the resolved configuration
//   RUN/run.db        rounds as steps: metrics, and items of kind "candidate"
//   RUN/pool/         a folder for each accepted environment (synth/environment_folder.h)
//   RUN/usage.json    what the endpoint was used for, brought up to date after every batch
//   RUN/responses.jsonl   responses of the round in hand, as they come; gone once it is stored
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "redqueen/base/error.h"
#include "redqueen/engine/engine.h"
#include "redqueen/policy/policy.h"
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

// Rounds until an end of the request, the budget (evoenv.most_tokens of all roles, and the limits
// of the endpoint), or `stop`. A round is stored as a whole as soon as it is judged, and the
// answers of calibration with it, as rollouts. Examples before the generator are drawn from the
// seeds, from what was accepted, and from what somebody imported into the pool. Candidates are told
// of as they fall. What can no longer be admitted costs nothing more: near copies are found before
// calibration, and only what calibration leaves is reviewed and given to second authors.
//
// Once `stop` is set, an endpoint is asked nothing more; a policy of this process ends the batch in
// hand. A round that lacks responses for it is not stored: it goes on from those that came when the
// run is resumed.
//
// A response that the endpoint did not give is lost alone: a candidate less, a review less, an
// instance of calibration less. A candidate none of whose reviews came is stored as "unjudged".
// Fails when nothing at all came in a round.
Status grow(const Engine& engine, const GrowRequest& request, run::Progress& progress,
            const std::atomic<bool>& stop);

// Loads the policy that evoenv.second_author names, with the settings of [endpoint] and its own
// model; null where it names none, or the policy itself. The rest is as in load_policy().
Expected<std::unique_ptr<Policy>> load_second_author(const TrainSettings& settings,
                                                     const std::filesystem::path& usage_file = {},
                                                     const std::atomic<bool>* stop = nullptr);

}  // namespace redqueen
