// The hidden tests of LiveCodeBench, as its files hold them: JSON, pickled as one string of Python,
// compressed by zlib, in base64.
#pragma once

#include <string>
#include <string_view>

#include "redqueen/base/error.h"

namespace redqueen::data_sets {

// The JSON text. Nothing is executed: of pickle's instructions only those are known that load a
// string. Fails on anything else, and on more than kMaxUnpackedBytes.
inline constexpr std::size_t kMaxUnpackedBytes = std::size_t{256} << 20;
Expected<std::string> unpack_tests(std::string_view packed);

}  // namespace redqueen::data_sets
