// The text of session_client.py; made by the build.
#pragma once

#include <string_view>

namespace redqueen::arena {

std::string_view session_client_source();

}  // namespace redqueen::arena
