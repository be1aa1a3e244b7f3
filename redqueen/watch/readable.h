// Makes texts of unknown origin safe for people to see.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "redqueen/base/json.h"

namespace redqueen::watch {

inline constexpr std::size_t kMostCharacters = 20'000;

// Valid UTF-8, with control characters pictured, at most kMostCharacters long.
std::string readable(std::string_view bytes);

// The same for every text inside a value.
Json readable_json(const Json& value);

}  // namespace redqueen::watch
