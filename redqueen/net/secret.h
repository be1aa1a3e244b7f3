// Compares secrets.
#pragma once

#include <cstddef>
#include <string_view>

namespace redqueen::net {

// Says whether a secret was given, in a time that does not tell how much of it is right. An empty
// secret is never given.
inline bool same_secret(std::string_view given, std::string_view secret) {
  unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size() && !secret.empty(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^
                  static_cast<unsigned char>(secret[i % secret.size()]);
  }
  return !secret.empty() && difference == 0;
}

}  // namespace redqueen::net
