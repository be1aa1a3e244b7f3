// The built-in coding agent of `redqueen arena run --agent model`.
#pragma once

#include <string>

#include "redqueen/arena/judge/judge.h"
#include "redqueen/base/error.h"
#include "redqueen/cli/configuration.h"

namespace redqueen {

// The model that acts as agent, and the limits of its conversation.
struct ModelAgent {
  std::string policy;  // DIR, hf:DIR or openai:URL
  std::string model;   // the endpoint's name of it; empty: as the configuration says
  int turns = 0;       // at most; 0: 200
};

// Plays the run with tools on its workspace (arena/agents/judge_workbench.h), until the model ends
// its search, nothing more can be submitted, or a limit is met: "done", "session_stop" or
// "turn_limit".
// The conversation goes to logs/agent.jsonl. A request that fails for good ends the run's agent
// with "agent_ended".
Expected<std::string> run_model_agent(const ModelAgent& agent, ConfigurationOptions configuration,
                                      const Resources& resources, arena::Judge& judge,
                                      arena::PolicySeats& seats, bool numpy);

}  // namespace redqueen
