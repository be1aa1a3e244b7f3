// Coding programs that people have, as agents: each is called once a turn, and goes on with its
// conversation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "redqueen/arena/agents/command_agent.h"
#include "redqueen/base/error.h"

namespace redqueen::arena {

// "claude", "codex", "kimi" and "qoder".
std::vector<std::string> cli_agent_names();

// The command that lets one of these play (cli_agent.py, run by python3), with the variables of our
// environment that this program reads: its key, its address, its folder, and proxies; isolated it
// gets copies of the files in HOME that say who the user is. `model`: given to it, unless empty;
// `options`: added to every call. The programs are those of 2026 (Claude Code, Codex 0.125, Kimi
// Code, Qoder CLI): they may edit the workspace and run commands in it without asking. A usage
// error: another name, or the program is not on PATH.
Expected<CommandAgent> cli_agent(std::string_view name, const std::string& model = {},
                                 const std::vector<std::string>& options = {});

}  // namespace redqueen::arena
