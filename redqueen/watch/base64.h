// Base64 with padding (RFC 4648, section 4), for the content policy of a page that carries its
// scripts.
#pragma once

#include <string>
#include <string_view>

namespace redqueen::watch {

std::string base64(std::string_view bytes);

}  // namespace redqueen::watch
