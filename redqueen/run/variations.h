// The runs of a comparison: settings that are varied, and their seeds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen::run {

// A setting of a comparison: its name, and assignments on top of the configuration.
struct Variation {
  std::string label;  // also a folder's name
  std::vector<std::string> assignments;

  bool operator==(const Variation&) const = default;
};

// KEY=v1,v2,…: one variation a value, labelled by it. A comma inside quotes or brackets belongs to
// its value: KEY="Sorting,Division",c4 has two.
Expected<std::vector<Variation>> parse_vary(std::string_view text);

// "LABEL: KEY=VALUE KEY=VALUE": one variation that sets several keys.
Expected<Variation> parse_variant(std::string_view text);

// Every combination, the last list varying fastest; labels are joined by "-".
std::vector<Variation> combinations(const std::vector<std::vector<Variation>>& lists);

// Adaptive difficulty, then static ranges LOW..HIGH.
Expected<std::vector<Variation>> difficulty_variations(const std::vector<std::string>& ranges);

// The variation as runs with seeds first, first + 1, …: each sets run.seed. Of more than one the
// labels end with "-seed-N".
std::vector<Variation> with_seeds(const Variation& variation, std::uint64_t first, int count);

}  // namespace redqueen::run
