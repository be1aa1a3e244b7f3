// The address of a problem: the same version of an environment makes the same problem of it, bit
// for bit, on every machine.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/base/rng.h"

namespace redqueen {

// Text form: "Sorting@1/3/42" (environment, version, level, seed), with "/s7f" behind it if the
// salt is not 0 (hex).
struct ProblemAddress {
  std::string environment;
  int version = 1;
  int level = 0;
  std::uint64_t seed = 0;
  // The salt of the run: two runs with different salts never share a problem's randomness.
  std::uint64_t salt = 0;

  auto operator<=>(const ProblemAddress&) const = default;

  std::string to_string() const;
  static Expected<ProblemAddress> parse(std::string_view text);

  // The randomness of one attempt at generating this problem.
  RandomAddress random(std::uint64_t attempt) const {
    return {.seed = salt,
            .purpose = hash_name(environment),
            .step = static_cast<std::uint64_t>(level),
            .index = seed,
            .salt = attempt};
  }
};

}  // namespace redqueen
