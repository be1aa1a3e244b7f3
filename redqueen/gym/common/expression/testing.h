// Random expression text for tests, with all the freedom of the notation.
#pragma once

#include <string>

#include "redqueen/base/rng.h"
#include "redqueen/gym/common/expression/expression.h"

namespace redqueen {

inline Rng expression_test_rng(std::string_view purpose, std::uint64_t index = 0) {
  return Rng({.seed = 7, .purpose = hash_name(purpose), .step = 0, .index = index, .salt = 0});
}

inline std::string random_leaf_text(Rng& rng) {
  switch (rng.below(8)) {
    case 0:
      return std::to_string(rng.integer(0, 12));
    case 1:
      return std::to_string(rng.integer(0, 3)) + "." + std::to_string(rng.integer(1, 99));
    case 2:
      return rng.chance(0.5) ? "pi" : "E";
    default:
      return "x";
  }
}

// About `size` operators. Words of kExpressionFunctions up to `functions` occur.
inline std::string random_expression_text(Rng& rng, int size, std::size_t functions = 22) {
  if (size <= 0) return random_leaf_text(rng);
  const auto space = [&] { return rng.chance(0.3) ? std::string(" ") : std::string(); };
  const auto part = [&](int n) { return random_expression_text(rng, n, functions); };
  const auto choice = rng.below(10);
  if (choice == 0) return "-" + space() + part(size - 1);
  if (choice == 1) return "(" + part(size) + ")";
  if (choice <= 4) {
    const auto function = kExpressionFunctions[rng.below(functions)];
    return std::string(function.name) + "(" + part(size - 1) + ")";
  }
  const int left = static_cast<int>(rng.integer(0, size - 1));
  if (choice == 5) {
    const std::string power = rng.chance(0.5) ? "**" : "^";
    return "(" + part(size - 1) + ")" + space() + power + space() +
           std::to_string(rng.integer(2, 3));
  }
  constexpr std::array<std::string_view, 5> kSigns{"+", "-", "*", "/", "**"};
  const std::string sign(kSigns[static_cast<std::size_t>(rng.below(rng.chance(0.2) ? 5 : 4))]);
  return part(left) + space() + sign + space() + part(size - 1 - left);
}

}  // namespace redqueen
