// Writes the text that an agent reads first: the rules, the same for every run, and the task.
#pragma once

#include <string>
#include <vector>

#include "redqueen/arena/judge/run_settings.h"
#include "redqueen/arena/simulators/simulator.h"

namespace redqueen::arena {

// AGENTS.md of a workspace.
std::string agent_rules(Protocol protocol);

// The same for the built-in coding agent, who has tools (coding_episode.h).
std::string tool_rules();

// The body of GET /task, in Markdown.
std::string task_text(const SimulatorCard& card, const RunSettings& settings, bool numpy);

// Packages besides Python's own library that a policy may import.
std::vector<std::string> allowed_imports(bool numpy);

}  // namespace redqueen::arena
