// An agent without a model: random search over the constants of a small controller. For tests, for
// demonstrations, and as the least that any other agent should beat.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "redqueen/arena/judge/judge.h"
#include "redqueen/arena/protocols/protocol_v0.h"
#include "redqueen/base/error.h"

namespace redqueen::arena {

struct ScriptedAgent {
  std::uint64_t seed = 0;
  int episodes = 4;  // of a submission, as far as the run allows
  std::function<void(int submission, double mean, double best)> on_submission;  // may be empty
};

// Works as any agent does: writes system/policy.py, asks for submissions through the protocol, and
// looks at their means. Returns when the run is closed, or at `stop`. Its constants follow the
// seed.
Status run_scripted_agent(const ScriptedAgent& agent, Judge& judge, bool numpy,
                          const std::atomic<bool>& stop);

// Submits the uniformly random policy for `minimum` episodes, once: the reference of a leaderboard.
// Closing the run then scores it on the run's own cases.
Status submit_random_policy(Judge& judge);

}  // namespace redqueen::arena
