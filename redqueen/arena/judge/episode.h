// One episode: a simulator and a policy, step by step. Rewards and lengths are counted here, in the
// judge's process; the policy can answer with actions and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "redqueen/arena/policies/policy_process.h"
#include "redqueen/arena/simulators/simulator.h"

namespace redqueen::arena {

// One step, as a recorder is told of it; valid during the call.
struct Step {
  int t = 0;
  const Value& observation;  // that act() was given
  const Value& action;       // as the policy returned it
  bool repaired = false;     // the environment was given another (action_repair.h)
  const Transition& outcome;
  const Simulator& simulator;
};

class StepSink {
 public:
  virtual ~StepSink() = default;
  virtual void step(const Step& step) = 0;
};

struct EpisodeRequest {
  std::uint64_t case_seed = 0;    // of the environment
  int index = 0;                  // told to reset()
  std::uint64_t policy_seed = 0;  // of the policy's global generators
  StepSink* sink = nullptr;       // may be null
};

struct EpisodeResult {
  double total = 0;                // undiscounted sum of rewards
  int length = 0;                  // steps
  std::vector<double> components;  // sums, in the order of the simulator's card
  // reset() or act() raised, or the process is gone; then what was played so far counts as above.
  std::optional<PolicyFault> fault;
  PolicyOutput output;
  // Mean seconds of policy and environment for a step, over the first hundred; 0: no step.
  double step_seconds = 0;

  // The policy can play no further episode.
  [[nodiscard]] bool lost() const { return fault && fault->kind != PolicyFault::Kind::kRaised; }
};

// Plays until the environment ends the episode. Where act() raises, the environment is given the
// action that repair_action makes of nothing, and the episode ends with that step. Fails where the
// simulator does.
Expected<EpisodeResult> play_episode(Simulator& simulator, PolicyProcess& policy,
                                     const EpisodeRequest& request);

}  // namespace redqueen::arena
