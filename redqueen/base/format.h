// Formatting onto the end of a text.
#pragma once

#include <fmt/format.h>

#include <string>

namespace redqueen {

void append_formatted(std::string& text, fmt::string_view format, fmt::format_args args);

// append_format(text, "{} {}\n", a, b). Unlike fmt::format_to, it leaves the formatter in one
// object file: each that has it compiled anew costs seconds.
template <typename... Args>
void append_format(std::string& text, fmt::format_string<Args...> format, Args&&... args) {
  append_formatted(text, format, fmt::make_format_args(args...));
}

}  // namespace redqueen
