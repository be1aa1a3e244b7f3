// SHA-256 (FIPS 180-4), for the content policy of a page that carries its scripts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace redqueen::watch {

std::array<std::uint8_t, 32> sha256(std::string_view bytes);

// Base64 with padding (RFC 4648, section 4).
std::string base64(std::string_view bytes);

}  // namespace redqueen::watch
