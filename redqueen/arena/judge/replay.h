// Plays episodes of a closed run again and draws them. Nothing is drawn while a run is judged: an
// episode is a function of its case and its actions, so that an environment that draws can play it
// later.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/arena/simulators/simulator.h"
#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen::arena {

struct Replay {
  std::string name;  // of the episode's folder: "ep_012"
  double total = 0;  // its return
  int steps = 0;
  std::string png;  // animated: some 60 pictures at most, spread over the episode
};

// The best and the worst training episode of the submission that a closed run selected; one of them
// where all returns are alike, none where nothing was selected. `record` is run.json; of `settings`
// the packages count.
//
// Cases and returns are the judge's own, actions those of the feedback, which the agent may have
// changed: an episode that ends otherwise than the judge has it is a failure. So is an environment
// that does not draw, with what is missing.
Expected<std::vector<Replay>> replay_best_and_worst(const std::filesystem::path& run,
                                                    const Json& record,
                                                    SimulatorSettings settings = {});

}  // namespace redqueen::arena
