// Values as bytes, between the judge and a policy's process: the judge writes observations and
// reads actions, policy_host.py does the opposite. Bytes from there are not trusted.
//
// A value is a tag and what belongs to it; integers are little-endian.
//   'i' i64   'd' f64   's' u32 bytes, UTF-8   't' u32 count, values
//   'm' u32 count, then for each u32 bytes of the key, the key, a value
//   'a' u8 element type (the place in ElementType), u8 axes, u32 length of each, the elements
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "redqueen/arena/simulators/value.h"

namespace redqueen::arena {

// Appends `value`.
void append_value(const Value& value, std::string& bytes);

// Reads one value from all of `bytes`; nullopt: malformed, nested deeper than 16, or bytes are left
// over.
std::optional<Value> read_value(std::string_view bytes);

}  // namespace redqueen::arena
