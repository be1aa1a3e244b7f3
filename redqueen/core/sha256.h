// SHA-256 (FIPS 180-4): fingerprints of files and programs in records.
#pragma once

#include <string>
#include <string_view>

namespace redqueen {

// 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace redqueen
