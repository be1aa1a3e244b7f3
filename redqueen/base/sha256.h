// SHA-256 (FIPS 180-4): fingerprints of files, programs and scripts.
#pragma once

#include <string>
#include <string_view>

namespace redqueen {

// 32 bytes.
std::string sha256_digest(std::string_view bytes);

// The same as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace redqueen
