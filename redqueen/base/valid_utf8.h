// Text that every reader takes for UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace redqueen {

// Every byte that belongs to no character becomes U+FFFD.
std::string valid_utf8(std::string_view bytes);

}  // namespace redqueen
