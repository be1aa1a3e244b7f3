// The split of a problem is its salt: evaluation asks salt 0, training takes any other.
#pragma once

#include <cstdint>
#include <string_view>

namespace redqueen {

inline constexpr std::uint64_t kTestSalt = 0;

constexpr std::string_view split_of(std::uint64_t salt) {
  return salt == kTestSalt ? "test" : "train";
}

}  // namespace redqueen
