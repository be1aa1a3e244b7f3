// Characters in UTF-8, one at a time; never outside of the text, whatever its bytes are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace redqueen {

struct Character {
  std::int32_t code = -1;  // −1 where the bytes are no UTF-8, or there are none
  std::size_t size = 0;    // in bytes; 0 only if there are none
};

Character first_character(std::string_view text);
Character last_character(std::string_view text);

// Nothing for what is no character.
void append_utf8(std::string& text, std::int32_t code);

}  // namespace redqueen
