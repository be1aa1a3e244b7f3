// An agent that is a program: started in the workspace, prompted line by line, as the command agent
// of EvoPolicyGym v0.1.0.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "redqueen/arena/judge/judge.h"
#include "redqueen/arena/protocols/protocol_v0.h"
#include "redqueen/base/error.h"

namespace redqueen::arena {

struct CommandAgent {
  std::vector<std::string> words;  // the program and its arguments
  // The variables of our environment that the program gets (API keys, say), besides PATH, HOME,
  // USER, SHELL, TMPDIR, TERM, LANG, LC_ALL and TZ.
  std::vector<std::string> environment;
  // The program sees the workspace, the system's programs (/usr), its own installation and `paths`,
  // read-only, and nothing else of this machine's files and processes; the network is as it is
  // (isolation.h). Without it the program has the rights of whoever started us.
  bool isolated = true;
  std::vector<std::string> paths;
  std::vector<std::string> programs;    // on PATH, that it calls
  std::vector<std::string> home_files;  // below HOME, that it gets copies of
  int turns = 0;                        // at most; 0: as many as the budget has episodes
  double turn_seconds = 3600;           // for one answer
};

// The end of a conversation.
struct AgentEnd {
  // "done", "turn_limit", "session_stop", "agent_failed", "agent_ended", "turn_timeout", …
  std::string reason;
  int turns = 0;
  std::string said;  // by a coding program that failed: that nobody has logged in, say
};

// Runs the program until the run is closed, the agent stops, or a limit is met. Each turn it gets a
// line {"message", "turn", "type": "prompt"} and answers with a line {"text", "stop"?, "data"?}. It
// finds the judge through EVOPOLICYGYM_API, _INFO_URL, _TASK_URL, _SUBMIT_URL, _TOKEN, _WORKSPACE,
// _SYSTEM, _FEEDBACK, _AGENTS and _PROTOCOL. What both say goes to logs/agent.jsonl, its stderr to
// logs/agent.stderr.txt. The program and its children are killed at the end. Fails if it does not
// start. `stop`: ends it early.
// Under the session protocol it finds EVOPOLICYGYM_SESSION_SOCKET and _WORKSPACE and, on its PATH,
// evopolicygym-session; `address` is not used.
Expected<AgentEnd> run_command_agent(const CommandAgent& agent, const Judge& judge,
                                     const V0Address& address, const std::atomic<bool>& stop);

}  // namespace redqueen::arena
