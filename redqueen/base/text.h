// Edit distance, and the proposals that error messages make with it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace redqueen {

// Number of insertions, deletions and substitutions between two strings, letter case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b);

// " (did you mean X?)" for the candidate nearest to `name`, or "" if none is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace redqueen
