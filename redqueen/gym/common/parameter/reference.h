// Right answers that a parameter carries along, so that scoring need not find them again.
#pragma once

#include <string_view>

#include "redqueen/base/error.h"

namespace redqueen {

// An error that names the key unless the stored answer is the right one. With this in check(), a
// forged reference never earns.
template <typename Answer>
Status reference_is(std::string_view key, const Answer& stored, const Answer& right) {
  if (stored == right) return {};
  return failure("\"{}\": it is not the right answer to this problem", key);
}

}  // namespace redqueen
