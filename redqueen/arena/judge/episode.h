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
  // reset() or act() raised, and the rest of the episode was played without the policy; or its
  // process is gone, and the sums are of what was played until then.
  std::optional<PolicyFault> fault;
  std::optional<int> fault_step;     // the step at which act() failed; none: before the first
  std::int64_t actions = 0;          // answers of the policy
  std::int64_t invalid_actions = 0;  // those that had to be repaired
  PolicyOutput output;
  // Mean seconds of policy and environment for a step, over the first hundred; 0: no step.
  double step_seconds = 0;

  // The policy can play no further episode.
  [[nodiscard]] bool lost() const { return fault && fault->kind != PolicyFault::Kind::kRaised; }
};

// Plays until the environment ends the episode. A policy that raises is asked nothing more in it:
// every remaining step is given the null action, which repair_action makes of nothing (the least
// action, or zeros). So an exception earns exactly what a policy earns that returns the null action
// from there on, and never more than some sound policy does. The episode breaks off only where the
// process is gone (lost()). Fails where the simulator does.
Expected<EpisodeResult> play_episode(Simulator& simulator, PolicyProcess& policy,
                                     const EpisodeRequest& request);

}  // namespace redqueen::arena
