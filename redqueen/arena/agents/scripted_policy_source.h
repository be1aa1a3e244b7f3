// The text of scripted_policy.py; made by the build.
#pragma once

#include <string_view>

namespace redqueen::arena {

std::string_view scripted_policy_source();

}  // namespace redqueen::arena
