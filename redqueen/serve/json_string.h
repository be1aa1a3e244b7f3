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

// JSON in which every escape of half a pair of surrogates is replaced by the escape of a character
// that does not occur in it.
struct MarkedText {
  std::string text;
  std::string mark;  // that character
};

// nullopt: there is no such escape, or no such character is left. Of text that need not be JSON.
std::optional<MarkedText> mark_lone_surrogates(std::string_view text);

}  // namespace redqueen::serve
