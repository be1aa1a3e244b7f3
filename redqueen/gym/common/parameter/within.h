// A bound on one parameter, for check().
#pragma once

#include <cstdint>
#include <string_view>

#include "redqueen/base/error.h"

namespace redqueen {

// An error that names the key unless low ≤ value ≤ high.
inline Status within(std::string_view key, std::int64_t value, std::int64_t low,
                     std::int64_t high) {
  if (value >= low && value <= high) return {};
  return failure("\"{}\": expected an integer from {} to {}, found {}", key, low, high, value);
}

}  // namespace redqueen
