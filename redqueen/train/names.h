// Options that are chosen by name in a configuration.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "redqueen/core/error.h"

namespace redqueen {

template <typename Enum>
struct Named {
  std::string_view name;
  Enum value;
};

// The value of `name`, or a usage error that lists the names there are. `what` names the option.
template <typename Enum, std::size_t N>
Expected<Enum> find_named(std::string_view what, std::string_view name,
                          const std::array<Named<Enum>, N>& table) {
  std::string known;
  for (const auto& entry : table) {
    if (entry.name == name) return entry.value;
    known += known.empty() ? "" : ", ";
    known += entry.name;
  }
  return usage_error("{} '{}' does not exist; choose one of: {}.", what, name, known);
}

}  // namespace redqueen
