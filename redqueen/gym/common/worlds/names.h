// Made-up names, so that nothing about them can be known beforehand.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/rng.h"

namespace redqueen {

// `count` different combinations of a first and a last part with `between` between them, in random
// order. count ≤ first.size() · last.size().
std::vector<std::string> draw_names(int count, std::span<const std::string_view> first,
                                    std::string_view between,
                                    std::span<const std::string_view> last, Rng& rng);

// "Mirel Harrow". count ≤ 1440.
std::vector<std::string> draw_person_names(int count, Rng& rng);

// "Aldburg": one word. count ≤ 240.
std::vector<std::string> draw_city_names(int count, Rng& rng);

// "Ardmark": one word. count ≤ 48.
std::vector<std::string> draw_region_names(int count, Rng& rng);

}  // namespace redqueen
