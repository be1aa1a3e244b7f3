// Reads JSON from the wire, which may be hostile.
#pragma once

#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen::serve {

// More values than this are refused before memory is spent on them.
inline constexpr std::size_t kMostJsonValues = 2'000'000;

// Reads JSON as parse_json() does, and besides fails, always with a usage error, on an object that
// names a key twice (two readers would read two things) and on more than kMostJsonValues values.
Expected<Json> read_json(std::string_view text);

// Reads an object as read_json() does.
Expected<Json> read_json_object(std::string_view text);

}  // namespace redqueen::serve
