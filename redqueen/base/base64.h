// Base64 (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace redqueen {

enum class Base64 {
  kPadded,  // section 4
  kUrl,     // section 5, without padding
};

std::string base64(std::string_view bytes, Base64 form);

// nullopt for what base64() cannot have written; padding may be missing.
std::optional<std::string> from_base64(std::string_view text, Base64 form);

}  // namespace redqueen
