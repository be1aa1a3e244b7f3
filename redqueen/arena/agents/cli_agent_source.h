// The text of cli_agent.py; made by the build.
#pragma once

#include <string_view>

namespace redqueen::arena {

std::string_view cli_agent_source();

}  // namespace redqueen::arena
