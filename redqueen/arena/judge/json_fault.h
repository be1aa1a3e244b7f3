// Says what a file's JSON lacks, in words without the JSON library's own.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace redqueen::arena {

// Returns the text of an exception without the library's tag, "[json.exception.type_error.302] ".
inline std::string json_fault(const std::exception& error) {
  const std::string_view text = error.what();
  const std::size_t end = text.starts_with("[json.exception") ? text.find("] ") : text.npos;
  return std::string(end == text.npos ? text : text.substr(end + 2));
}

}  // namespace redqueen::arena
