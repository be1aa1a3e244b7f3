// The split of a problem is its salt: evaluation asks salt 0, training takes any other.
#pragma once

#include <cstdint>
#include <string_view>

#include "redqueen/base/rng.h"

namespace redqueen {

inline constexpr std::uint64_t kTestSalt = 0;

constexpr std::string_view split_of(std::uint64_t salt) {
  return salt == kTestSalt ? "test" : "train";
}

// Returns the salt of the problems that a run trains on. It is odd, so it is never kTestSalt.
inline std::uint64_t training_salt(std::uint64_t run_seed) {
  return Rng({.seed = run_seed, .purpose = hash_name("training problems")}).bits() | 1;
}

}  // namespace redqueen
