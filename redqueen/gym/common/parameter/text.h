// Checks of strings over small alphabets.
#pragma once

#include <cstdint>
#include <string_view>

#include "redqueen/base/error.h"

namespace redqueen {

// An error that names the key and says what was expected ("12 letters a or b") unless the text has
// that many characters, all of them of the alphabet.
inline Status check_text(std::string_view key, std::string_view text, std::int64_t length,
                         std::string_view alphabet, std::string_view characters) {
  if (std::ssize(text) == length && text.find_first_not_of(alphabet) == text.npos) return {};
  return failure("\"{}\": expected {} {}", key, length, characters);
}

}  // namespace redqueen
