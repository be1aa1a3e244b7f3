// The names of an enum's values, in one table: for messages, for files and for the command line.
//
//   inline constexpr auto kColourNames =
//       enum_names<Colour>({{"red", Colour::kRed}, {"green", Colour::kGreen}});
//   kColourNames.name(Colour::kRed)          // "red"
//   kColourNames.get("colour", "blue")       // usage error: colour "blue" …, expected red or green
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/text.h"

namespace redqueen {

template <typename Enum>
struct EnumName {
  std::string_view name;
  Enum value;
};

// A table of names; made by enum_names().
template <typename Enum, std::size_t N>
struct EnumNames {
  std::array<EnumName<Enum>, N> list;

  // "" for a value that is not in the table.
  constexpr std::string_view name(Enum value) const {
    for (const auto& entry : list) {
      if (entry.value == value) return entry.name;
    }
    return {};
  }

  // nullopt: no value has this name.
  constexpr std::optional<Enum> find(std::string_view name) const {
    for (const auto& entry : list) {
      if (entry.name == name) return entry.value;
    }
    return std::nullopt;
  }

  // The value of `name`; a usage error lists the names that exist. `what` names the option.
  Expected<Enum> get(std::string_view what, std::string_view name) const {
    if (const auto value = find(name)) return *value;
    const std::vector<std::string_view> known = names();
    return usage_error("{} \"{}\" does not exist{}; expected one of: {}", what, name,
                       did_you_mean(name, known), fmt::join(known, ", "));
  }

  // All names, in the order of the table.
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> names;
    names.reserve(std::size(list));
    for (const auto& entry : list) names.push_back(entry.name);
    return names;
  }
};

// Two entries of one name or one value do not compile.
template <typename Enum, std::size_t N>
consteval EnumNames<Enum, N> enum_names(const EnumName<Enum> (&entries)[N]) {
  EnumNames<Enum, N> names{};
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (entries[i].name == entries[j].name || entries[i].value == entries[j].value) {
        throw "enum_names: an entry is there twice";
      }
    }
    names.list[i] = entries[i];
  }
  return names;
}

}  // namespace redqueen
