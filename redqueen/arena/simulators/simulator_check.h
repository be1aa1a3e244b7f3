// Checks, by playing it, that an environment keeps the promises of simulator.h.
#pragma once

#include <cstdint>
#include <string>

#include "redqueen/arena/simulators/simulator.h"
#include "redqueen/base/error.h"
#include "redqueen/base/rng.h"

namespace redqueen::arena {

struct SimulatorCheck {
  int episodes = 0;
  std::int64_t steps = 0;
  double steps_per_second = 0;
};

// An action of the space: uniform where it is bounded, near zero where it is not.
Value sample_action(const Space& space, Rng& rng);

// Plays `episodes` episodes with random actions, each twice. Fails, saying where, if an observation
// does not conform to the space, an episode does not end in time, or the same case and actions give
// anything else the second time.
Expected<SimulatorCheck> check_simulator(Simulator& simulator, int episodes, std::uint64_t seed);

}  // namespace redqueen::arena
