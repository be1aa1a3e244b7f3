// Strings of JSON that simdjson has found, without a copy where they have no escapes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace redqueen::serve {

// The text that stands for `inner`, which is what lies between the quotes of a JSON string. The
// caller ensures that `inner` is UTF-8 without control characters. It is given back where it has no
// escapes; else its text is written behind what `room` holds, whose capacity must have inner.size()
// bytes left, so that earlier views into it stay. nullopt: an escape that is none, or half of a
// pair of surrogates.
std::optional<std::string_view> unescaped(std::string_view inner, std::string& room);

}  // namespace redqueen::serve
