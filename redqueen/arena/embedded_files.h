// The Python programs of this folder, as text; the build embeds them (CMakeLists.txt).
#pragma once

#include <string_view>

namespace redqueen::arena {

std::string_view bundle_shape_source();     // judge/bundle_shape.py
std::string_view cli_agent_source();        // agents/cli_agent.py
std::string_view policy_host_source();      // policies/policy_host.py
std::string_view random_policy_source();    // agents/random_policy.py
std::string_view scripted_policy_source();  // agents/scripted_policy.py
std::string_view session_client_source();   // protocols/session_client.py
std::string_view simulator_host_source();   // simulators/simulator_host.py

}  // namespace redqueen::arena
