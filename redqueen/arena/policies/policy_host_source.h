// The text of policy_host.py; made by the build.
#pragma once

#include <string_view>

namespace redqueen::arena {

std::string_view policy_host_source();

}  // namespace redqueen::arena
