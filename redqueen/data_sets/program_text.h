// The program in an answer, and its output.
#pragma once

#include <string>
#include <string_view>

#include "redqueen/base/enum_names.h"

namespace redqueen::data_sets {

// The program of an answer: the last of its fenced blocks that may be Python (marked as such, or
// not marked at all), of those that define `name` if any does; the last block of any kind if none
// may be; all of an answer without fences. Fences are ``` or ~~~, indented or not. Empty: there is
// none.
std::string program_of(std::string_view answer, std::string_view name = {});

enum class OutputCompare {
  kLines,     // the same lines, but for white space at their ends and empty lines at the end
  kDecimals,  // as LiveCodeBench: lines without their outer spaces, else number by number
};
inline constexpr auto kOutputCompareNames = enum_names<OutputCompare>(
    {{"lines", OutputCompare::kLines}, {"decimals", OutputCompare::kDecimals}});

bool same_output(std::string_view given, std::string_view expected,
                 OutputCompare compare = OutputCompare::kLines);

}  // namespace redqueen::data_sets
