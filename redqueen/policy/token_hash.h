// Tells sequences of tokens apart quickly. Two of them may have one hash.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "redqueen/base/rng.h"
#include "redqueen/text/token.h"

namespace redqueen {

inline std::uint64_t hash_tokens(std::span<const Token> tokens) {
  return hash_name(
      std::string_view(reinterpret_cast<const char*>(tokens.data()), tokens.size_bytes()));
}

}  // namespace redqueen
